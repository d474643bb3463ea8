public import EditModel
public import TextState

extension TextState: AttributedStorage {
  /// The units of `range`. O(log n + range).
  public func units(in range: UTF16Range) -> [UInt16] { text(in: range).units }

  /// Replaces characters, as the next edit of the document.
  public mutating func replaceCharacters(
    in range: UTF16Range, with text: UTF16Text
  ) throws(EditError) {
    try apply(EditAction(replacing: range, with: text))
  }

  /// Sets attributes, as the next edit of the document.
  public mutating func setAttributes(
    _ attributes: AttributeSet, in range: UTF16Range
  ) throws(EditError) {
    let runs = range.isEmpty ? [] : [AttributeRun(length: range.length, attributes: attributes)]
    try apply(EditAction(range: range, replacement: nil, attributes: .set(runs)))
  }

  /// The range of a paragraph. O(log n).
  public func paragraphRange(at index: Int) -> UTF16Range { paragraph(at: index).range }

  /// The paragraph's identifier. O(log n).
  public func paragraphID(at index: Int) -> ParagraphID? { paragraph(at: index).id }
}
