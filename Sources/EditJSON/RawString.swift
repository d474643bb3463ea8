import EditModel
import NIOCore

/// A long string of a frame that is checked but not yet decoded. So the text of a large edit is in
/// memory twice, in the frame and in the edit, and not four times; and once if it is only passed on.
final class RawString: Sendable {
  /// The minimum size of a string for which this is worth its cost, in bytes.
  static let sizeMin = 16 << 10

  private let frame: ByteBuffer
  private let bytes: Range<Int>
  let unitCount: Int
  private let isLatin1: Bool

  /// The string between two quotes, at these offsets of the frame's readable bytes.
  ///
  /// Precondition: a parser has read it, and counted its UTF-16 units.
  fileprivate init(frame: ByteBuffer, bytes: Range<Int>, unitCount: Int, isLatin1: Bool) {
    (self.frame, self.bytes, self.unitCount) = (frame, bytes, unitCount)
    self.isLatin1 = isLatin1 && unitCount >= UTF16Text.latin1CountMin
  }

  /// The string with its quotes, as a slice of the frame. O(1).
  var quoted: ByteBuffer? {
    frame.getSlice(at: frame.readerIndex + bytes.lowerBound - 1, length: bytes.count + 2)
  }

  /// The units. O(n).
  var text: UTF16Text {
    isLatin1
      ? UTF16Text(latin1: decoded(as: UInt8.self)) : UTF16Text(units: decoded(as: UInt16.self))
  }

  /// The units as integers of a type in which they fit.
  private func decoded<Unit: FixedWidthInteger & BitwiseCopyable>(as type: Unit.Type) -> [Unit] {
    Array(unsafeUninitializedCapacity: unitCount) { units, count in
      frame.withUnsafeReadableBytes { all in
        count = Self.decode(UnsafeRawBufferPointer(rebasing: all[bytes]), into: units)
      }
    }
  }

  /// Writes the units of a checked string, and returns their number.
  private static func decode<Unit: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, into units: UnsafeMutableBufferPointer<Unit>
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var parser = JSONParser(base: base, end: bytes.count, limits: JSON.Limits())
    var count = 0
    while parser.index < parser.end {
      let stop = parser.special(from: parser.index)
      count = widen(
        UnsafeRawBufferPointer(rebasing: bytes[parser.index..<stop]), into: units, at: count)
      parser.index = stop
      // The parser has checked the string: each run ends with an escape, and all escapes are valid.
      guard stop < parser.end, let unit = try? parser.escape() else { break }
      units.initializeElement(at: count, to: Unit(truncatingIfNeeded: unit))
      count += 1
    }
    return count
  }

  private static func widen<Unit: FixedWidthInteger>(
    _ run: UnsafeRawBufferPointer, into units: UnsafeMutableBufferPointer<Unit>, at start: Int
  ) -> Int {
    var (offset, count) = (0, start)
    while offset < run.count {
      let byte = run[offset]
      if byte < 0x80 {
        units.initializeElement(at: count, to: Unit(truncatingIfNeeded: byte))
        (offset, count) = (offset + 1, count + 1)
        continue
      }
      var iterator = run[offset...].makeIterator()
      var decoder = UTF8()
      guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { break }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        units.initializeElement(at: count, to: Unit(truncatingIfNeeded: unit))
        count += 1
      }
      offset += UTF8.width(scalar)
    }
    return count
  }
}

extension JSONParser {
  /// Reads the string whose first byte is next, if it is long enough to stay in the frame. Returns
  /// nil, and reads nothing, if it is shorter.
  mutating func rawString(in frame: ByteBuffer) throws(JSONError) -> RawString? {
    let start = index
    guard end - start > RawString.sizeMin else { return nil }
    // Most strings are short. Their end is found first, without counting units.
    if let stop = endOfShortString(from: start), stop - start < RawString.sizeMin { return nil }
    var (unitCount, isLatin1) = (0, true)
    while true {
      let stop = special(from: index)
      unitCount += try units(in: index..<stop, &isLatin1)
      index = stop
      guard index < end else { throw unexpected("'\"'") }
      switch byte(index) {
      case 0x22:
        index += 1
        return RawString(
          frame: frame, bytes: start..<index - 1, unitCount: unitCount, isLatin1: isLatin1)
      case 0x5C:
        isLatin1 = try escape() < 0x100 && isLatin1
        unitCount += 1
      default: throw JSONError(.controlCharacter(byte(index)), offset: index)
      }
    }
  }

  /// The closing quote of a string that ends within `RawString.sizeMin` bytes.
  private func endOfShortString(from start: Int) -> Int? {
    let limit = min(end, start + RawString.sizeMin)
    var offset = start
    while offset < limit {
      offset = special(from: offset, before: limit)
      guard offset < limit else { return nil }
      // A byte other than a backslash ends the string or is an error, which the caller reports.
      guard byte(offset) == 0x5C else { return offset }
      offset += 2
    }
    return nil
  }

  /// The number of UTF-16 units of a run of UTF-8. Clears `isLatin1` if one is above 0xFF.
  ///
  /// - Throws: `JSONError` if it is not UTF-8.
  private func units(in run: Range<Int>, _ isLatin1: inout Bool) throws(JSONError) -> Int {
    var (offset, count) = (run.lowerBound, 0)
    while offset < run.upperBound {
      while run.upperBound - offset >= 8,
        base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        (offset, count) = (offset + 8, count + 8)
      }
      guard offset < run.upperBound else { break }
      if byte(offset) < 0x80 {
        (offset, count) = (offset + 1, count + 1)
        continue
      }
      var iterator = UnsafeRawBufferPointer(
        start: base + offset, count: min(4, run.upperBound - offset)
      ).makeIterator()
      var decoder = UTF8()
      guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
        throw JSONError(.invalidUTF8, offset: offset)
      }
      offset += UTF8.width(scalar)
      count += UTF16.width(scalar)
      if scalar.value > 0xFF { isLatin1 = false }
    }
    return count
  }
}
