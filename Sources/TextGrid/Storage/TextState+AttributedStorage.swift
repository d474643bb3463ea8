public import EditModel
public import TextState

extension TextState {
  /// A version with the text and the attributes of any storage, for what needs one: rules style a version. Its
  /// paragraphs have identifiers of their own. O(length).
  ///
  /// - Throws: `EditError.textTooLong` if the text is longer than a document may be.
  public init(copying storage: some AttributedStorage) throws(EditError) {
    self.init()
    let all = UTF16Range(0..<storage.length)
    guard !all.isEmpty else { return }
    var (runs, place): ([AttributeRun], Int) = ([], 0)
    while place < all.upperBound {
      let run = storage.attributes(at: place)
      let end = max(place + 1, min(run.range.upperBound, all.upperBound))
      runs.append(AttributeRun(length: end - place, attributes: run.attributes))
      place = end
    }
    try apply(
      EditAction(
        range: UTF16Range(0..<0), replacement: UTF16Text(units: storage.units(in: all)),
        attributes: .set(runs)))
  }
}

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
