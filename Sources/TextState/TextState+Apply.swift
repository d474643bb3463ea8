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
    makeUnique()
    let events: ParagraphEvents
    if let local = core.typeLocally(action) {
      events = local
      probe.finished(.text)
    } else {
      events = core.applyAnywhere(action, &probe)
    }
    core.sequence += 1
    let change = Change(sequence: sequence, action: action, events: events, removed: removed)
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

