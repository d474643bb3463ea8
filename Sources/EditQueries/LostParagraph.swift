import EditModel
import TextState

/// A paragraph of an old version, and the line breaks around it.
struct LostParagraph {
  let old: TextState
  let index: Int
  let range: UTF16Range
  /// The range without the terminator.
  let content: UTF16Range
  /// The terminator; if it has none, that of the paragraph before.
  let terminator: UTF16Text
  /// The empty lines before and after it, as text. At an end of the text those of the other side.
  let (before, after): (UTF16Text, UTF16Text)
  /// The range with all line breaks to the text before and after it.
  let withBreaks: UTF16Range

  /// O(units + empty lines around it · log paragraphs).
  init(_ paragraph: ParagraphDescriptor, of old: TextState) {
    (self.old, range, content) = (old, paragraph.range, old.content(of: paragraph))
    index = old.paragraphIndex(at: paragraph.range.location)
    let own = old.terminator(of: paragraph)
    let last = index > 0 ? old.paragraph(at: index - 1) : nil
    terminator = own.isEmpty ? last.map { old.terminator(of: $0) } ?? "\n" : own
    // Empty lines end before this paragraph and after this one.
    let previous = (0..<index).last(where: old.hasText(at:))
    let next = (index + 1..<max(index + 1, old.paragraphCount)).first(where: old.hasText(at:))
    let start = previous.map { old.paragraph(at: $0).range.upperBound } ?? 0
    let end = next.map { old.paragraph(at: $0).range.location } ?? old.length
    let before = old.text(in: UTF16Range(start..<range.location))
    let after = old.text(in: UTF16Range(range.upperBound..<end))
    self.before = previous == nil && before.isEmpty ? after : before
    self.after = next == nil && after.isEmpty ? before : after
    let first = previous.map { old.content(of: old.paragraph(at: $0)).upperBound } ?? 0
    withBreaks = UTF16Range(first..<end)
  }

  /// The range with all line breaks before it, and without its terminator.
  var withBreaksBefore: UTF16Range { UTF16Range(withBreaks.location..<content.upperBound) }

  /// True if a version has the paragraph at an offset.
  func isThere(at offset: Int, in state: TextState) -> Bool {
    guard offset <= state.length else { return false }
    let paragraph = state.paragraph(at: state.paragraphIndex(at: offset))
    return state.content(of: paragraph) == UTF16Range(offset..<offset + content.length)
  }

  /// True if a version has empty lines around the paragraph at an offset where the old one has some, or no
  /// other text there.
  func isApart(at offset: Int, in state: TextState) -> Bool {
    let index = state.paragraphIndex(at: offset)
    return (before.isEmpty || !state.hasText(at: index - 1))
      && (after.isEmpty || !state.hasText(at: index + 1))
  }
}

extension TextState {
  /// The range of a paragraph without its terminator.
  func content(of paragraph: ParagraphDescriptor) -> UTF16Range {
    let range = paragraph.range
    let end = text(in: UTF16Range(max(range.location, range.upperBound - 2)..<range.upperBound))
      .units
    let length: Int
    switch end.last {
    case 0x0A: length = end.count == 2 && end[0] == 0x0D ? 2 : 1
    case 0x0D, 0x2029: length = 1
    default: length = 0
    }
    return UTF16Range(range.location..<range.upperBound - length)
  }

  /// The terminator of a paragraph; empty if it has none.
  fileprivate func terminator(of paragraph: ParagraphDescriptor) -> UTF16Text {
    text(in: UTF16Range(content(of: paragraph).upperBound..<paragraph.range.upperBound))
  }

  /// True if there is a paragraph with this index, and it is not empty.
  func hasText(at index: Int) -> Bool {
    index >= 0 && index < paragraphCount && !content(of: paragraph(at: index)).isEmpty
  }

  /// The paragraphs in which a range begins and ends, from the start of the first to the end of the last,
  /// without its terminator.
  func lines(of range: UTF16Range) -> UTF16Range {
    let first = paragraph(at: paragraphIndex(at: range.location))
    let last = paragraph(at: paragraphIndex(at: range.upperBound))
    return UTF16Range(first.range.location..<content(of: last).upperBound)
  }
}
