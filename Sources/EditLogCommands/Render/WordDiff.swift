/// Turns the lines of a unified diff into lines in which the changed words are marked.
///
/// Removed and added lines that follow one another are compared word by word. A word is a run of
/// letters and digits, a run of white space, or any other character. The standard library finds the
/// difference (Myers, "An O(ND) difference algorithm and its variations", 1986); a change of more
/// than `tokenCountMax` words is marked as a whole.
struct WordDiff {
  private let style: Style
  private var (removed, added): ([Substring], [Substring]) = ([], [])
  private var isInHeader = true

  /// The maximum number of words of a change that are compared.
  static let tokenCountMax = 4_000

  init(_ style: Style) { self.style = style }

  /// The marked lines for the next lines of a unified diff, each ended by LF. Changed lines are kept
  /// until the first line after them.
  mutating func take(_ unified: String) -> String {
    var result = ""
    // Lines end with LF alone: a CR before it is part of the text.
    for line in unified.utf8.split(separator: 0x0A) {
      result += take(line: String(decoding: line, as: UTF8.self)[...])
    }
    return result
  }

  /// The lines that are still kept.
  mutating func finish() -> String { flush() }

  private mutating func take(line: Substring) -> String {
    if line.hasPrefix("@@") { isInHeader = false }
    if isInHeader { return style.paint(String(line), .header) + "\n" }
    switch line.utf8.first {
    case UInt8(ascii: "-"):
      // A removed line after added ones is the next change.
      let before = added.isEmpty ? "" : flush()
      removed.append(line.dropFirst())
      return before
    case UInt8(ascii: "+"):
      added.append(line.dropFirst())
      return ""
    case UInt8(ascii: "\\"): return ""
    case UInt8(ascii: "@"): return flush() + style.paint(String(line), .hunk) + "\n"
    default: return flush() + line.dropFirst() + "\n"
    }
  }

  private mutating func flush() -> String {
    defer { (removed, added) = ([], []) }
    if removed.isEmpty, added.isEmpty { return "" }
    let (old, new) = (Self.words(of: removed), Self.words(of: added))
    guard old.count + new.count <= Self.tokenCountMax else {
      return mark(old[...], new[...]) + "\n"
    }
    var (result, oldEnd, newEnd) = ("", 0, 0)
    for (oldPlace, newPlace) in Self.common(old, new) {
      result += mark(old[oldEnd..<oldPlace], new[newEnd..<newPlace]) + new[newPlace]
      (oldEnd, newEnd) = (oldPlace + 1, newPlace + 1)
    }
    return result + mark(old[oldEnd...], new[newEnd...]) + "\n"
  }

  /// The words that are on both sides, as pairs of places.
  private static func common(_ old: [Substring], _ new: [Substring]) -> [(Int, Int)] {
    var (isRemoved, isInserted) = (Set<Int>(), Set<Int>())
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): isRemoved.insert(offset)
      case .insert(let offset, _, _): isInserted.insert(offset)
      }
    }
    let left = old.indices.filter { !isRemoved.contains($0) }
    let right = new.indices.filter { !isInserted.contains($0) }
    return Array(zip(left, right))
  }

  /// Removed words, then added ones, in colour or in brackets.
  private func mark(_ old: ArraySlice<Substring>, _ new: ArraySlice<Substring>) -> String {
    func mark(_ words: ArraySlice<Substring>, _ role: Style.Role, _ open: String, _ close: String)
      -> String
    {
      if words.isEmpty { return "" }
      let text = words.joined()
      return style.isColoured ? style.paint(text, role) : open + text + close
    }
    return mark(old, .removed, "[-", "-]") + mark(new, .added, "{+", "+}")
  }

  /// The words of lines, with an LF between two lines.
  private static func words(of lines: [Substring]) -> [Substring] {
    var words: [Substring] = []
    for (index, line) in lines.enumerated() {
      if index > 0 { words.append("\n") }
      var start = line.startIndex
      while start < line.endIndex {
        let kind = Kind(line[start])
        var end = line.index(after: start)
        while kind != .other, end < line.endIndex, Kind(line[end]) == kind {
          end = line.index(after: end)
        }
        words.append(line[start..<end])
        start = end
      }
    }
    return words
  }

  private enum Kind {
    case word, space, other

    init(_ character: Character) {
      self =
        character.isLetter || character.isNumber || character == "_"
        ? .word : character.isWhitespace ? .space : .other
    }
  }
}
