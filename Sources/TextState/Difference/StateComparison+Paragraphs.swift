import EditModel

extension StateComparison {
  /// The events of the paragraphs of `matching`: the removed ones first, highest old index first;
  /// then the others by ascending new index. A paragraph with the same units and attributes has no
  /// event.
  func events(
    of matching: ParagraphMatching, _ lineage: ParagraphLineage = ParagraphLineage()
  ) -> ParagraphEvents {
    var lineage = lineage
    let inserted = matching.inserted.map {
      ParagraphEvent.inserted(
        index: $0.index, descriptor: $0.descriptor,
        splitFrom: lineage.source(of: $0.descriptor.id, in: old))
    }
    let arrivals = (inserted + matching.edited + matching.kept.flatMap(events))
      .sorted { $0.index < $1.index }
    let removed = RemovedParagraphs(
      matching.removed, of: old, targets: targets(of: matching.removed, &lineage))
    if removed.count > RemovedParagraphs.eagerCountMax {
      return ParagraphEvents(arrivals, after: removed)
    }
    return ParagraphEvents(Array(RemovedParagraphs.Iterator(removed)) + arrivals)
  }

  /// The paragraphs that the remaining text of removed ones became part of, by the old index of
  /// these.
  private func targets(
    of removed: [Range<Int>], _ lineage: inout ParagraphLineage
  ) -> [Int: ParagraphID] {
    var targets: [Int: ParagraphID] = [:]
    for id in Array(lineage.merged) {
      guard let index = old.position(of: id)?.index, removed.holds(index) else { continue }
      targets[index] = lineage.target(of: id, in: new)
    }
    return targets
  }

  /// The events of paragraphs whose length is the same.
  private func events(in span: AlignedSpan) -> [ParagraphEvent] {
    var edited: [ParagraphEvent] = []
    forEachUnitChange(in: span) { offset in
      let place = new.paragraphPlace(at: offset)
      let descriptor = new.descriptor(at: place)
      let range = AlignedSpan(new: descriptor.range.bounds, shift: span.shift).old
      edited.append(
        .edited(index: place.index, descriptor: descriptor, oldRange: UTF16Range(range)))
      return descriptor.range.upperBound
    }
    var restyled = RestyledParagraphs(new, at: span.new.lowerBound)
    forEachRunChange(in: span) { restyled.append($0) }
    let indices = Set(edited.map(\.index))
    return edited + restyled.events().filter { !indices.contains($0.index) }
  }
}

extension [Range<Int>] {
  /// True if one of these ascending ranges contains `index`. O(log n).
  fileprivate func holds(_ index: Int) -> Bool {
    let position = partitionPoint { $0.upperBound <= index }
    return position < count && self[position].contains(index)
  }
}
