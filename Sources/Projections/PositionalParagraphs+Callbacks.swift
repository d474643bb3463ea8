import EditModel
public import TextState

extension PositionalParagraphs {
  /// The calls that the reference storage would make to its delegate if the transaction ended here:
  /// all `willDelete`, then all `didEdit`, then all `didAdd`, then the questions for attributes.
  /// `state` is the version last applied. O(paragraphs that the extent covers, before and after).
  ///
  /// Call it after the last edit of each transaction. During the calls the reference storage still
  /// has the paragraphs after the edit at their old locations, and it never announces their move: a
  /// receiver must not keep locations.
  public func callbacks(in state: TextState) -> [ParagraphCallback] {
    precondition(state.sequence == sequence)
    let anchor = splice.anchor
    let ranges = state.paragraphRanges(at: anchor..<anchor + splice.newCount)
    var callbacks = deletions
    callbacks.reserveCapacity(callbacks.count + ranges.count + 2)
    for (place, range) in ranges.enumerated() {
      let index = anchor + place
      let descriptor = ParagraphDescriptor(id: self[index], range: range)
      callbacks.append(
        place < splice.keptCount
          ? .didEdit(index: index, descriptor: descriptor)
          : .didAdd(index: index, descriptor: descriptor))
    }
    return callbacks + styleQuestions(in: state)
  }

  /// The calls for the removed paragraphs, which are just after the anchor, from the first to the
  /// last.
  private var deletions: [ParagraphCallback] {
    guard splice.removedCount > 0 else { return [] }
    var location = splice.start + splice.oldLengths[0]
    return (1...splice.removedCount).map { place in
      let range = UTF16Range(location..<location + splice.oldLengths[place])
      location = range.upperBound
      let id = settled[splice.anchor + place]
      return .willDelete(
        index: splice.seam, descriptor: ParagraphDescriptor(id: id, range: range))
    }
  }

  /// A question for the paragraph of the first edited unit, and one for that of the last; none for
  /// those between. No question if no edited units are left.
  private func styleQuestions(in state: TextState) -> [ParagraphCallback] {
    guard let edited = extent?.editedRange, !edited.isEmpty else { return [] }
    let first = state.paragraphIndex(at: edited.location)
    let last = state.paragraphIndex(at: edited.upperBound - 1)
    return (first == last ? [first] : [first, last]).map { index in
      .shouldSetStyle(
        index: index,
        descriptor: ParagraphDescriptor(id: self[index], range: state.paragraph(at: index).range))
    }
  }
}
