package import EditModel

/// UTF-16 units as bytes, with one encoding for each sequence of units: UTF-8 in which a lone
/// surrogate is three bytes (Simon Sapin, "The WTF-8 encoding").
package enum WTF8 {
  /// The maximum number of bytes for one unit; a pair takes 4.
  package static let bytesPerUnitMax = 3

  /// Bytes in the encoding of `units`. O(n).
  package static func size(of units: UnsafeBufferPointer<UInt16>) -> Int {
    var size = 0
    var index = 0
    while index < units.count {
      let unit = units[index]
      let pair = isHigh(unit) && index + 1 < units.count && isLow(units[index + 1])
      size += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3
      index += pair ? 2 : 1
    }
    return size
  }

  /// Bytes in the encoding of `text`. O(n).
  package static func size(of text: UTF16Text) -> Int {
    if let latin1 = text.latin1 { return latin1.reduce(0) { $0 + ($1 < 0x80 ? 1 : 2) } }
    return text.units.withUnsafeBufferPointer { size(of: $0) }
  }

  /// Appends the encoding of `text` to `writer`. O(n).
  @inline(__always)
  package static func encode(_ text: UTF16Text, to writer: inout ByteWriter) {
    if let latin1 = text.latin1 {
      latin1.withUnsafeBufferPointer { encode(latin1: $0, to: &writer) }
    } else {
      text.withUnits { units in units.withUnsafeBufferPointer { encode($0, to: &writer) } }
    }
  }

  /// Appends the encoding of units below 0x100 to `writer`. O(n).
  static func encode(latin1 units: UnsafeBufferPointer<UInt8>, to writer: inout ByteWriter) {
    if units.reduce(0, |) < 0x80 { return writer.write(bytes: UnsafeRawBufferPointer(units)) }
    writer.write(sizeMax: 2 * units.count) { target in
      var size = 0
      for unit in units {
        if unit < 0x80 {
          target[size] = unit
          size &+= 1
        } else {
          size &+= put(UInt32(unit), at: target + size)
        }
      }
      return size
    }
  }

  /// Appends the encoding of `units` to `writer`. O(n).
  package static func encode(_ units: UnsafeBufferPointer<UInt16>, to writer: inout ByteWriter) {
    guard let source = units.baseAddress else { return }
    var start = 0
    while start < units.count {
      // In pieces, so that memory for the worst case is needed only for one of them.
      var end = min(units.count, start + pieceSize)
      if end < units.count, isHigh(units[end - 1]) { end -= 1 }
      let piece = UnsafeBufferPointer(start: source + start, count: end - start)
      writer.write(sizeMax: piece.count * bytesPerUnitMax) { encode(piece, at: $0) }
      start = end
    }
  }

  private static let pieceSize = 1 << 16

  @inline(__always)
  private static func encode(
    _ units: UnsafeBufferPointer<UInt16>, at target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    guard let source = units.baseAddress else { return 0 }
    var (index, size) = (0, 0)
    while index < units.count {
      if index &+ 8 <= units.count, narrow(source + index, to: target + size) {
        index &+= 8
        size &+= 8
        continue
      }
      let unit = source[index]
      index &+= 1
      if unit < 0x80 {
        target[size] = UInt8(truncatingIfNeeded: unit)
        size &+= 1
      } else if isHigh(unit), index < units.count, isLow(source[index]) {
        size &+= put(scalar(unit, source[index]), at: target + size)
        index &+= 1
      } else {
        size &+= put(UInt32(unit), at: target + size)
      }
    }
    return size
  }

  /// Reads a text of `count` units from `reader`. A long text of ASCII is kept as bytes.
  ///
  /// - Throws: as `decode`.
  package static func decodeText(
    _ count: Int, from reader: inout ByteReader
  ) throws(CodecError) -> UTF16Text {
    if count >= UTF16Text.latin1CountMin, count <= reader.remaining {
      let bytes = reader.rest[..<count]
      if bytes.allSatisfy({ $0 < 0x80 }) {
        reader.skip(count)
        return UTF16Text(latin1: [UInt8](bytes))
      }
    }
    return UTF16Text(units: try decode(count, from: &reader))
  }

  /// Reads `count` units from `reader`.
  ///
  /// - Throws: `CodecError` if the bytes are not the one encoding of `count` units: cut short,
  ///   over-long, past U+10FFFF, a pair as two times three bytes, or a pair cut by the end of the
  ///   units. Nothing is allocated unless the remaining bytes can hold `count` units.
  package static func decode(_ count: Int, from reader: inout ByteReader) throws(CodecError)
    -> [UInt16]
  {
    // A unit takes at least one byte, so the remaining bytes bound the allocation.
    guard count >= 0, count <= reader.remaining else { throw reader.error(.truncated) }
    if count == 1, let unit = reader.rest.first, unit < 0x80 {
      reader.skip(1)
      return ASCIIUnits.text(unit)
    }
    var failure: CodecError?
    let units = [UInt16](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let target = buffer.baseAddress else { return }
      do throws(CodecError) {
        try decode(count, from: &reader, into: target)
        initialized = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return units
  }

  private static func decode(
    _ count: Int, from reader: inout ByteReader, into target: UnsafeMutablePointer<UInt16>
  ) throws(CodecError) {
    let bytes = reader.rest
    var (index, offset) = (0, 0)
    defer { reader.skip(offset) }
    guard let source = bytes.baseAddress else { return }
    var afterHigh = false
    while index < count {
      if index &+ 8 <= count, offset &+ 8 <= bytes.count,
        widen(source + offset, to: target + index)
      {
        index &+= 8
        offset &+= 8
        afterHigh = false
        continue
      }
      guard let (value, size) = scalar(bytes, offset) else { throw reader.error(offset, .wtf8) }
      if value >= 0x1_0000 {
        guard index &+ 2 <= count else { throw reader.error(offset, .wtf8) }
        target[index] = UInt16(truncatingIfNeeded: 0xD7C0 &+ (value >> 10))
        target[index &+ 1] = UInt16(truncatingIfNeeded: 0xDC00 | (value & 0x3FF))
        index &+= 2
        afterHigh = false
      } else {
        let unit = UInt16(truncatingIfNeeded: value)
        guard !(afterHigh && isLow(unit)) else { throw reader.error(offset, .wtf8) }
        target[index] = unit
        index &+= 1
        afterHigh = isHigh(unit)
      }
      offset &+= size
    }
  }

  /// The number at `offset` and its bytes; nil if there is none in its shortest form.
  @inline(__always)
  private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int)
    -> (value: UInt32, size: Int)?
  {
    guard offset < bytes.count else { return nil }
    let lead = UInt32(bytes[offset])
    if lead < 0x80 { return (lead, 1) }
    let size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard lead >= 0xC2, lead <= 0xF4, offset &+ size <= bytes.count else { return nil }
    var value = lead & (0x7F >> UInt32(size))
    for index in offset &+ 1..<offset &+ size {
      let byte = UInt32(bytes[index])
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | (byte & 0x3F)
    }
    let least: UInt32 = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x1_0000
    return value >= least && value <= 0x10_FFFF ? (value, size) : nil
  }

  @inline(__always)
  private static func put(_ value: UInt32, at target: UnsafeMutablePointer<UInt8>) -> Int {
    @inline(__always) func tail(_ shift: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: (value >> shift) & 0x3F | 0x80)
    }
    if value < 0x800 {
      target[0] = UInt8(truncatingIfNeeded: value >> 6 | 0xC0)
      target[1] = tail(0)
      return 2
    }
    if value < 0x1_0000 {
      target[0] = UInt8(truncatingIfNeeded: value >> 12 | 0xE0)
      (target[1], target[2]) = (tail(6), tail(0))
      return 3
    }
    target[0] = UInt8(truncatingIfNeeded: value >> 18 | 0xF0)
    (target[1], target[2], target[3]) = (tail(12), tail(6), tail(0))
    return 4
  }

  /// Copies eight units as bytes if all are ASCII.
  @inline(__always)
  private static func narrow(
    _ source: UnsafePointer<UInt16>, to target: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let units = UnsafeRawPointer(source).loadUnaligned(as: SIMD8<UInt16>.self)
    guard (units & 0xFF80) == SIMD8<UInt16>.zero else { return false }
    UnsafeMutableRawPointer(target).storeBytes(
      of: SIMD8<UInt8>(truncatingIfNeeded: units), as: SIMD8<UInt8>.self)
    return true
  }

  /// Copies eight bytes as units if all are ASCII.
  @inline(__always)
  private static func widen(
    _ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt16>
  ) -> Bool {
    let bytes = UnsafeRawPointer(source).loadUnaligned(as: UInt64.self)
    guard bytes & 0x8080_8080_8080_8080 == 0 else { return false }
    UnsafeMutableRawPointer(target).storeBytes(
      of: SIMD8<UInt16>(truncatingIfNeeded: unsafeBitCast(bytes, to: SIMD8<UInt8>.self)),
      as: SIMD8<UInt16>.self)
    return true
  }

  @inline(__always)
  static func isHigh(_ unit: UInt16) -> Bool { unit & 0xFC00 == 0xD800 }
  @inline(__always)
  static func isLow(_ unit: UInt16) -> Bool { unit & 0xFC00 == 0xDC00 }
  @inline(__always)
  private static func scalar(_ high: UInt16, _ low: UInt16) -> UInt32 {
    0x1_0000 &+ (UInt32(high & 0x3FF) << 10 | UInt32(low & 0x3FF))
  }
}

/// The 128 texts of one ASCII unit, cached because most edits insert one of them.
enum ASCIIUnits {
  private static let texts = (UInt16(0)..<128).map { [$0] }

  @inline(__always)
  static func text(_ byte: UInt8) -> [UInt16] { texts[Int(byte & 0x7F)] }
}
