/// Resolves references to characters in HTML and Markdown: `&amp;`, `&#38;`, `&#x26;`.
enum HTMLReferences {
  /// Where a reference stands. Each place has its own rule for one without a semicolon.
  enum Place {
    /// Text of HTML: old names and numbers need none.
    case text
    /// A value in a tag of HTML: as in text, but a name that `=`, a letter or a digit follows is part of an address.
    case value
    /// Markdown: all need one, and numbers are code points.
    case markdown
  }

  /// The text of some bytes of UTF-8. What is no reference stays as it is. O(n).
  static func resolve(_ bytes: ArraySlice<UInt8>, in place: Place) -> [UInt16] {
    var (result, start, index): ([UInt16], Int, Int) = ([], bytes.startIndex, bytes.startIndex)
    while let next = bytes[index...].firstIndex(of: UInt8(ascii: "&")) {
      index = next + 1
      guard let (units, end) = reference(bytes[next...], in: place) else { continue }
      result += String(decoding: bytes[start..<next], as: UTF8.self).utf16
      result += units
      (start, index) = (end, end)
    }
    return result + String(decoding: bytes[start...], as: UTF8.self).utf16
  }

  /// The units of the reference at the start of `bytes`, and where it ends. Nil if there is none. O(1).
  static func reference(
    _ bytes: ArraySlice<UInt8>, in place: Place
  ) -> (units: [UInt16], end: Int)? {
    let start = bytes.startIndex + 1
    guard start < bytes.endIndex else { return nil }
    return bytes[start] == UInt8(ascii: "#")
      ? number(bytes[(start + 1)...], in: place) : name(bytes[start...], in: place)
  }

  // MARK: Names

  private static func name(
    _ bytes: ArraySlice<UInt8>, in place: Place
  ) -> (units: [UInt16], end: Int)? {
    let name = bytes.prefix(HTMLReferenceNames.sizeMax).prefix(while: isAlphanumeric)
    if name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: ";"),
      let units = HTMLReferenceNames.units(of: name, isOpen: false)
    {
      return (units, name.endIndex + 1)
    }
    guard place != .markdown else { return nil }
    // The longest name that the letters begin with.
    var open = name.prefix(HTMLReferenceNames.openSizeMax)
    while !open.isEmpty {
      if let units = HTMLReferenceNames.units(of: open, isOpen: true) {
        let next = open.endIndex < bytes.endIndex ? bytes[open.endIndex] : 0x20
        let isAddress = place == .value && (next == UInt8(ascii: "=") || isAlphanumeric(next))
        return isAddress ? nil : (units, open.endIndex)
      }
      open = open.dropLast()
    }
    return nil
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  // MARK: Numbers

  private static func number(
    _ bytes: ArraySlice<UInt8>, in place: Place
  ) -> (units: [UInt16], end: Int)? {
    let isHexadecimal = bytes.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let digits = bytes.dropFirst(isHexadecimal ? 1 : 0).prefix { byte in
      (0x30...0x39).contains(byte) || isHexadecimal && (0x61...0x66).contains(byte | 0x20)
    }
    let isClosed = digits.endIndex < bytes.endIndex && bytes[digits.endIndex] == UInt8(ascii: ";")
    guard !digits.isEmpty else { return nil }
    if place == .markdown, !isClosed || digits.count > (isHexadecimal ? 6 : 7) { return nil }
    var value: UInt32 = 0
    for digit in digits where value <= 0x10FFFF {
      value = value * (isHexadecimal ? 16 : 10) + digitValue(digit)
    }
    if place != .markdown, (0x80...0x9F).contains(value) { value = windows[Int(value) - 0x80] }
    let scalar = value == 0 ? nil : Unicode.Scalar(value)
    return (
      Array(String(Character(scalar ?? "\u{FFFD}")).utf16), digits.endIndex + (isClosed ? 1 : 0)
    )
  }

  private static func digitValue(_ digit: UInt8) -> UInt32 {
    UInt32(digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x61 + 10)
  }

  /// What the numbers from 0x80 to 0x9F mean: the characters of Windows-1252.
  private static let windows: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039,
    0x152, 0x8D, 0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC,
    0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
  ]
}
