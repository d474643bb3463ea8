import EditModel
import EditProtocol

/// The versions that get a commit, as they are found among the entries of a history in order.
struct CommitCuts {
  private let unit: CommitUnit
  /// The last edits of the undo steps.
  private let stepEnds: Set<SequenceNumber>
  private var last: Edit?

  init(_ unit: CommitUnit, stepEnds: Set<SequenceNumber> = []) {
    (self.unit, self.stepEnds) = (unit, stepEnds)
  }

  /// True if the version before this entry gets a commit.
  mutating func cuts(before entry: HistoryEntry) -> Bool {
    switch entry {
    case .event(let event):
      if unit == .save, case .saved = event.kind { return true }
      return false
    case .edit(let edit):
      defer { last = edit }
      guard let last else { return false }
      switch unit {
      case .save: return false
      case .session: return last.session != edit.session
      case .step:
        if stepEnds.contains(last.sequence) { return true }
        return last.transaction != edit.transaction && (last.isUndo || edit.isUndo)
      }
    }
  }
}

extension Edit {
  fileprivate var isUndo: Bool { origin == .undo || origin == .redo }
}
