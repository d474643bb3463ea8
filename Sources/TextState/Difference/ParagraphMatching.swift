import EditModel

/// The paragraphs that differ between two versions, found by identifier and length alone. Calls
/// must be in document order.
struct ParagraphMatching {
  /// Paragraphs of the old version that were removed, by index.
  private(set) var removed: [Range<Int>] = []
  /// Paragraphs of the new version that were added.
  private(set) var inserted: [(index: Int, descriptor: ParagraphDescriptor)] = []
  /// Paragraphs whose length differs.
  private(set) var edited: [ParagraphEvent] = []
  /// Ranges of paragraphs whose length is the same. Their units must be compared.
  private(set) var kept: [AlignedSpan] = []

  /// Adds old paragraphs that are not in the new version.
  mutating func remove(_ indices: Range<Int>) {
    if indices.isEmpty { return }
    if let last = removed.last, last.upperBound == indices.lowerBound {
      removed[removed.count - 1] = last.lowerBound..<indices.upperBound
    } else {
      removed.append(indices)
    }
  }

  /// Adds a paragraph that is not in the old version.
  mutating func insert(_ index: Int, _ descriptor: ParagraphDescriptor) {
    inserted.append((index, descriptor))
  }

  /// Adds a paragraph that both versions have.
  mutating func keep(_ index: Int, _ descriptor: ParagraphDescriptor, oldRange: UTF16Range) {
    if descriptor.range.length == oldRange.length {
      let shift = descriptor.range.location - oldRange.location
      kept.appendJoining(AlignedSpan(new: descriptor.range.bounds, shift: shift))
    } else {
      edited.append(.edited(index: index, descriptor: descriptor, oldRange: oldRange))
    }
  }

  /// Adds consecutive paragraphs of both versions with the same lengths.
  mutating func keep(_ span: AlignedSpan) { kept.appendJoining(span) }
}
