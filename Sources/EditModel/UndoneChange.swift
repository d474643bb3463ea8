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

  /// The change that makes this one and then `next`. O(ranges of both · log).
  public func followed(by next: UndoneChange) -> UndoneChange {
    UndoneChange(
      undone: undone.subtracting(next.redone).union(next.undone),
      redone: redone.subtracting(next.undone).union(next.redone))
  }

  /// The part of the change that changes something if the edits of `undone` are undone before it. O(own
  /// ranges · log of that set).
  public func effective(before undone: SequenceSet) -> UndoneChange {
    UndoneChange(
      undone: self.undone.subtracting(undone), redone: redone.intersection(undone))
  }

  /// The set of undone edits after the change. O(own ranges · log of the set's), and a copy of the set; or
  /// O(ranges of all) if the change is large.
  public func applied(to set: SequenceSet) -> SequenceSet {
    guard (undone.ranges.count + redone.ranges.count) * 16 < set.ranges.count else {
      return set.subtracting(redone).union(undone)
    }
    var result = set
    for range in redone.ranges { result.remove(range) }
    for range in undone.ranges { result.insert(range) }
    return result
  }
}
