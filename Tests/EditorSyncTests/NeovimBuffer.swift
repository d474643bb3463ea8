import EditModel
import EditProtocol

/// A buffer of lines that reports its changes as Neovim 0.7 does. It only knows which lines were
/// replaced, and finds the columns by comparing the first and the last of them. This causes its
/// special forms at the end of the file.
struct NeovimBuffer {
  typealias Line = [Unicode.Scalar]

  private(set) var lines: [Line]
  /// True if the last line has a newline too.
  let endsInNewline: Bool
  let newline: String

  init(lines: [Line], endsInNewline: Bool, newline: String) {
    (self.lines, self.endsInNewline, self.newline) = (lines, endsInNewline, newline)
  }

  var text: UTF16Text {
    UTF16Text(lines.map(Self.string).joined(separator: newline) + (endsInNewline ? newline : ""))
  }

  /// Replaces the lines of `range` by `new`, and returns the change.
  mutating func replace(_ range: Range<Int>, with new: [Line]) -> DidChangeParams.Change {
    let old = lines
    lines.replaceSubrange(range, with: new)
    if lines.isEmpty { lines = [[]] }
    let newEnd = range.lowerBound + new.count
    let start = start(of: range, newEnd: newEnd, in: old)
    let (oldEnd, textEnd) = ends(of: range, newEnd: newEnd, in: old, from: start)
    return DidChangeParams.Change(
      range: LSPRange(start: position(start, in: old), end: position(oldEnd, in: old)),
      text: UTF16Text(text(from: start, to: textEnd)))
  }

  private typealias Place = (line: Int, column: Int)

  private func start(of range: Range<Int>, newEnd: Int, in old: [Line]) -> Place {
    let first = range.lowerBound
    if range.isEmpty { return first > 0 ? (first - 1, old[first - 1].count) : (first, 0) }
    if newEnd == first { return (first, 0) }
    return (first, zip(old[first], lines[first]).prefix { $0 == $1 }.count)
  }

  /// The end of the replaced text in the old lines, and of the replacement in the new ones.
  private func ends(
    of range: Range<Int>, newEnd: Int, in old: [Line], from start: Place
  ) -> (old: Place, new: Place) {
    if newEnd == range.lowerBound { return ((range.upperBound, 0), (range.lowerBound, 0)) }
    if range.isEmpty { return ((range.lowerBound, 0), (newEnd, 0)) }
    let (oldLine, newLine) = (range.upperBound - 1, newEnd - 1)
    var same = 0
    if oldLine == newLine {
      let front = start.line == oldLine ? start.column : 0
      let longest = min(old[oldLine].count, lines[newLine].count) - front
      same = zip(old[oldLine].reversed(), lines[newLine].reversed()).prefix { $0 == $1 }.count
      same = min(same, longest)
    }
    let end = (oldLine, old[oldLine].count - same)
    guard newLine >= start.line else { return (end, (start.line, 0)) }
    return (end, (newLine, lines[newLine].count - same))
  }

  private func text(from start: Place, to end: Place) -> String {
    guard start.line < lines.count else { return "" }
    if start.line == end.line {
      return Self.string(Line(lines[start.line][start.column..<max(start.column, end.column)]))
    }
    let middle = lines[start.line + 1..<end.line]
    let last = end.line < lines.count ? Line(lines[end.line][..<end.column]) : []
    return ([Line(lines[start.line][start.column...])] + middle + [last]).map(Self.string)
      .joined(separator: newline)
  }

  /// A place in UTF-16, as Neovim sends it. Lines after the last have no columns.
  private func position(_ place: Place, in lines: [Line]) -> LSPPosition {
    let line = place.line < lines.count ? lines[place.line] : []
    let column = Self.string(Line(line.prefix(place.column))).utf16.count
    return LSPPosition(line: place.line, character: column)
  }

  private static func string(_ line: Line) -> String {
    String(String.UnicodeScalarView(line))
  }
}
