public import EditModel
public import TextState

/// A read model of one history: a fold over its entries. It depends on nothing else, such as
/// clocks, disks or hash order. So the same entries give the same model on every machine.
///
/// For each edit the caller calls `willApply`, applies the edit to the state once, and calls
/// `apply` with the change; `ProjectionRunner` does so for any number of projections. The position
/// of a projection is the sequence number of the last state it was given. A model that is stored
/// with this number resumes from the state of that version.
public protocol Projection: Sendable {
  /// Raised when the model's meaning changes; models stored by older versions are dropped.
  static var version: UInt32 { get }

  /// True if `apply` reads `change.removed`. Capturing costs O(units removed), so it is done only
  /// for projections that need it.
  static var needsRemovedContent: Bool { get }

  /// An edit that fits `state` is about to be applied to it.
  ///
  /// A projection must not keep `state`: a second reference makes the next edit copy the nodes it
  /// touches.
  mutating func willApply(_ edit: Edit, to state: TextState)

  /// Called after an edit was applied. `change` is its change, `state` the version after it.
  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState)

  /// As `apply(_ edit:)`, with what the stages made of the edit. The runner calls this one.
  mutating func apply(_ edit: StagedEdit, _ state: TextState)

  /// Called for an event at the version `state`.
  mutating func apply(_ event: HistoryEvent, _ state: TextState)
}

extension Projection {
  /// The default: false.
  public static var needsRemovedContent: Bool { false }
  /// Does nothing.
  public mutating func willApply(_ edit: Edit, to state: TextState) {}
  /// Calls `apply` with the edit and its change.
  public mutating func apply(_ edit: StagedEdit, _ state: TextState) {
    apply(edit.edit, edit.change, state)
  }
  /// Does nothing.
  public mutating func apply(_ event: HistoryEvent, _ state: TextState) {}
}
