import EditModel

extension StateCore {
  /// The place of the paragraph that holds `offset`. O(1) in the paragraph of the last edit, else
  /// O(log n).
  @inline(__always)
  func paragraphPlace(at offset: Int) -> ParagraphPlace {
    let place = paragraphPlace
    let end = place.start + paragraphRecords[place.index].length
    let isHere = offset >= place.start && (offset < end || place.index == paragraphCount - 1)
    return isHere ? place : distantParagraphPlace(at: offset)
  }

  @inline(never)
  private func distantParagraphPlace(at offset: Int) -> ParagraphPlace {
    if offset >= length { return place(ofParagraph: paragraphCount - 1) }
    return nearbyParagraphPlace(at: offset)
      ?? ParagraphPlace(paragraphRecords.seek { $0.measure.units <= offset })
  }

  /// As `paragraphPlace(at:)`, if it is few paragraphs from that of the last edit; else nil.
  private func nearbyParagraphPlace(at offset: Int) -> ParagraphPlace? {
    var place = paragraphPlace
    for _ in 0..<12 {
      if offset < place.start {
        guard place.index > 0, paragraphRecords.leafHolds(place.index - 1) else { return nil }
        stepBack(&place)
      } else {
        guard paragraphRecords.leafHolds(place.index) else { return nil }
        if offset < place.start + paragraphRecords[place.index].length { return place }
        guard paragraphRecords.leafHolds(place.index + 1) else { return nil }
        stepForward(&place)
      }
    }
    return nil
  }

  /// The place of the paragraph at `index`. O(log n).
  func place(ofParagraph index: Int) -> ParagraphPlace {
    ParagraphPlace(paragraphRecords.position(at: index))
  }

  /// The paragraph at `place`.
  func descriptor(at place: ParagraphPlace) -> ParagraphDescriptor {
    let record = paragraphRecords[place.index]
    return ParagraphDescriptor(
      id: record.id, range: UTF16Range(place.start..<place.start + record.length))
  }

  /// The offset of the end of a line, after its LF. O(log n).
  func lineEnd(_ line: Int) -> Int {
    // All that end before the LF of this line; the next ends with it.
    let position = paragraphRecords.seek { $0.measure.lineFeeds <= line }
    return position.measure.units + paragraphRecords[position.index].length
  }

  func stepForward(_ place: inout ParagraphPlace) {
    let record = paragraphRecords[place.index]
    place.index += 1
    place.start += record.length
    if record.endsInLF { place.line += 1 }
  }

  func stepBack(_ place: inout ParagraphPlace) {
    place.index -= 1
    let record = paragraphRecords[place.index]
    place.start -= record.length
    if record.endsInLF { place.line -= 1 }
  }
}
