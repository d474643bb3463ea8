/// Wraps the lines of a help text that the argument parser does not wrap well: it leaves the usage line as
/// it is, that of `log` with 600 characters, and the rest of a line of a list it puts in the first column.
enum HelpText {
  private static let titles = ["USAGE: ", "Usage: "]
  /// The rest of a line of a list begins where its text does, if that is not after this column.
  private static let listIndentMax = 32

  /// What the argument parser prints, with the usage line wrapped to `width` columns, and so the lists of a
  /// help text. The parser also prints scripts for shells, which stay as they are.
  static func wrapped(_ text: String, width: Int) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let isHelp = titles.contains { text.hasPrefix($0) } || text.hasPrefix("OVERVIEW: ")
    return (isHelp ? joined(lines) : lines).flatMap { line in
      if line.displayWidth <= width { return [line] }
      if let title = titles.first(where: line.hasPrefix) {
        return wrapped(words(line), width: width, indent: title.count + 2)
      }
      return isHelp && line.hasPrefix(" ") ? wrapped(listLine: line, width: width) : [line]
    }.joined(separator: "\n")
  }

  /// The lines of a help text, with those of lists in one: the parser has begun their other parts in the
  /// first column.
  private static func joined(_ lines: [String]) -> [String] {
    lines.reduce(into: []) { joined, line in
      if let first = line.first, first != " ", let last = joined.last, last.hasPrefix(" ") {
        joined[joined.count - 1] = last + " " + line
      } else {
        joined.append(line)
      }
    }
  }

  private static func wrapped(listLine line: String, width: Int) -> [String] {
    let start = line.prefix { $0 == " " }.count
    // An example is to be copied as it is.
    let examples = ["editlog ", "editlogd ", "printf ", "echo ", "{"]
    if examples.contains(where: line.dropFirst(start).hasPrefix) { return [line] }
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return wrapped(
      words, width: width, indent: textColumn(of: line) ?? (start > 2 ? start : start + 4))
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
