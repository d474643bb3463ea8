/// Wraps the lines of a help text that the argument parser does not wrap well: it leaves the usage line as
/// it is, that of `log` with 600 characters, and the rest of a line of a list it puts in the first column.
enum HelpText {
  private static let titles = ["USAGE: ", "Usage: "]
  /// The rest of a line of a list begins where its text does, if that is not after this column.
  private static let listIndentMax = 24

  /// The help text, which the argument parser has wrapped to `width` columns.
  static func wrapped(_ text: String, width: Int) -> String {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let first = line.first, first != " ", let last = lines.last, last.hasPrefix(" ") {
        lines[lines.count - 1] = last + " " + line
      } else {
        lines.append(String(line))
      }
    }
    return lines.flatMap { line in
      if line.displayWidth <= width { return [line] }
      if let title = titles.first(where: line.hasPrefix) {
        return wrapped(words(line), width: width, indent: title.count + 2)
      }
      guard line.hasPrefix(" ") else { return [line] }
      let start = line.prefix { $0 == " " }.count
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      return wrapped(
        words, width: width, indent: textColumn(of: line) ?? (start > 2 ? start : start + 4))
    }.joined(separator: "\n")
  }

  /// Where the text of a line of a list begins: after the first two spaces.
  private static func textColumn(of line: String) -> Int? {
    var (column, spaces, hasName) = (0, 0, false)
    for character in line {
      if character == " " {
        spaces += 1
      } else {
        if hasName, spaces > 1 { return column <= listIndentMax ? column : nil }
        (hasName, spaces) = (true, 0)
      }
      column += 1
    }
    return nil
  }

  private static func wrapped(_ words: [String], width: Int, indent: Int) -> [String] {
    var (lines, line) = ([String](), words[0])
    for word in words.dropFirst() {
      let longer = line + " " + word
      if longer.displayWidth <= width || line.allSatisfy({ $0 == " " }) {
        line = longer
      } else {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      }
    }
    return lines + [line]
  }

  /// The words of a line; what is in brackets is one word, and so is an option with its value.
  private static func words(_ line: String) -> [String] {
    var (words, depth): ([String], Int) = ([], 0)
    for word in line.split(separator: " ") {
      let isValue =
        word.hasPrefix("<") && words.last.map { $0.hasPrefix("-") && !$0.contains(" ") } ?? false
      if depth > 0 || isValue, let last = words.popLast() {
        words.append("\(last) \(word)")
      } else {
        words.append(String(word))
      }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    return words
  }
}
