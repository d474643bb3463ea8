public import EditModel
public import TextState

extension UndoTree {
  /// The actions that make a change of the undone edits, at least one. Apply them in order, as one
  /// transaction that an event `HistoryEvent.Kind.undo` of this change precedes, to the version of this
  /// tree, `state`.
  ///
  /// The actions are checked before they are returned: the text that they make is the text without the
  /// edits that are undone then, and that of `target`, if it is given. The attributes are those of
  /// `target`; without one, each is what the newest edit that is not undone made of it.
  ///
  /// O(runs of units that ever existed + units that come back), and O(length) with a target.
  ///
  /// - Throws: `UndoError` if `state` is not the version of the tree, or the change does not lead to
  ///   `target`.
  public func actions(
    making change: UndoneChange, in state: TextState, to target: TextState? = nil
  ) throws(UndoError) -> [EditAction] {
    guard state.length == provenance.length else {
      throw .otherText(of: state.sequence, expected: provenance.length, found: state.length)
    }
    var (next, actions) = (state, [EditAction]())
    func append(_ action: EditAction) throws(UndoError) {
      do throws(EditError) { try next.advance(by: action) } catch { throw .refused(error) }
      actions.append(action)
    }
    // From the end to the start, so that each range is one of the text before all of them.
    for replacement in provenance.plan(change).reversed() {
      let units = replacement.inserted.flatMap { provenance.text[$0] }
      try append(
        EditAction(
          replacing: UTF16Range(replacement.range), with: UTF16Text(compacting: units)))
    }
    var after = provenance
    guard let replacements = EditComposition.replacements(of: actions),
      after.realise(change, by: replacements, first: state.sequence + 1)
    else {
      throw .otherText(of: state.sequence, expected: after.length, found: next.length)
    }
    var runs = next.attributeRuns
    if let target {
      guard next.length == target.length, next.text == target.text else {
        throw .otherText(of: target.sequence, expected: target.length, found: next.length)
      }
      runs = target.attributeRuns
    } else {
      let shown = provenance.effect(of: change).shown
      runs = after.attributes(after: change, shown: shown, runs)
    }
    let whole = UTF16Range(0..<next.length)
    for action in next.restyling(whole, to: runs) { try append(action) }
    // Without an edit, an undo that changes nothing would not be in the log.
    if actions.isEmpty { try append(EditAction(replacing: UTF16Range(0..<0), with: UTF16Text())) }
    return actions
  }
}

/// Why an undo cannot be made: always a defect, or a history that is not the one of the state.
public enum UndoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A text is not the one that the undo starts from or leads to, with the lengths of both in UTF-16
  /// units.
  case otherText(of: SequenceNumber, expected: Int, found: Int)
  /// An edit of the undo does not fit the text.
  case refused(EditError)

  /// One sentence.
  public var description: String {
    switch self {
    case .otherText(let sequence, let expected, let found):
      """
      the undo does not fit version \(sequence): a certain text of \(expected) UTF-16 units was due, but \
      there is another, of \(found)
      """
    case .refused(let error): "an edit of the undo does not fit the text: \(error)"
    }
  }
}

extension TextState {
  /// The actions that give a range the attributes of `runs`, which cover it. O(runs of both).
  package func restyling(_ range: UTF16Range, to runs: [AttributeRun]) -> [EditAction] {
    var actions: [EditAction] = []
    var changed: [AttributeRun] = []
    var location = range.location
    /// Adds an action for the runs that differ and end at `location`.
    func flush() {
      let length = changed.reduce(0) { $0 + $1.length }
      let range = UTF16Range(location - length..<location)
      // The runs cover the range, and none is empty.
      if length > 0,
        let action = try? EditAction(range: range, replacement: nil, attributes: .set(changed))
      {
        actions.append(action)
      }
      changed = []
    }
    let old = attributeRuns(in: range)
    var index = 0
    var left = old.first?.length ?? 0
    for run in runs {
      var rest = run.length
      while rest > 0, index < old.count {
        let length = min(rest, left)
        if old[index].attributes == run.attributes {
          flush()
        } else {
          changed.append(AttributeRun(length: length, attributes: run.attributes))
        }
        (location, rest, left) = (location + length, rest - length, left - length)
        if left == 0 {
          index += 1
          left = index < old.count ? old[index].length : 0
        }
      }
    }
    flush()
    return actions
  }
}
