extension TOMLReader {
  /// A string of one of the four kinds; nil if none begins here.
  mutating func string(mayHaveLines: Bool) throws(RulesError) -> String? {
    let start = place
    guard let quote = peek, quote == "\"" || quote == "'" else { return nil }
    let three = String(repeating: Character(quote), count: 3)
    let hasLines = take(three)
    if hasLines {
      guard mayHaveLines else { throw RulesError(start, "a key must be on one line") }
      // An end of line right after the quotes is not part of the string.
      if peek == "\r", peek(at: 1) == "\n" { advance() }
      _ = take("\n")
    } else {
      advance()
    }
    var text = ""
    while let scalar = peek {
      if scalar == quote {
        guard hasLines else {
          advance()
          return text
        }
        if take(three) {
          // Up to two quotes may stand before the last three.
          for _ in 0..<2 where take(quote) { text.unicodeScalars.append(quote) }
          return text
        }
      }
      if scalar == "\\", quote == "\"" {
        try escape(into: &text, hasLines: hasLines)
        continue
      }
      if scalar == "\n" || scalar == "\r" && peek(at: 1) == "\n" {
        guard hasLines else { break }
      } else {
        try refuseControl(scalar)
      }
      text.unicodeScalars.append(scalar)
      advance()
    }
    throw RulesError(start, "the string has no end")
  }

  /// Reads an escape, which begins with the next character.
  private mutating func escape(into text: inout String, hasLines: Bool) throws(RulesError) {
    let start = place
    advance()
    guard let scalar = peek else { throw RulesError(start, "the string has no end") }
    let plain: [Unicode.Scalar: Unicode.Scalar] = [
      "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "e": "\u{1B}", "\"": "\"",
      "\\": "\\",
    ]
    if let result = plain[scalar] {
      advance()
      text.unicodeScalars.append(result)
    } else if scalar == "u" || scalar == "U" {
      advance()
      text.unicodeScalars.append(try number(digits: scalar == "u" ? 4 : 8, start))
    } else if hasLines, endsLine {
      while let space = peek, space == " " || space == "\t" || space == "\n" || space == "\r" {
        advance()
      }
    } else {
      throw RulesError(
        start,
        """
        there is no escape \\\(scalar); in a string in single quotes \\ is a character like any other
        """)
    }
  }

  /// True if only spaces follow on the line.
  private var endsLine: Bool {
    var distance = 0
    while let scalar = peek(at: distance), scalar == " " || scalar == "\t" || scalar == "\r" {
      distance += 1
    }
    return peek(at: distance) == "\n"
  }

  private mutating func number(
    digits: Int, _ start: TextPlace
  ) throws(RulesError) -> Unicode.Scalar {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let scalar = peek, let digit = Character(scalar).hexDigitValue, scalar.isASCII else {
        throw RulesError(start, "this escape must have \(digits) hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw RulesError(start, "this escape is not the number of a character")
    }
    return scalar
  }
}
