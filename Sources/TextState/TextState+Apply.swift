public import EditModel

extension TextState {
  /// Applies one edit, as number `sequence + 1`. If it throws, nothing is changed.
  ///
  /// O(1) for typing at the place of the edit before. O(log n + inserted units, paragraphs and
  /// runs) if characters are replaced: removed content is released in whole subtrees. If the last
  /// touched paragraph keeps its length, it is compared with its old text, in O(its length). An
  /// edit of attributes costs O(log n + paragraphs and runs in its range).
  ///
  /// - Parameters:
  ///   - action: The change.
  ///   - capturingRemoved: True if the result has the removed content, and with it the edit's
  ///     inverse.
  /// - Throws: `EditError` if the range ends after the end of the text, or the text would become
  ///   longer than `EditAction.textLengthMax`. The state is then unchanged.
  @discardableResult
  public mutating func apply(
    _ action: EditAction, capturingRemoved: Bool = false
  ) throws(EditError) -> Change {
    if !capturingRemoved {
      try action.validate(textLength: core.length)
      makeUnique()
      if case .edited(let event) = core.typeLocally(action) {
        core.sequence += 1
        return Change(
          sequence: core.sequence, actions: .characters, range: action.range,
          changeInLength: action.changeInLength, events: ParagraphEvents(event))
      }
    }
    var probe = NoProbe()
    return try apply(action, capturingRemoved: capturingRemoved, probe: &probe)
  }

  /// Replaces characters by units that inherit their attributes: as `apply`, but without making an
  /// action.
  ///
  /// - Parameters:
  ///   - range: The replaced range, in UTF-16 units of the text.
  ///   - units: The new units.
  /// - Throws: as `apply(_:capturingRemoved:)`.
  @discardableResult
  public mutating func replaceCharacters(
    in range: UTF16Range, with units: Span<UInt16>
  ) throws(EditError) -> Change {
    // A refused edit leaves the state shared.
    if range.upperBound > core.length { return try replaceAnywhere(range, units) }
    makeUnique()
    if case .edited(let event) = core.typeLocally(range, units) {
      core.sequence += 1
      return Change(
        sequence: core.sequence, actions: .characters, range: range,
        changeInLength: units.count &- range.length, events: ParagraphEvents(event))
    }
    return try replaceAnywhere(range, units)
  }

  @inline(never)
  private mutating func replaceAnywhere(
    _ range: UTF16Range, _ units: Span<UInt16>
  ) throws(EditError) -> Change {
    try EditAction.validate(range, newLength: units.count, textLength: core.length)
    let events = units.withUnsafeBufferPointer { new in
      if let events = core.splitOrJoinLocally(range.bounds, new, tellsEvents: true) {
        return events
      }
      var probe = NoProbe()
      return core.replace(range.bounds, new, .inherit, &probe)
    }
    core.sequence += 1
    return Change(
      sequence: core.sequence, actions: .characters, range: range,
      changeInLength: units.count - range.length, events: events)
  }

  /// As `apply(_:capturingRemoved:)`, but does not return the change. Without the list of new
  /// paragraphs, an edit with many of them takes less memory.
  package mutating func advance(by action: EditAction) throws(EditError) {
    var probe = NoProbe()
    try advance(by: action, probe: &probe)
  }

  /// As `advance(by:)`, with a probe that is called after each phase.
  package mutating func advance(
    by action: EditAction, probe: inout some ApplyProbe
  ) throws(EditError) {
    try action.validate(textLength: core.length)
    makeUnique()
    _ = core.apply(action, tellsEvents: false, &probe)
    core.sequence += 1
  }

  /// Changes attributes by an action that is not part of the history: the version keeps its number.
  /// O(log n + paragraphs and runs in the range).
  ///
  /// - Throws: as `apply(_:capturingRemoved:)`. `EditError.noAction` if the action replaces
  ///   characters.
  package mutating func applyDerived(_ action: EditAction) throws(EditError) {
    guard action.replacement == nil else { throw .noAction }
    try action.validate(textLength: core.length)
    makeUnique()
    var probe = NoProbe()
    _ = core.apply(action, tellsEvents: false, &probe)
  }

  /// As `apply(_:capturingRemoved:)`, with a probe that is called after each phase.
  package mutating func apply(
    _ action: EditAction, capturingRemoved: Bool = false, probe: inout some ApplyProbe
  ) throws(EditError) -> Change {
    try action.validate(textLength: core.length)
    let removed = capturingRemoved ? contentRemoved(by: action) : nil
    makeUnique()
    let events = core.apply(action, &probe)
    core.sequence += 1
    let change = Change(
      sequence: core.sequence, actions: action.actions, range: action.range,
      changeInLength: action.changeInLength, events: events, removed: removed)
    probe.finished(.paragraphs)
    return change
  }

  @inline(never)
  private func contentRemoved(by action: EditAction) -> RemovedContent {
    RemovedContent(
      text: action.replacement == nil ? nil : text(in: action.range),
      runs: attributeRuns(in: action.range))
  }
}
