public import EditLog
public import EditModel
public import TextState

/// Rebuilds a document's state at any point of its history: the nearest checkpoint before it,
/// then the edits, through the one state machine.
public struct Replay: Sendable {
  /// The history that is replayed; its horizon is fixed.
  public let history: History

  /// Replay of `history`.
  public init(_ history: History) { self.history = history }

  /// The sequence number that `point` names.
  ///
  /// A time names the newest edit that is not later; a mark's last use counts.
  ///
  /// - Throws: `ReplayError` where the history does not reach the point, knows no such mark, or
  ///   cannot be read.
  public func sequence(of point: Point) throws(ReplayError) -> SequenceNumber {
    switch point {
    case .latest:
      return history.lastSequence
    case .sequence(let sequence):
      guard sequence <= history.lastSequence else {
        throw .beyondHistory(sequence: sequence, last: history.lastSequence)
      }
      return sequence
    case .time(let time):
      return try reading { () throws(LogError) in try history.sequence(at: time) }
    case .mark(let label):
      let marks = try reading { () throws(LogError) in try history.marks() }
      guard let mark = marks.last(where: { $0.label.utf8.elementsEqual(label.utf8) }) else {
        throw .unknownMark(label: label, known: marks.map(\.label))
      }
      return mark.sequence
    }
  }

  /// The state at `point`.
  ///
  /// - Throws: as `sequence(of:)`.
  /// - Complexity: O(size of the checkpoint + edits behind it).
  public func state(at point: Point) throws(ReplayError) -> TextState {
    var state = checkpointedState(notAfter: try sequence(of: point))
    try advance(&state, through: try sequence(of: point)) { _, _, _ in }
    return state
  }

  /// Applies the edits behind `state` up to and including edit `through`, and shows each with
  /// what it changed.
  ///
  /// - Parameters:
  ///   - state: A state of this document, not newer than `through`.
  ///   - capturingRemoved: Whether each `Change` carries what the edit took away.
  ///   - body: Called after each edit with the edit, the change and the state after it.
  public func advance(
    _ state: inout TextState, through last: SequenceNumber, capturingRemoved: Bool = false,
    _ body: (Edit, Change, TextState) -> Void
  ) throws(ReplayError) {
    try walk(&state, through: last, capturingRemoved: capturingRemoved, edit: body) { _, _ in }
  }

  /// As `advance`, and shows the events between the edits too, each with the state it happened
  /// at.
  public func walk(
    _ state: inout TextState, through last: SequenceNumber, capturingRemoved: Bool = false,
    edit: (Edit, Change, TextState) -> Void, event: (HistoryEvent, TextState) -> Void
  ) throws(ReplayError) {
    guard state.sequence <= last else { return }
    var failure: ReplayError?
    var now = state
    // The caller's copy would make every edit copy the text.
    state = TextState()
    defer { state = now }
    try reading { () throws(LogError) in
      try history.forEachEntry(after: now.sequence, through: last) { entry in
        guard failure == nil else { return }
        switch entry {
        case .edit(let recorded):
          do throws(ReplayError) {
            let change = try apply(recorded, to: &now, capturingRemoved: capturingRemoved)
            edit(recorded, change, now)
          } catch {
            failure = error
          }
        case .event(let happened): event(happened, now)
        }
      }
    }
    if let failure { throw failure }
    guard now.sequence == last else { throw .gap(after: now.sequence, expected: last) }
  }

  private func apply(_ edit: Edit, to state: inout TextState, capturingRemoved: Bool)
    throws(ReplayError) -> Change
  {
    guard edit.sequence == state.sequence + 1 else {
      throw .gap(after: state.sequence, expected: edit.sequence)
    }
    do {
      return try state.apply(edit.action, capturingRemoved: capturingRemoved)
    } catch {
      throw .unfitEdit(sequence: edit.sequence, reason: error)
    }
  }

  /// The newest checkpoint that can be used, else the empty document. A checkpoint is a cache:
  /// one that does not read is as good as none.
  private func checkpointedState(notAfter last: SequenceNumber) -> TextState {
    guard let stored = history.checkpoint(atOrBefore: last),
      let state = try? CheckpointCodec.decode(stored.bytes), state.sequence == stored.sequence
    else { return TextState() }
    return state
  }

  private func reading<Value>(_ body: () throws(LogError) -> Value) throws(ReplayError) -> Value {
    do {
      return try body()
    } catch {
      throw .log(error)
    }
  }
}
