public import EditModel

extension TextState {
  /// The paragraph at `index`, which must be less than `paragraphCount`. O(log n).
  public func paragraph(at index: Int) -> ParagraphDescriptor {
    precondition(index >= 0 && index < paragraphCount)
    return core.descriptor(at: core.place(ofParagraph: index))
  }

  /// The index of the paragraph that holds `offset`: a paragraph's start belongs to it, the
  /// text's end to the last one. `offset` must not be greater than `length`. O(log n).
  public func paragraphIndex(at offset: Int) -> Int {
    precondition(offset >= 0 && offset <= length)
    return core.paragraphPlace(at: offset).index
  }

  /// The paragraph with this identifier and its index; nil if this version has none.
  /// O(log n).
  public func paragraph(_ id: ParagraphID) -> (index: Int, descriptor: ParagraphDescriptor)? {
    guard let position = core.position(of: id) else { return nil }
    return (position.index, core.descriptor(at: ParagraphPlace(position)))
  }

  /// All paragraphs in order.
  public var paragraphs: Paragraphs { Paragraphs(version: core, bounds: 0..<paragraphCount) }

  /// The paragraphs that touch `range`: from the one that holds its start to the one that holds
  /// its last unit, or its start where it is empty. The range must lie inside the text. O(log n),
  /// and O(paragraphs in it) to walk.
  public func paragraphs(in range: UTF16Range) -> Paragraphs {
    precondition(range.upperBound <= length)
    let first = paragraphIndex(at: range.location)
    let last = range.isEmpty ? first : paragraphIndex(at: range.upperBound - 1)
    return Paragraphs(version: core, bounds: first..<last + 1)
  }
}
