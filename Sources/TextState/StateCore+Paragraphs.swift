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
    if offset >= length {
      let last = paragraphCount - 1
      guard paragraphRecords.leafHolds(last) else { return place(ofParagraph: last) }
      var place = ParagraphPlace(paragraphRecords.leafEnd)
      stepBack(&place)
      return place
    }
    return nearbyParagraphPlace(at: offset)
      ?? ParagraphPlace(paragraphRecords.seek { $0.measure.units <= offset })
  }

  /// As `paragraphPlace(at:)`, for an offset before the text's end, if it is in the checked-out leaf
  /// of paragraphs; else nil. O(paragraphs passed, from the nearest of the last edit and the leaf's
  /// ends).
  private func nearbyParagraphPlace(at offset: Int) -> ParagraphPlace? {
    let (leafStart, leafEnd) = (paragraphRecords.start, paragraphRecords.leafEnd)
    guard offset >= leafStart.measure.units, offset < leafEnd.measure.units else { return nil }
    let isInLeaf = paragraphRecords.leafHolds(paragraphPlace.index)
    if isInLeaf, offset < paragraphPlace.start {
      return paragraphPlace.start - offset < offset - leafStart.measure.units
        ? paragraphPlace(at: offset, backFrom: paragraphPlace)
        : paragraphPlace(at: offset, from: ParagraphPlace(leafStart))
    }
    let before = isInLeaf ? paragraphPlace : ParagraphPlace(leafStart)
    return leafEnd.measure.units - offset < offset - before.start
      ? paragraphPlace(at: offset, backFrom: ParagraphPlace(leafEnd))
      : paragraphPlace(at: offset, from: before)
  }

  /// The place of the paragraph that holds `offset`, in the checked-out leaf, at `place` or after it.
  private func paragraphPlace(at offset: Int, from place: ParagraphPlace) -> ParagraphPlace {
    var place = place
    var isFound = false
    let rest = place.index - paragraphRecords.start.index..<paragraphRecords.leaf.count
    paragraphRecords.leaf.withChunks(in: rest) { chunk in
      if isFound { return }
      for record in chunk {
        let end = place.start &+ record.length
        isFound = offset < end
        if isFound { return }
        place.start = end
        place.index &+= 1
        place.line &+= record.endsInLF ? 1 : 0
      }
    }
    return place
  }

  /// The place of the paragraph that holds `offset`, in the checked-out leaf and before `place`.
  private func paragraphPlace(at offset: Int, backFrom place: ParagraphPlace) -> ParagraphPlace {
    var place = place
    while offset < place.start { stepBack(&place) }
    return place
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
