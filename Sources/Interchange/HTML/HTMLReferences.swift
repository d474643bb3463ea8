/// Resolves references to characters in HTML: `&amp;`, `&#38;`, `&#x26;`.
enum HTMLReferences {
  /// The text of some bytes of UTF-8. What is not a known reference stays as it is. CR LF and CR become
  /// LF. O(n).
  static func resolve(_ bytes: ArraySlice<UInt8>) -> [UInt16] {
    var (result, start, index): ([UInt16], Int, Int) = ([], bytes.startIndex, bytes.startIndex)
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "&"):
        guard let (units, end) = reference(bytes[index...]) else { break }
        result += String(decoding: bytes[start..<index], as: UTF8.self).utf16
        result += units
        (start, index) = (end, end - 1)
      case 0x0D:
        result += String(decoding: bytes[start..<index], as: UTF8.self).utf16
        if index + 1 == bytes.endIndex || bytes[index + 1] != 0x0A { result.append(0x0A) }
        start = index + 1
      default: break
      }
      index += 1
    }
    return result + String(decoding: bytes[start...], as: UTF8.self).utf16
  }

  /// The longest reference that is looked for, in bytes.
  private static let sizeMax = 32

  /// The units of the reference at the start of `bytes`, and where it ends. Nil if there is none.
  static func reference(_ bytes: ArraySlice<UInt8>) -> (units: [UInt16], end: Int)? {
    guard let end = bytes.prefix(sizeMax).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let name = String(decoding: bytes[bytes.startIndex + 1..<end], as: UTF8.self)
    if name.first == "#" {
      let digits = name.dropFirst()
      let isHexadecimal = digits.first == "x" || digits.first == "X"
      let text = isHexadecimal ? digits.dropFirst() : digits
      guard text.first?.isHexDigit == true,
        text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
      else { return nil }
      guard let value = UInt32(text, radix: isHexadecimal ? 16 : 10) else {
        return text.contains(where: { !$0.isNumber }) && !isHexadecimal ? nil : ([0xFFFD], end + 1)
      }
      return (Array(String(Character(scalar(value))).utf16), end + 1)
    }
    return names[name].map { (Array($0.utf16), end + 1) }
  }

  /// The character of a number. U+0080 to U+009F mean those of Windows-1252, as in browsers.
  private static func scalar(_ value: UInt32) -> Unicode.Scalar {
    if (0x80...0x9F).contains(value) { return windows[Int(value) - 0x80] }
    return value == 0 ? "\u{FFFD}" : Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private static let windows: [Unicode.Scalar] = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  /// The names that word processors and browsers write most.
  private static let names: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
    "shy": "\u{AD}", "copy": "©", "reg": "®", "trade": "™", "hellip": "…", "mdash": "—",
    "ndash": "–", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”",
    "bdquo": "„", "laquo": "«", "raquo": "»", "lsaquo": "‹", "rsaquo": "›", "bull": "•",
    "middot": "·", "times": "×", "divide": "÷", "plusmn": "±", "deg": "°", "sect": "§",
    "para": "¶", "euro": "€", "pound": "£", "cent": "¢", "yen": "¥", "ensp": "\u{2002}",
    "emsp": "\u{2003}", "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}",
    "lrm": "\u{200E}", "rlm": "\u{200F}", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓",
    "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß",
    "eacute": "é", "egrave": "è", "agrave": "à", "ccedil": "ç", "iexcl": "¡", "iquest": "¿",
  ]
}
