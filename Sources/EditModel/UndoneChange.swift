/// A change of the set of edits that are undone: what an undo or a redo does.
public struct UndoneChange: Hashable, Sendable {
  /// The edits that become undone.
  public var undone: SequenceSet
  /// The edits that are undone no more.
  public var redone: SequenceSet

  /// A change of these sets, which have no number in common.
  public init(undone: SequenceSet = SequenceSet(), redone: SequenceSet = SequenceSet()) {
    (self.undone, self.redone) = (undone, redone)
  }

  /// The change from one set of undone edits to another. O(ranges of both).
  public init(from old: SequenceSet, to new: SequenceSet) {
    self.init(undone: new.subtracting(old), redone: old.subtracting(new))
  }

  /// The change that takes this one back.
  public var inverse: UndoneChange { UndoneChange(undone: redone, redone: undone) }

  /// True if nothing changes.
  public var isEmpty: Bool { undone.isEmpty && redone.isEmpty }

  /// The set of undone edits after the change. O(ranges of all).
  public func applied(to set: SequenceSet) -> SequenceSet {
    set.subtracting(redone).union(undone)
  }
}
