import EditModel

extension StateCore {
  /// Does an edit, which must fit, and says what became of paragraphs.
  @inline(never)
  func apply(_ action: EditAction, _ probe: inout some ApplyProbe) -> ParagraphEvents {
    switch typeLocally(action) {
    case .edited(let event):
      probe.finished(.text)
      return ParagraphEvents(event)
    case .nothing: return ParagraphEvents()
    case .elsewhere: break
    }
    if let replacement = action.replacement { return replace(action, replacement.units, &probe) }
    defer { probe.finished(.attributes) }
    return restyle(action)
  }

  /// Any edit of characters.
  private func replace(
    _ action: EditAction, _ new: [UInt16], _ probe: inout some ApplyProbe
  ) -> ParagraphEvents {
    let range = action.range.bounds
    let splice = ParagraphSplice(self, replacing: range, with: new)
    probe.finished(.locate)
    let runs = runs(leftBy: action)
    probe.finished(.attributes)
    let plan = splice.plan(in: self, runs: runs)
    probe.finished(.paragraphs)

    replaceRuns(range, with: runs)
    probe.finished(.attributes)
    units.replace(range, with: new)
    probe.finished(.text)
    replaceParagraphs(splice.oldIndices, with: plan.records)
    paragraphPlace = splice.first
    return plan.events
  }

  /// True where `range` of the text holds the units of `other`, which are as many.
  func unitsEqual(_ range: Range<Int>, _ other: ArraySlice<UInt16>) -> Bool {
    var (equal, index) = (true, other.startIndex)
    units.withChunks(in: range) { chunk in
      guard equal else { return }
      equal = other[index..<index + chunk.count].elementsEqual(chunk)
      index += chunk.count
    }
    return equal
  }
}
