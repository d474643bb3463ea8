import EditModel
import TextState

/// Collects the edits of a group, and what stages made of them. It keeps the version before the
/// group, so that the first edit of a node copies it once.
struct GroupCollector: Projection {
  static let version: UInt32 = 1

  private var group: Transaction?
  /// The number of the last edit.
  private var last: SequenceNumber = 0

  mutating func willApply(_ edit: Edit, to state: TextState) {
    if group == nil { group = Transaction(before: state) }
  }

  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    group?.append(change)
    last = edit.sequence
  }

  mutating func apply(_ edit: StagedEdit, _ state: TextState) {
    apply(edit.edit, edit.change, state)
    for widening in edit.widenings where !widening.range.isEmpty {
      group?.touch(widening.range, in: state)
    }
  }

  /// Ends the group. `state` must be the version after its last edit. Nil if there was no edit.
  mutating func finish(in state: TextState) -> HostedUpdate? {
    guard let group, let change = group.change(to: state) else { return nil }
    self.group = nil
    let first = last - SequenceNumber(change.editCount) + 1
    return HostedUpdate(change, first...last, from: group.before, to: state)
  }
}
