import EditModel

extension JSONParser {
  /// Sets the high bit of each byte that ends a plain run of a string: a quote, a backslash, a
  /// control character. Only the lowest set bit is exact; those above it may be wrong.
  @inline(__always)
  static func specials(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let marks =
      ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
      | ((word &- (ones &* 0x20)) & ~word)
    return marks & (ones &* 0x80)
  }

  /// The offset of the next quote, backslash or control character, starting at `offset`; `end` if
  /// there is none.
  func special(from offset: Int) -> Int { special(from: offset, before: end) }

  /// As `special(from:)`, with an earlier end.
  func special(from offset: Int, before end: Int) -> Int {
    var offset = offset
    while end - offset >= 8 {
      let marks = Self.specials(
        base.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
      if marks != 0 { return offset + marks.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < end {
      let byte = byte(offset)
      if byte == 0x22 || byte == 0x5C || byte < 0x20 { return offset }
      offset += 1
    }
    return end
  }

  /// Reads a string. Its opening quote is the next byte.
  mutating func string() throws(JSONError) -> JSONString {
    index += 1
    let start = index
    let stop = special(from: start)
    if let frame, stop - start >= RawString.sizeMin || stop < end && byte(stop) == 0x5C,
      let raw = try rawString(in: frame)
    {
      return JSONString(raw)
    }
    guard stop < end, byte(stop) == 0x22 else { return try escapedString(from: start) }
    index = stop + 1
    let bytes = UnsafeRawBufferPointer(start: base + start, count: stop - start)
    guard let string = Self.string(bytes) else {
      throw JSONError(.invalidUTF8, offset: start + Self.validPrefix(of: bytes))
    }
    return JSONString(string)
  }

  /// The string of these bytes; nil if they are not UTF-8.
  private static func string(_ bytes: UnsafeRawBufferPointer) -> String? {
    // `String(validating:as:)` looks up the metadata of its generic types on each call.
    bytes.allSatisfy { $0 < 0x80 }
      ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  /// Reads a string with escapes. It is decoded as UTF-8, or as UTF-16 if it has a lone surrogate.
  private mutating func escapedString(from start: Int) throws(JSONError) -> JSONString {
    scratch.removeAll(keepingCapacity: true)
    index = start
    while true {
      let stop = special(from: index)
      scratch.append(contentsOf: UnsafeRawBufferPointer(start: base + index, count: stop - index))
      index = stop
      guard index < end else { throw unexpected("'\"'") }
      switch byte(index) {
      case 0x22:
        index += 1
        guard let string = String(validating: scratch, as: UTF8.self) else {
          throw invalidUTF8(from: start)
        }
        return JSONString(string)
      case 0x5C:
        guard try scalarEscape() else { return try unitString(from: start) }
      default: throw JSONError(.controlCharacter(byte(index)), offset: index)
      }
    }
  }

  /// Decodes one escape, or a pair of them, into `scratch`. Returns false at a lone surrogate.
  private mutating func scalarEscape() throws(JSONError) -> Bool {
    let unit = try escape()
    if let scalar = Unicode.Scalar(unit) {
      scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      return true
    }
    guard UTF16.isLeadSurrogate(unit), peek == 0x5C else { return false }
    let next = try escape()
    guard UTF16.isTrailSurrogate(next) else { return false }
    let pair = UTF16.decode(UTF16.EncodedScalar([unit, next]))
    scratch.append(contentsOf: UTF8.encode(pair) ?? UTF8.encodedReplacementCharacter)
    return true
  }

  /// Reads the string as UTF-16 units, starting at its first byte.
  private mutating func unitString(from start: Int) throws(JSONError) -> JSONString {
    var units: [UInt16] = []
    index = start
    while true {
      let stop = special(from: index)
      let bytes = UnsafeRawBufferPointer(start: base + index, count: stop - index)
      guard let run = String(validating: bytes, as: UTF8.self) else {
        throw JSONError(.invalidUTF8, offset: index + Self.validPrefix(of: bytes))
      }
      units.append(contentsOf: run.utf16)
      index = stop
      guard index < end else { throw unexpected("'\"'") }
      switch byte(index) {
      case 0x22:
        index += 1
        return JSONString(UTF16Text(units: units))
      case 0x5C: units.append(try escape())
      default: throw JSONError(.controlCharacter(byte(index)), offset: index)
      }
    }
  }

  /// Reads an escape, and returns its UTF-16 unit. Its backslash is the next byte.
  mutating func escape() throws(JSONError) -> UInt16 {
    let start = index
    index += 1
    guard index < end else { throw unexpected("an escape") }
    defer { index += 1 }
    switch byte(index) {
    case UInt8(ascii: "\""): return 0x22
    case UInt8(ascii: "\\"): return 0x5C
    case UInt8(ascii: "/"): return 0x2F
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"): return try hexUnit()
    default: throw JSONError(.invalidEscape, offset: start)
    }
  }

  /// Reads the four digits after a `u`. `index` is then at the last of them.
  private mutating func hexUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      index += 1
      guard let digit = Self.hexDigit(peek) else { throw unexpected("four hexadecimal digits") }
      unit = unit << 4 | digit
    }
    return unit
  }

  private static func hexDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The error for a string whose decoded bytes are not UTF-8. Escapes are ASCII and decode to
  /// whole scalars, so the error is at the first raw byte that is not UTF-8.
  private func invalidUTF8(from start: Int) -> JSONError {
    let bytes = UnsafeRawBufferPointer(start: base + start, count: index - start)
    return JSONError(.invalidUTF8, offset: start + Self.validPrefix(of: bytes))
  }

  /// The number of bytes at the start of `bytes` that are UTF-8.
  static func validPrefix(of bytes: UnsafeRawBufferPointer) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var valid = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      valid += UTF8.width(scalar)
    }
    return valid
  }
}
