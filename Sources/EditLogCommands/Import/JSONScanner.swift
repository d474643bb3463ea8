/// The place at which JSON text is not what was expected.
struct ScanError: Error, Hashable, Sendable {
  /// Bytes before that place.
  let offset: Int
  /// The expected token, for a message.
  let expected: String
}

/// Reads JSON text from front to back without building a tree, for files of many megabytes.
///
/// The caller asks for the token that must come next. Nothing is read twice. A value that is
/// skipped may be nested 64 levels deep.
struct JSONScanner {
  private let bytes: [UInt8]
  /// Bytes read so far.
  private(set) var offset = 0
  /// Bytes in the text.
  var count: Int { bytes.count }

  /// A scanner at the front of `bytes`.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next byte that is not white space, without taking it; nil at the end.
  mutating func peek() -> UInt8? {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return bytes[offset]
      }
    }
    return nil
  }

  /// Takes `byte`, which must come next.
  mutating func expect(_ byte: UInt8) throws(ScanError) {
    guard peek() == byte else { throw fail("'\(Character(Unicode.Scalar(byte)))'") }
    offset += 1
  }

  /// Takes `byte` if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    offset += 1
    return true
  }

  /// Takes `null` if it comes next.
  mutating func takeNull() -> Bool {
    guard peek() == UInt8(ascii: "n"), bytes[offset...].starts(with: "null".utf8) else {
      return false
    }
    offset += 4
    return true
  }

  /// An integer.
  mutating func integer() throws(ScanError) -> Int {
    _ = peek()
    let negative = take(UInt8(ascii: "-"))
    var (value, digits) = (0, 0)
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
      let scaled = value.multipliedReportingOverflow(by: 10)
      let sum = scaled.partialValue.addingReportingOverflow(Int(bytes[offset] - 0x30))
      guard !scaled.overflow, !sum.overflow else { throw fail("a smaller number") }
      (value, digits, offset) = (sum.partialValue, digits + 1, offset + 1)
    }
    guard digits > 0, !endsInFraction else { throw fail("a whole number") }
    return negative ? -value : value
  }

  private var endsInFraction: Bool {
    offset < bytes.count && [0x2E, 0x45, 0x65].contains(bytes[offset])
  }

  /// A string, as UTF-16 units: an escaped lone surrogate is kept.
  mutating func string() throws(ScanError) -> [UInt16] {
    try expect(UInt8(ascii: "\""))
    var units: [UInt16] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return units
      case UInt8(ascii: "\\"): units.append(try escape())
      case 0..<0x20: throw fail("a string without control characters")
      case 0..<0x80:
        units.append(UInt16(byte))
        offset += 1
      default: try beyondASCII(&units)
      }
    }
    throw fail("the end of a string")
  }

  /// A run of bytes beyond ASCII, which must be UTF-8.
  private mutating func beyondASCII(_ units: inout [UInt16]) throws(ScanError) {
    var end = offset
    while end < bytes.count, bytes[end] >= 0x80 { end += 1 }
    guard let text = String(validating: bytes[offset..<end], as: UTF8.self) else {
      throw fail("UTF-8")
    }
    units.append(contentsOf: text.utf16)
    offset = end
  }

  private mutating func escape() throws(ScanError) -> UInt16 {
    guard offset + 1 < bytes.count else { throw fail("the end of a string") }
    let letter = bytes[offset + 1]
    if letter == UInt8(ascii: "u") { return try unicodeEscape() }
    guard let unit = Self.escapes[letter] else { throw fail("an escape that JSON knows") }
    offset += 2
    return unit
  }

  private mutating func unicodeEscape() throws(ScanError) -> UInt16 {
    guard offset + 6 <= bytes.count else { throw fail("four hexadecimal digits") }
    var value: UInt16 = 0
    for byte in bytes[offset + 2..<offset + 6] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fail("four hexadecimal digits")
      }
      value = value << 4 | UInt16(digit)
    }
    offset += 6
    return value
  }

  private static let escapes: [UInt8: UInt16] = [
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F,
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
    UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]

  /// Takes a value of any kind.
  mutating func skipValue(depth: Int = 0) throws(ScanError) {
    guard depth < 64 else { throw fail("a value nested less deeply") }
    switch peek() {
    case UInt8(ascii: "{"): try skipList(UInt8(ascii: "}"), keyed: true, depth)
    case UInt8(ascii: "["): try skipList(UInt8(ascii: "]"), keyed: false, depth)
    case UInt8(ascii: "\""): _ = try string()
    default: try skipWord()
    }
  }

  private mutating func skipList(
    _ end: UInt8, keyed: Bool, _ depth: Int
  ) throws(ScanError) {
    offset += 1
    if take(end) { return }
    repeat {
      if keyed {
        _ = try string()
        try expect(UInt8(ascii: ":"))
      }
      try skipValue(depth: depth + 1)
    } while take(UInt8(ascii: ","))
    try expect(end)
  }

  /// A number, `true`, `false` or `null`.
  private mutating func skipWord() throws(ScanError) {
    let start = offset
    while offset < bytes.count, Self.isWordByte(bytes[offset]) { offset += 1 }
    if offset == start { throw fail("a value") }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, 0x45, 0x2B, 0x2D, 0x2E: true
    default: false
    }
  }

  /// An error at the place reached.
  func fail(_ expected: String) -> ScanError { ScanError(offset: offset, expected: expected) }
}
