import EditModel

/// Text of a document as it can be shown on one line of a terminal.
///
/// Nothing in it can move the cursor, change a colour or reorder the line: control and format
/// characters appear as escapes.
enum Excerpt {
  /// `text` on one line, cut to `width` columns with `…` behind it; nil for no cut.
  static func line(_ text: String, width: Int?) -> String {
    var (result, columns) = ("", 0)
    for character in text {
      let shown = escape(character)
      let shownWidth = shown.displayWidth
      if let width, columns + shownWidth > width {
        return cut(result, to: max(0, width - 1)) + "…"
      }
      result += shown
      columns += shownWidth
    }
    return result
  }

  /// `text` as it can be shown on a terminal: ends of lines and tabs stay, all else that does not show
  /// itself appears as an escape.
  static func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { !$0.showsItself && $0 != "\n" && $0 != "\t" })
    else { return text }
    return text.unicodeScalars.reduce(into: "") {
      if $1 == "\n" || $1 == "\t" { $0.unicodeScalars.append($1) } else { $0 += escape($1) }
    }
  }

  /// As `line`, between quotation marks, which count.
  static func quoted(_ text: String, width: Int?) -> String {
    "\"" + line(text, width: width.map { max(1, $0 - 2) }) + "\""
  }

  /// A name as `String.shown` has it, cut to `width` columns.
  static func name(_ text: String, width: Int) -> String { line(text.shown, width: width) }

  private static func cut(_ text: String, to width: Int) -> String {
    var (text, columns) = (text, text.displayWidth)
    while columns > width, let last = text.popLast() { columns -= last.displayWidth }
    return text
  }

  private static func escape(_ character: Character) -> String {
    if character.isASCII, let ascii = character.asciiValue, (0x20..<0x7F).contains(ascii) {
      return String(character)
    }
    return character.unicodeScalars.reduce(into: "") { $0 += escape($1) }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case _ where scalar.showsItself: String(scalar)
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }
}
