import EditModel

extension StateComparison {
  /// What became of the paragraphs of `matching`: the removed ones first, highest old index first;
  /// then the others by ascending new index. One whose units and attributes are what they were has
  /// no event.
  func events(
    of matching: ParagraphMatching, _ lineage: ParagraphLineage = ParagraphLineage()
  ) -> ParagraphEvents {
    var lineage = lineage
    let removed = matching.removed.sorted { $0.index > $1.index }.map {
      ParagraphEvent.removed(
        index: $0.index, descriptor: $0.descriptor,
        mergedInto: lineage.target(of: $0.descriptor.id, in: new))
    }
    let inserted = matching.inserted.map {
      ParagraphEvent.inserted(
        index: $0.index, descriptor: $0.descriptor,
        splitFrom: lineage.source(of: $0.descriptor.id, in: old))
    }
    let arrivals = inserted + matching.edited + matching.kept.flatMap(events)
    return ParagraphEvents(removed + arrivals.sorted { $0.index < $1.index })
  }

  /// The events of paragraphs that are as long as they were.
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
