import EditModel

/// The lines of a paragraph in its file, of which those that an edit leaves alone stay as they are.
struct WrappedLines {
  /// A line in its parts: the marks before the text, the text, and a hard line break.
  private struct Line {
    let bytes: ArraySlice<UInt8>
    let start: ArraySlice<UInt8>
    let end: ArraySlice<UInt8>
    /// The text as it is read if no style goes on from line to line.
    let units: [Unit]
    /// What is between it and the next line in the text.
    let joint: UInt16
  }

  private struct Unit: Hashable {
    let unit: UInt16
    let style: InlineMarkup
  }

  private let lines: [Line]

  /// The lines of the text of a paragraph; nil if it is one line.
  init?(_ source: [UInt8], _ references: LinkReferences) {
    let lines = source.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.count > 1 else { return nil }
    self.lines = lines.enumerated().map { index, bytes in
      let marks: [UInt8] = index == 0 ? [] : [0x20, 0x09, 0x3E]
      let body = bytes.drop { marks.contains($0) }
      var text = body
      if index < lines.count - 1 {
        if text.last == 0x5C { text.removeLast() }
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
      }
      let end = bytes[text.endIndex...]
      let isHard = end.last == 0x5C || end.count >= 2 && end.allSatisfy { $0 == 0x20 }
      var inline = MarkdownInline(Array(text), references)
      let units = inline.pieces().flatMap { piece in
        piece.units.map { Unit(unit: $0, style: piece.style) }
      }
      return Line(
        bytes: bytes, start: bytes[..<body.startIndex], end: end, units: units,
        joint: isHard ? 0x2028 : 0x20)
    }
  }

  /// The source of a paragraph that was edited: the first and the last lines as far as they are the same, and
  /// between them one line anew. O(n).
  func text(for paragraph: MarkupParagraph) -> [UInt8] {
    var rest = paragraph.pieces.flatMap { piece in
      piece.units.map { Unit(unit: $0, style: piece.style) }
    }[...]
    var (first, last) = (0, lines.count)
    while first < lines.count - 1, let length = length(of: lines[first], in: rest) {
      rest.removeFirst(length)
      first += 1
    }
    while last - 1 > first,
      let length = length(of: lines[last - 1], after: lines[last - 2], in: rest)
    {
      rest.removeLast(length)
      last -= 1
    }
    var pieces: [(units: ArraySlice<UInt16>, style: InlineMarkup)] = []
    for next in rest {
      if pieces.last?.style == next.style {
        pieces[pieces.count - 1].units.append(next.unit)
      } else {
        pieces.append(([next.unit], next.style))
      }
    }
    var (content, losses) = (MarkdownContent(pieces), Losses())
    content.write(noting: &losses)
    let line = lines[first].start + content.output + (last < lines.count ? lines[last - 1].end : [])
    let all =
      lines[..<first].map { Array($0.bytes) } + [Array(line)]
      + lines[last...].map { Array($0.bytes) }
    return Array(all.joined(separator: CollectionOfOne(0x0A)))
  }

  /// The length of a line and its joint at the beginning of a text; nil if they are not there.
  private func length(of line: Line, in text: ArraySlice<Unit>) -> Int? {
    guard text.starts(with: line.units), text.dropFirst(line.units.count).first?.unit == line.joint
    else { return nil }
    return line.units.count + 1
  }

  /// The length of a line and of the joint before it at the end of a text; nil if they are not there.
  private func length(of line: Line, after before: Line, in text: ArraySlice<Unit>) -> Int? {
    let start = text.dropLast(line.units.count)
    guard text.suffix(line.units.count).elementsEqual(line.units), start.last?.unit == before.joint
    else { return nil }
    return line.units.count + 1
  }
}
