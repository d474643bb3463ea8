import EditModel

/// Paragraphs that two versions may tell apart, sorted out by identifier and length alone. All
/// calls come in document order.
struct ParagraphMatching {
  /// Those of the old version that are gone, by index.
  private(set) var removed: [Range<Int>] = []
  /// Those of the new version that were not there.
  private(set) var inserted: [(index: Int, descriptor: ParagraphDescriptor)] = []
  /// Those that are longer or shorter than they were.
  private(set) var edited: [ParagraphEvent] = []
  /// Stretches of paragraphs that are as long as they were: each has to be looked at.
  private(set) var kept: [AlignedSpan] = []

  /// Old paragraphs that the new version has not.
  mutating func remove(_ indices: Range<Int>) {
    if indices.isEmpty { return }
    if let last = removed.last, last.upperBound == indices.lowerBound {
      removed[removed.count - 1] = last.lowerBound..<indices.upperBound
    } else {
      removed.append(indices)
    }
  }

  /// A paragraph that the old version has not.
  mutating func insert(_ index: Int, _ descriptor: ParagraphDescriptor) {
    inserted.append((index, descriptor))
  }

  /// A paragraph that both versions have.
  mutating func keep(_ index: Int, _ descriptor: ParagraphDescriptor, oldRange: UTF16Range) {
    if descriptor.range.length == oldRange.length {
      let shift = descriptor.range.location - oldRange.location
      kept.appendJoining(AlignedSpan(new: descriptor.range.bounds, shift: shift))
    } else {
      edited.append(.edited(index: index, descriptor: descriptor, oldRange: oldRange))
    }
  }

  /// Paragraphs that follow one another in both versions, none of them longer or shorter.
  mutating func keep(_ span: AlignedSpan) { kept.appendJoining(span) }
}
