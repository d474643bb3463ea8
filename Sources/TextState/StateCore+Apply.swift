import EditModel

extension StateCore {
  /// Any edit, which must fit.
  @inline(never)
  func applyAnywhere(
    _ action: EditAction, _ probe: inout some ApplyProbe
  ) -> ParagraphEvents {
    if let replacement = action.replacement { return replace(action, replacement.units, &probe) }
    defer { probe.finished(.attributes) }
    return restyle(action)
  }

  /// The overwhelmingly common edit: inside one paragraph and one run, no terminator involved.
  /// Nil, with nothing changed, where the edit is another.
  @inline(__always)
  func typeLocally(_ action: EditAction) -> ParagraphEvents? {
    guard case .inherit = action.attributes, let replacement = action.replacement, length > 0
    else { return nil }
    let range = action.range.bounds
    let newCount = replacement.count
    if newCount == 1 {
      let unit = replacement.units[0]
      if unit.endsParagraph { return nil }
      if range.isEmpty {
        return typeLocally(range, newCount) { $0.insert(unit, at: range.lowerBound) }
      }
    } else if newCount == 0 {
      if range.isEmpty { return ParagraphEvents() }
      return typeLocally(range, newCount) { $0.remove(range) }
    }
    return replaceLocally(range, replacement.units)
  }

  /// As `typeLocally`, where more than one unit is put in or a unit takes the place of others.
  @inline(never)
  private func replaceLocally(_ range: Range<Int>, _ new: [UInt16]) -> ParagraphEvents? {
    if new.contains(where: \.endsParagraph) { return nil }
    if new.count == range.count, unitsEqual(range, new[...]) { return ParagraphEvents() }
    return typeLocally(range, new.count) { $0.replace(range, with: new) }
  }

  /// Puts `newCount` units that hold no terminator in the place of `range`, by `put`.
  @inline(__always)
  private func typeLocally(
    _ range: Range<Int>, _ newCount: Int, put: (GapTree<UInt16>) -> Void
  ) -> ParagraphEvents? {
    // A CR before the edit may be about to meet its LF, or to lose it.
    if range.lowerBound > 0, units[range.lowerBound - 1] == .carriageReturn { return nil }
    let place = paragraphPlace(at: range.lowerBound)
    var paragraph = paragraphRecords[place.index]
    let end = place.start + paragraph.length
    guard range.upperBound < end || place.index == paragraphCount - 1 else { return nil }

    let isInsertion = range.isEmpty && range.lowerBound > 0
    let runPlace = runPlace(at: isInsertion ? range.lowerBound - 1 : range.lowerBound)
    guard runPlace.index < runRecords.count else { return nil }
    var run = runRecords[runPlace.index]
    let change = newCount - range.count
    guard range.upperBound <= runPlace.start + run.length, run.length + change > 0 else {
      return nil
    }

    (self.paragraphPlace, self.runPlace) = (place, runPlace)
    put(units)
    if change != 0 {
      paragraph.length += change
      paragraphRecords.update(place.index, paragraph)
      run.length += change
      runRecords.update(runPlace.index, run)
    }
    let newRange = UTF16Range(place.start..<end + change)
    return ParagraphEvents(
      .edited(
        index: place.index, descriptor: ParagraphDescriptor(id: paragraph.id, range: newRange),
        oldRange: UTF16Range(place.start..<end)))
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
