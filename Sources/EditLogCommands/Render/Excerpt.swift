import EditModel

/// Makes text of a document safe to show on one line of a terminal.
///
/// The result cannot move the cursor, change a colour or reorder the line: control and format
/// characters are escaped.
enum Excerpt {
  /// `text` on one line, cut to `width` columns with `…` at the end; not cut if `width` is nil. If
  /// `isCut`, `text` is only the beginning of a longer text, and `…` is always added.
  static func line(_ text: String, isCut: Bool = false, width: Int?) -> String {
    let room = width.map { isCut ? $0 - 1 : $0 }
    let kept = max(0, (room ?? 0) - (isCut ? 0 : 1))
    if let shown = ascii(text, room) {
      let isLong = room.map { shown.utf8.count > $0 } ?? false
      if !isLong { return shown + (isCut ? "…" : "") }
      if !shown.utf8.contains(UInt8(ascii: "\\")) { return String(shown.prefix(kept)) + "…" }
    }
    var (result, columns) = ("", 0)
    // What remains if the text is cut: no escape is cut.
    var beginning = ""
    for character in text {
      let shown = escape(character)
      columns += shown.displayWidth
      result += shown
      if columns <= kept { beginning = result }
      if let room, columns > room { return beginning + "…" }
    }
    return isCut ? result + "…" : result
  }

  /// The beginning of a text of ASCII as it is shown on one line, longer than `room` if the text is;
  /// nil for any other text. Most lines are such, and characters take ten times as long as bytes.
  private static func ascii(_ text: String, _ room: Int?) -> String? {
    // Each byte takes a column at least.
    let bytes = text.utf8.prefix(room.map { max(0, $0) + 1 } ?? .max)
    var escapeCount = 0
    for byte in bytes {
      switch byte {
      case 0x20..<0x7F: break
      case 0x09, 0x0A, 0x0D: escapeCount += 1
      default: return nil
      }
    }
    return String(unsafeUninitializedCapacity: bytes.count + escapeCount) { buffer in
      var count = 0
      func put(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
      }
      for byte in bytes {
        switch byte {
        case 0x09: "\\t".utf8.forEach(put)
        case 0x0A: "\\n".utf8.forEach(put)
        case 0x0D: "\\r".utf8.forEach(put)
        default: put(byte)
        }
      }
      return count
    }
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

  /// As `line`, between quotation marks, which are part of the width.
  static func quoted(_ text: String, isCut: Bool = false, width: Int?) -> String {
    "\"" + line(text, isCut: isCut, width: width.map { max(1, $0 - 2) }) + "\""
  }

  /// A name as `String.shown` writes it, cut to `width` columns, but not inside an escape.
  static func name(_ text: String, width: Int) -> String {
    let shown = text.shown
    guard shown.displayWidth > width else { return shown }
    let isQuoted = shown.hasPrefix("\"")
    var result = isQuoted ? "\"" : ""
    for scalar in text.unicodeScalars {
      let longer = result + (isQuoted ? scalar.escapedInC : String(scalar))
      guard longer.displayWidth < width else { break }
      result = longer
    }
    return result + "…"
  }

  /// Text that is safe for a terminal, cut to `width` columns with `…` at the end; not cut if nil.
  static func cut(_ text: String, to width: Int?) -> String {
    guard let width, text.displayWidth > width else { return text }
    return text.prefix(columns: max(0, width - 1)) + "…"
  }

  /// As `cut`, but `…` replaces the beginning.
  static func cutFront(_ text: String, to width: Int?) -> String {
    guard let width, text.displayWidth > width else { return text }
    return "…" + String(text.reversed().prefix(columns: max(0, width - 1)).reversed())
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
