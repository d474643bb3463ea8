import EditModel

/// The numbers and the times of the entries of a part of a history, as those of a history of its own.
///
/// The new history begins with edits that make the text before the part. Its times begin with 1970.
struct ReproNumbers: Sendable {
  /// The version before the first edit of the part, in the old history.
  let start: SequenceNumber
  /// The last edit of the part.
  let last: SequenceNumber
  /// The number of edits that make the text of the version `start`.
  let loadCount: SequenceNumber
  /// The time of the first entry of the part.
  let startTime: Timestamp

  /// The new number of a version; nil if it is outside the part.
  subscript(version: SequenceNumber) -> SequenceNumber? {
    (start...last).contains(version) ? version - start + loadCount : nil
  }

  /// An edit with its new numbers. A transaction that begins before the part begins with its first edit.
  func moved(_ edit: Edit) -> Edit {
    var edit = edit
    edit.transaction = self[max(edit.transaction, start + 1)] ?? edit.transaction
    edit.sequence = self[edit.sequence] ?? edit.sequence
    edit.time = moved(edit.time)
    edit.clientTime = edit.clientTime.map(moved)
    return edit
  }

  /// An event with its new numbers; nil if it is about versions outside the part alone.
  func moved(_ event: HistoryEvent) -> HistoryEvent? {
    guard let after = self[event.after] else { return nil }
    var event = event
    event.after = after
    event.time = moved(event.time)
    switch event.kind {
    case .mark(let label, let at):
      guard let version = self[at] else { return nil }
      event.kind = .mark(label: label, at: version)
    case .undo(let change, let target):
      let change = UndoneChange(undone: moved(change.undone), redone: moved(change.redone))
      guard !change.isEmpty else { return nil }
      event.kind = .undo(change, to: target.flatMap { self[$0] })
    case .baseline, .saved, .closed, .divergence, .renamed, .session, .copied: break
    }
    return event
  }

  private func moved(_ set: SequenceSet) -> SequenceSet {
    guard start < last else { return SequenceSet() }
    return SequenceSet(
      set.parts(of: start + 1...last).compactMap { range in
        guard let lower = self[range.lowerBound], let upper = self[range.upperBound] else {
          return nil
        }
        return lower...upper
      })
  }

  private func moved(_ time: Timestamp) -> Timestamp {
    let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(
      startTime.nanoseconds)
    return Timestamp(nanoseconds: overflow ? .max : difference)
  }
}
