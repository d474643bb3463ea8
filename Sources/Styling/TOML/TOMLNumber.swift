/// The values of a TOML file that are written without quotes: numbers, `true` and `false`.
enum TOMLNumber {
  /// The value of a word; nil if it is none.
  static func value(of word: String) -> TOMLNode.Value? {
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      return digits(word.dropFirst(2), radix: radix).flatMap { Int64($0, radix: radix) }
        .map { .integer($0) }
    }
    var body = word[...]
    let sign = body.first == "-" || body.first == "+" ? String(body.removeFirst()) : ""
    let whole = body.prefix { $0 != "." && $0 != "e" && $0 != "E" }
    guard let integer = digits(whole, radix: 10), integer.first != "0" || integer == "0" else {
      return nil
    }
    guard whole.endIndex < body.endIndex else {
      return Int64(sign + integer).map { .integer($0) }
    }
    var rest = body[whole.endIndex...]
    var number = sign + integer
    if rest.first == "." {
      let fraction = rest.dropFirst().prefix { $0 != "e" && $0 != "E" }
      guard let found = digits(fraction, radix: 10) else { return nil }
      number += "." + found
      rest = rest[fraction.endIndex...]
    }
    if let exponent = rest.first, exponent == "e" || exponent == "E" {
      rest.removeFirst()
      number += "e"
      if let sign = rest.first, sign == "+" || sign == "-" { number.append(rest.removeFirst()) }
      guard let found = digits(rest, radix: 10) else { return nil }
      number += found
    }
    return Double(number).flatMap { $0.isFinite ? .double($0) : nil }
  }

  /// The digits without the `_` between them; nil if they are not digits, or none.
  private static func digits(_ text: Substring, radix: Int) -> String? {
    var (result, wasDigit) = ("", false)
    for character in text {
      if character == "_" {
        guard wasDigit else { return nil }
        wasDigit = false
        continue
      }
      guard character.isASCII, let value = character.hexDigitValue, value < radix else {
        return nil
      }
      result.append(character)
      wasDigit = true
    }
    return wasDigit ? result : nil
  }
}
