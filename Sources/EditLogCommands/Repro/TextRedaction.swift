/// Replaces the letters and numbers of a text by others of the same kind and width.
///
/// A unit is replaced without regard to its neighbours, except to the other half of its pair. So
/// edits that are redacted one by one make a text with the same lengths in UTF-16 and in UTF-8, the same
/// line breaks, spaces, punctuation, symbols and combining marks as the original, after each of them.
///
/// | character | becomes |
/// | --- | --- |
/// | capital and small letter of 1 byte of UTF-8 | `X`, `x` |
/// | capital, small, other letter of 2 bytes; one that is written from right to left | `Х`, `х` (U+0445), `ƻ`; `א` |
/// | capital, small, other letter of 3 bytes | `Ẍ`, `ẍ`, `ꓫ` |
/// | wide letter: ideograph, hiragana, katakana, Hangul, Yi, fullwidth | `一`, `あ`, `ア`, `가`, `ꀀ`, `Ｘ`, `ｘ` |
/// | letter or number of 4 bytes, ideograph | `𝐱`, `𠀱` |
/// | number of 1, 2, 3 bytes, fullwidth | `0`, `٠`, `०`, `０` |
///
/// A half of a surrogate pair that stands alone becomes a half of one of the characters of 4 bytes.
enum TextRedaction {
  /// The units of a redacted text. O(n).
  static func redacted(_ units: [UInt16]) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(units.count)
    var index = 0
    while index < units.count {
      let unit = units[index]
      index += 1
      switch unit {
      case 0..<0x80: result.append(redacted(ascii: unit))
      case 0xD800..<0xDC00 where index < units.count && isLow(units[index]):
        result += redacted(pair: unit, units[index])
        index += 1
      case 0xD800..<0xDC00: result.append(high(like: unit))
      case 0xDC00..<0xE000: result.append(low)
      default: result.append(redacted(unit))
      }
    }
    return result
  }

  /// A redacted string, which has the size of the original in UTF-8. O(n).
  static func redacted(_ text: String) -> String {
    String(decoding: redacted(Array(text.utf16)), as: UTF16.self)
  }

  private static func redacted(ascii unit: UInt16) -> UInt16 {
    switch unit {
    case 0x41...0x5A: 0x58
    case 0x61...0x7A: 0x78
    case 0x30...0x39: 0x30
    default: unit
    }
  }

  // MARK: Units of their own

  private enum Kind { case capital, small, letter, number, other }

  private static func kind(_ scalar: Unicode.Scalar) -> Kind {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return .other
    case .uppercaseLetter, .titlecaseLetter: return .capital
    case .lowercaseLetter: return .small
    case .modifierLetter, .otherLetter: return .letter
    case .decimalNumber, .letterNumber, .otherNumber: return .number
    default:
      // Letters in circles and squares.
      guard scalar.properties.isAlphabetic else { return .other }
      return scalar.properties.isUppercase ? .capital : .small
    }
  }

  private static func redacted(_ unit: UInt16) -> UInt16 {
    guard let scalar = Unicode.Scalar(unit) else { return unit }
    let kind = kind(scalar)
    guard kind != .other else { return unit }
    if unit < 0x800 { return redacted(unit, kind, ofTwoBytes: ()) }
    if let wide = wide(unit, kind) { return wide }
    switch kind {
    case .capital: return 0x1E8C
    case .small: return 0x1E8D
    case .letter: return 0xA4EB
    case .number: return 0x0966
    case .other: return unit
    }
  }

  private static func redacted(_ unit: UInt16, _ kind: Kind, ofTwoBytes: Void) -> UInt16 {
    switch kind {
    case .capital: 0x0425
    case .small: 0x0445
    case .letter: (0x0590...0x07FF).contains(unit) ? 0x05D0 : 0x01BB
    case .number: 0x0660
    case .other: unit
    }
  }

  /// The unit for a letter or a number of an East Asian script; nil for others.
  private static func wide(_ unit: UInt16, _ kind: Kind) -> UInt16? {
    switch unit {
    case 0x1100...0x115F, 0xA960...0xA97C: 0x1100
    case 0x1160...0x11A7, 0xD7B0...0xD7C6: 0x1161
    case 0x11A8...0x11FF, 0xD7CB...0xD7FB: 0x11A8
    case 0x3041...0x309F: 0x3042
    case 0x30A0...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE: 0x30A2
    case 0x3130...0x318F, 0xAC00...0xD7A3: 0xAC00
    case 0xA000...0xA48F: 0xA000
    case 0xFF10...0xFF19: 0xFF10
    case 0xFF21...0xFF3A: 0xFF38
    case 0xFF41...0xFF5A: 0xFF58
    case 0xFF66...0xFF9F: 0xFF71
    case 0xFFA0...0xFFDC: 0xFFA1
    // Numbers on black squares take one column.
    case 0x3248...0x324F: nil
    case 0x2E80...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF: 0x4E00
    default: nil
    }
  }

  // MARK: Pairs

  /// The second half of the letters of 4 bytes. It has no case, because a half alone has none.
  private static let low: UInt16 = 0xDC31

  private static func isLow(_ unit: UInt16) -> Bool { (0xDC00..<0xE000).contains(unit) }

  /// The first half of an ideograph for that of an ideograph, else that of a letter.
  private static func high(like unit: UInt16) -> UInt16 {
    (0xD840..<0xD8C0).contains(unit) ? 0xD840 : 0xD835
  }

  private static func redacted(pair high: UInt16, _ low: UInt16) -> [UInt16] {
    let value = 0x10000 + (UInt32(high - 0xD800) << 10) + UInt32(low - 0xDC00)
    guard let scalar = Unicode.Scalar(value), kind(scalar) != .other else { return [high, low] }
    return [Self.high(like: high), Self.low]
  }
}
