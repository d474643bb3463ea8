import EditModel

extension StateCore {
  /// An edit of attributes alone: exactly the units of its range, and no paragraph's identity.
  func restyle(_ action: EditAction) -> ParagraphEvents {
    typing = TypingRange()
    let range = action.range.bounds
    let new = runs(leftOn: range, newCount: nil, action.attributes)
    var restyled = RestyledParagraphs(self, at: range.lowerBound)
    forEachChange(runs(in: range), new.records) {
      restyled.append($0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound)
    }
    let events = restyled.events()
    paragraphPlace = restyled.place
    if !events.isEmpty { replaceRuns(range, with: new) }
    return ParagraphEvents(events)
  }
}
