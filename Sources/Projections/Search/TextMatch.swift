public import EditModel
import TextState

/// A match of a pattern, from the edit after which its units match to the edit after which they do not.
public struct TextMatch: Hashable, Sendable {
  /// The matched text.
  public let text: UTF16Text
  /// The paragraph in which it begins, after the edit `appeared`.
  public let paragraph: ParagraphID
  /// Its start, in UTF-16 units of the version in which it appeared.
  public let location: Int
  /// The lines around it in that version, without the last terminator. If they are long, only what is
  /// within `TextMatches.contextLength` units of the match.
  public let context: UTF16Text
  /// Its start in `context`, in UTF-16 units.
  public let contextLocation: Int
  /// The edit after which it was first there.
  public let appeared: EditStamp
  /// The first edit after which it was not there; nil while it lives.
  public internal(set) var vanished: EditStamp?
  /// Its start, in UTF-16 units of the last version; nil if it vanished.
  public internal(set) var livingLocation: Int?
  /// Where it was before it vanished; nil while it lives.
  public internal(set) var last: Place?

  /// A place of a match in a version.
  public struct Place: Hashable, Sendable {
    /// Its start, in UTF-16 units.
    public let location: Int
    /// As the context of a match.
    public let context: UTF16Text
    /// Its start in `context`, in UTF-16 units.
    public let contextLocation: Int

    /// - Parameter text: The text in a range, which may reach over the ends of the version.
    init(_ range: Range<Int>, withLinesOf text: (Range<Int>) -> UTF16Text) {
      location = range.lowerBound
      let before = text(range.lowerBound - TextMatches.contextLength..<range.lowerBound).units
      let after = text(range.upperBound..<range.upperBound + TextMatches.contextLength).units
      let head = before[(before.lastIndex { $0.endsLine }.map { $0 + 1 } ?? 0)...]
      contextLocation = head.count
      context = UTF16Text(
        units: head + text(range).units + after.prefix { !$0.endsLine })
    }
  }

  init(_ range: Range<Int>, in state: TextState, _ stamp: EditStamp) {
    text = state.text(in: UTF16Range(range))
    location = range.lowerBound
    appeared = stamp
    let index = state.paragraphIndex(at: range.lowerBound)
    let first = state.paragraph(at: index)
    paragraph = first.id
    let end =
      range.upperBound <= first.range.upperBound
      ? state.contentEnd(of: first.range)
      : state.contentEnd(
        of: state.paragraph(at: state.paragraphIndex(at: range.upperBound - 1)).range)
    let lower = max(first.range.location, range.lowerBound - TextMatches.contextLength)
    let upper = max(range.upperBound, min(end, range.upperBound + TextMatches.contextLength))
    context = state.text(in: UTF16Range(lower..<upper))
    contextLocation = range.lowerBound - lower
  }

  /// The UTF-16 units that it keeps.
  package var size: Int { text.count + context.count + (last?.context.count ?? 0) }
}

extension TextState {
  /// The end of a paragraph's text, before its terminator. O(log n).
  func contentEnd(of paragraph: UTF16Range) -> Int {
    var end = paragraph.upperBound
    guard end > paragraph.location, self[end - 1].endsLine else { return end }
    end -= 1
    if end > paragraph.location, self[end] == 0x0A, self[end - 1] == 0x0D { end -= 1 }
    return end
  }
}
