import TextGrid

extension Character {
  /// Columns that the character takes on a terminal: 0, 1 or 2.
  var displayWidth: Int { isASCII ? 1 : cellWidth }
}

extension Sequence<Character> {
  /// The longest prefix that takes at most `width` columns.
  func prefix(columns width: Int) -> String {
    var rest = width
    return String(
      prefix { character in
        rest -= character.displayWidth
        return rest >= 0
      })
  }
}

extension StringProtocol {
  /// Columns that the text takes on a terminal. O(n).
  var displayWidth: Int {
    // Each ASCII byte is one character, except that CR LF is one.
    if utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) { return utf8.count }
    if let count = simpleScalarCount { return count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The number of scalars if each is a character that takes one column, as in the graphs of tables; nil
  /// if one may not be.
  private var simpleScalarCount: Int? {
    var count = 0
    for scalar in unicodeScalars {
      // ASCII without CR, and lines, blocks and shapes, of which none here is an emoji by itself.
      guard scalar.isASCII && scalar != "\r" || (0x2500...0x25CF).contains(scalar.value) else {
        return nil
      }
      count += 1
    }
    return count
  }

  /// The text, filled with spaces up to `width` columns.
  func padded(to width: Int, right: Bool = false) -> String {
    let fill = String(repeating: " ", count: Swift.max(0, width - displayWidth))
    return right ? fill + String(self) : String(self) + fill
  }

  /// The text as lines of at most `width` columns, broken after spaces if there are any. O(n).
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    var line: [Character] = []
    var (columns, breakIndex) = (0, 0)
    for character in self {
      let characterWidth = character.displayWidth
      if columns + characterWidth > width, !line.isEmpty {
        let end = breakIndex > 0 ? breakIndex : line.count
        lines.append(String(line[..<end]))
        line.removeFirst(end)
        (columns, breakIndex) = (line.reduce(0) { $0 + $1.displayWidth }, 0)
      }
      line.append(character)
      columns += characterWidth
      if character == " " { breakIndex = line.count }
    }
    return lines + [String(line)]
  }
}
