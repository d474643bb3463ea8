public import EditModel
public import TextState

/// Makes an address a link as soon as it was typed: when a space or Return is about to be typed after it.
///
/// This is for the program that logs the typing: the action that it gets is an edit like any other, which
/// it appends before the space. An address that ends before the caret, or goes on after it, is none.
public enum AutomaticLink {
  /// The attribute of a link. Its value is the address.
  public static let attribute = "link"

  /// The edit of attributes that makes a link of the address that ends at the caret; nil if there is
  /// none, or if it is a link already.
  ///
  /// O(log n), and O(units) of at most two times `URLFinder.lengthMax` units around the caret.
  ///
  /// - Parameters:
  ///   - typed: What is about to be typed. Only a space or one terminator of a paragraph makes a link.
  ///   - caret: Where, in UTF-16 units. A place outside the text has no link.
  ///   - state: The version before.
  public static func action(
    beforeTyping typed: UTF16Text, at caret: Int, in state: TextState
  ) -> EditAction? {
    let triggers: [UTF16Text] = [" ", "\n", "\r", "\r\n", "\u{2029}"]
    guard triggers.contains(typed), caret > 0, caret <= state.length else { return nil }
    let paragraph = state.paragraph(at: state.paragraphIndex(at: caret))
    let start = max(paragraph.range.location, caret - URLFinder.lengthMax)
    let end = min(state.contentRange(of: paragraph).upperBound, caret + URLFinder.lengthMax)
    guard start < caret, caret <= end else { return nil }
    let units = state.text(in: UTF16Range(start..<end)).units
    let links = units.withUnsafeBufferPointer { URLFinder.links(in: $0) }
    guard let link = links.first(where: { start + $0.range.upperBound == caret }),
      // Else it may be the end of a longer one.
      link.range.lowerBound > 0 || start == paragraph.range.location
    else { return nil }
    let range = UTF16Range(start + link.range.lowerBound..<caret)
    let present = state.attribute(attribute, at: range.location)
    guard present.value != .string(link.address) || present.range.upperBound < caret else {
      return nil
    }
    let run = AttributeRun(length: range.length, attributes: [attribute: .string(link.address)])
    return try? EditAction(range: range, replacement: nil, attributes: .merge([run]))
  }
}
