/// Which UTF-16 units an XML 1.0 document can have.
enum XMLUnits {
  /// True if `unit`, which is not a surrogate, may stand in a document.
  static func isAllowed(_ unit: UInt16) -> Bool {
    unit >= 0x20 ? unit < 0xFFFE : unit == 0x09 || unit == 0x0A || unit == 0x0D
  }

  /// The scalar of a reference without `&` and `;`: `lt`, `#38` or `#x26`. Nil if it means none.
  static func scalar(of name: some StringProtocol) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard name.first == "#", name.utf8.count <= 10 else { return nil }
    let digits = name.dropFirst()
    let value =
      digits.first == "x"
      ? number(digits.dropFirst(), radix: 16) : number(digits, radix: 10)
    guard let value, let scalar = Unicode.Scalar(value),
      value > 0xFFFF || isAllowed(UInt16(truncatingIfNeeded: value))
    else { return nil }
    return scalar
  }

  /// A number without a sign.
  private static func number(_ digits: some StringProtocol, radix: Int) -> UInt32? {
    digits.first?.isHexDigit == true ? UInt32(digits, radix: radix) : nil
  }

  /// The unit that a text of one reference means. Nil if it is another text.
  static func meaning(of escape: String) -> UInt16? {
    guard escape.first == "&", escape.last == ";", escape.utf8.count > 2 else { return nil }
    return scalar(of: escape.dropFirst().dropLast()).flatMap { UInt16(exactly: $0.value) }
  }
}

/// The names of XML elements and attributes.
enum XMLName {
  /// The maximum size of a name, in bytes of UTF-8.
  static let sizeMax = 256

  /// True if `name` can be that of an element. All characters beyond ASCII are accepted.
  static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= sizeMax else { return false }
    return isStart(first) && name.utf8.allSatisfy(isPart)
  }

  /// True for the first byte of a name.
  static func isStart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x80...: true
    default: false
    }
  }

  /// True for any byte of a name.
  static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x2D, 0x2E: true
    default: isStart(byte)
    }
  }
}
