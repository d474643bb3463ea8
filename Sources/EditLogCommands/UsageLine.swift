/// Wraps the usage line of a help text, which the argument parser writes as one line. That of `log` has 600
/// characters.
enum UsageLine {
  private static let titles = ["USAGE: ", "Usage: "]

  /// The help text with its usage line wrapped to `width` columns. An option and its value stay on one line.
  static func wrapped(_ text: String, width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let title = titles.first(where: { line.hasPrefix($0) }), line.displayWidth > width
      else {
        return String(line)
      }
      let indent = String(repeating: " ", count: title.count + 2)
      var lines = [""]
      for word in words(line) {
        let longer = lines[lines.count - 1].isEmpty ? word : lines[lines.count - 1] + " " + word
        if longer.displayWidth <= width || lines[lines.count - 1].isEmpty {
          lines[lines.count - 1] = longer
        } else {
          lines.append(indent + word)
        }
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The words of a line; what is in brackets is one word, and so is an option with its value.
  private static func words(_ line: Substring) -> [String] {
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
