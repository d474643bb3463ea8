import EditModel

/// Paragraphs that two versions may tell apart, sorted out by identifier and length alone.
struct ParagraphMatching {
  /// Those of the old version that are gone.
  private(set) var removed: [(index: Int, descriptor: ParagraphDescriptor)] = []
  /// Those of the new version that were not there.
  private(set) var inserted: [(index: Int, descriptor: ParagraphDescriptor)] = []
  /// Those that are longer or shorter than they were.
  private(set) var edited: [ParagraphEvent] = []
  /// Stretches of paragraphs that are as long as they were: each has to be looked at.
  private(set) var kept: [AlignedSpan] = []

  mutating func remove(_ index: Int, _ descriptor: ParagraphDescriptor) {
    removed.append((index, descriptor))
  }

  mutating func insert(_ index: Int, _ descriptor: ParagraphDescriptor) {
    inserted.append((index, descriptor))
  }

  /// A paragraph that both versions have. Calls come by ascending index.
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

extension StateComparison {
  /// All paragraphs, matched by identifier: those in nodes that both versions have as a whole.
  /// Those that were to change their order are removed and inserted.
  func matchParagraphs() -> ParagraphMatching {
    var matching = ParagraphMatching()
    var end = (old: 0, new: 0)
    let all = Hunk(
      old: old.paragraphCount..<old.paragraphCount, new: new.paragraphCount..<new.paragraphCount)
    for stretch in stretches(\.paragraphRecords) + [all] {
      let start = new.place(ofParagraph: end.new).start
      let span = start..<new.place(ofParagraph: stretch.new.lowerBound).start
      matching.keep(
        AlignedSpan(new: span, shift: start - old.place(ofParagraph: end.old).start))
      match(stretch, &matching)
      end = (stretch.old.upperBound, stretch.new.upperBound)
    }
    return matching
  }

  private func match(_ stretch: Hunk, _ matching: inout ParagraphMatching) {
    visits += stretch.old.count + stretch.new.count
    let before = Array(TextState.Paragraphs(version: old, bounds: stretch.old))
    let after = Array(TextState.Paragraphs(version: new, bounds: stretch.new))
    var next = (old: 0, new: 0)
    let pairs = commonSubsequence(before.map(\.id), after.map(\.id))
    for pair in pairs + [(before.count, after.count)] {
      for index in next.old..<pair.old {
        matching.remove(stretch.old.lowerBound + index, before[index])
      }
      for index in next.new..<pair.new {
        matching.insert(stretch.new.lowerBound + index, after[index])
      }
      guard pair.old < before.count else { break }
      matching.keep(
        stretch.new.lowerBound + pair.new, after[pair.new], oldRange: before[pair.old].range)
      next = (pair.old + 1, pair.new + 1)
    }
  }

  /// Of all paragraphs these, each found in both versions by its identifier. O(log n) each.
  func matchParagraphs(_ ids: some Sequence<ParagraphID>) -> ParagraphMatching {
    var matching = ParagraphMatching()
    var common: [(index: Int, descriptor: ParagraphDescriptor, oldRange: UTF16Range)] = []
    for id in ids {
      let before = old.position(of: id).map(ParagraphPlace.init)
      let after = new.position(of: id).map(ParagraphPlace.init)
      visits += 1
      switch (before, after) {
      case (let before?, let after?):
        common.append(
          (after.index, new.descriptor(at: after), old.descriptor(at: before).range))
      case (let before?, nil): matching.remove(before.index, old.descriptor(at: before))
      case (nil, let after?): matching.insert(after.index, new.descriptor(at: after))
      case (nil, nil): break
      }
    }
    common.sort { $0.index < $1.index }
    for one in common { matching.keep(one.index, one.descriptor, oldRange: one.oldRange) }
    return matching
  }
}
