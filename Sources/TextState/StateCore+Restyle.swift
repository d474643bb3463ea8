import EditModel

extension StateCore {
  /// An edit of attributes alone: exactly the units of its range, and no paragraph's identity.
  func restyle(_ action: EditAction) -> ParagraphEvents {
    typing = TypingRange()
    let range = action.range.bounds
    let new = runs(leftOn: range, newCount: nil, action.attributes)
    var events: [ParagraphEvent] = []
    var place = paragraphPlace(at: range.lowerBound)
    // What has changed of the paragraph at `place`, in units of the text.
    var changed = 0..<0

    forEachChange(runs(in: range), new.records) { change in
      var (lower, upper) = (change.lowerBound + range.lowerBound, 0)
      while lower < change.upperBound + range.lowerBound {
        while lower >= place.start + paragraphRecords[place.index].length {
          events.append(contentsOf: restyled(place, changed))
          stepForward(&place)
          changed = 0..<0
        }
        upper = min(
          change.upperBound + range.lowerBound,
          place.start + paragraphRecords[place.index].length)
        changed = (changed.isEmpty ? lower : changed.lowerBound)..<upper
        lower = upper
      }
    }
    events.append(contentsOf: restyled(place, changed))
    paragraphPlace = place
    if !events.isEmpty { replaceRuns(range, with: new) }
    return ParagraphEvents(events)
  }

  private func restyled(_ place: ParagraphPlace, _ changed: Range<Int>) -> [ParagraphEvent] {
    guard !changed.isEmpty else { return [] }
    return [
      .attributesChanged(
        index: place.index, descriptor: descriptor(at: place), range: UTF16Range(changed))
    ]
  }
}
