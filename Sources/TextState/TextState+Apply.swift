public import EditModel

extension TextState {
  /// Applies one edit, as number `sequence + 1`: all of it, or nothing where it throws.
  ///
  /// O(1) for typing at the place of the edit before; O(log n + units put in, and paragraphs and
  /// runs put in) in general. What the edit takes away is let go of in whole subtrees.
  ///
  /// - Parameters:
  ///   - action: What is replaced by what.
  ///   - capturingRemoved: Whether the change carries what the edit takes away, and with it the
  ///     edit's inverse.
  /// - Throws: `EditError` where the range ends behind the text, or the text would become
  ///   longer than `EditAction.textLengthMax`. The state is then what it was.
  @discardableResult
  public mutating func apply(
    _ action: EditAction, capturingRemoved: Bool = false
  ) throws(EditError) -> Change {
    var probe = NoProbe()
    return try apply(action, capturingRemoved: capturingRemoved, probe: &probe)
  }

  /// As `apply(_:capturingRemoved:)`, with a probe that is told of each part of the edit.
  package mutating func apply(
    _ action: EditAction, capturingRemoved: Bool = false, probe: inout some ApplyProbe
  ) throws(EditError) -> Change {
    try action.validate(textLength: length)
    let removed = capturingRemoved ? contentRemoved(by: action) : nil
    let events: ParagraphEvents
    if let local = typeLocally(action) {
      events = local
      probe.finished(.text)
    } else {
      events = applyAnywhere(action, &probe)
    }
    sequence += 1
    let change = Change(sequence: sequence, action: action, events: events, removed: removed)
    probe.finished(.paragraphs)
    return change
  }

  @inline(never)
  private mutating func applyAnywhere(
    _ action: EditAction, _ probe: inout some ApplyProbe
  ) -> ParagraphEvents {
    if let replacement = action.replacement { return replace(action, replacement.units, &probe) }
    defer { probe.finished(.attributes) }
    return restyle(action)
  }

  @inline(never)
  private func contentRemoved(by action: EditAction) -> RemovedContent {
    RemovedContent(
      text: action.replacement == nil ? nil : text(in: action.range),
      runs: attributeRuns(in: action.range))
  }

  /// The overwhelmingly common edit: inside one paragraph and one run, no terminator involved.
  /// Nil, with nothing changed, where the edit is another.
  @inline(__always)
  private mutating func typeLocally(_ action: EditAction) -> ParagraphEvents? {
    let range = action.range.bounds
    guard case .inherit = action.attributes, let new = action.replacement?.units, length > 0,
      !new.contains(where: { $0.endsParagraph }),
      // A CR before the edit may be about to meet its LF, or to lose it.
      range.lowerBound == 0 || units[range.lowerBound - 1] != .carriageReturn
    else { return nil }

    let place = paragraphPlace(at: range.lowerBound)
    var paragraph = paragraphRecords[place.index]
    let end = place.start + paragraph.length
    guard range.upperBound < end || place.index == paragraphCount - 1 else { return nil }

    let isInsertion = range.isEmpty && range.lowerBound > 0
    let runPlace = runPlace(at: isInsertion ? range.lowerBound - 1 : range.lowerBound)
    guard runPlace.index < runRecords.count else { return nil }
    var run = runRecords[runPlace.index]
    let change = new.count - range.count
    guard range.upperBound <= runPlace.start + run.length, run.length + change > 0 else {
      return nil
    }

    (self.paragraphPlace, self.runPlace) = (place, runPlace)
    if change == 0, unitsEqual(range, new[...]) { return ParagraphEvents() }
    units.replace(range, with: new)
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
  private mutating func replace(
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
