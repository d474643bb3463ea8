public import EditLog
public import EditModel
public import TextState

/// Rebuilds a document's state at any point of its history: reads the nearest checkpoint before the
/// point, then applies the edits after it.
public struct Replay: Sendable {
  /// The history that is replayed; its last edit is fixed.
  public let history: History
  /// True if the links of the hash chain are checked for the entries that are read, and no
  /// checkpoint is used. If false, only checksums are checked.
  public let isVerified: Bool

  /// Replay of `history`.
  public init(_ history: History, isVerified: Bool = false) {
    (self.history, self.isVerified) = (history, isVerified)
  }

  /// Called during long work, with the last edit that was read.
  package typealias Pass = (SequenceNumber) throws -> Void

  /// The sequence number that `point` names.
  ///
  /// A time names the newest edit that is not later. If several marks have the same label, the last
  /// one counts. An undo step is found by a fold of the whole history; saves, sessions and marks are
  /// read from the footers of segments.
  ///
  /// - Throws: `ReplayError` if the history ends before the point, has no such mark, or cannot be
  ///   read; if it is verified, also if a link does not hold.
  public func sequence(of point: Point) throws(ReplayError) -> SequenceNumber {
    do { return try sequence(of: point, pass: { _ in }) } catch {
      throw ReplayError(reading: error)
    }
  }

  /// As `sequence(of:)`. `pass` is called again and again with the last edit that was read. What it
  /// throws ends the work, and is thrown.
  package func sequence(of point: Point, pass: Pass) throws -> SequenceNumber {
    // Times of blocks and marks are read from footers. The check compares footers with the entries.
    switch point {
    case .time, .mark, .save, .session, .undo: try check(pass: pass)
    case .latest, .sequence: break
    }
    switch point {
    case .latest:
      return history.lastSequence
    case .sequence(let sequence):
      guard sequence <= history.lastSequence else {
        throw ReplayError.beyondHistory(sequence: sequence, last: history.lastSequence)
      }
      return sequence
    case .time(let time):
      return try history.sequence(at: time)
    case .mark(let label):
      return try sequence(ofMark: label)
    case .save(let number):
      return try place(
        number, among: eventPlaces { if case .saved = $0 { true } else { false } }, .save)
    case .session(let number):
      return try place(
        number, among: eventPlaces { if case .session = $0 { true } else { false } }, .session)
    case .undo(let number):
      return try sequence(ofUndo: number, pass: pass)
    }
  }

  /// The state at `point`.
  ///
  /// - Throws: as `sequence(of:)`.
  /// - Complexity: O(size of the checkpoint + spans after it + paragraphs that these create and
  ///   remove).
  public func state(at point: Point) throws(ReplayError) -> TextState {
    do { return try state(at: point, pass: { _ in }) } catch {
      throw ReplayError(reading: error)
    }
  }

  /// As `state(at:)`; `pass` as in `sequence(of:pass:)`.
  package func state(at point: Point, pass: Pass) throws -> TextState {
    let last = try sequence(of: point, pass: pass)
    try check(through: last, pass: pass)
    var state = isVerified ? TextState() : checkpointedState(notAfter: last)
    try history.forEachSpan(after: state.sequence, through: last) { span in
      try pass(span.last)
      try Self.apply(span, to: &state)
    }
    guard state.sequence == last else {
      throw ReplayError.gap(after: state.sequence, expected: last)
    }
    return state
  }

  /// If `isVerified`, checks the links for the edits after `after` and up to `last`.
  ///
  /// - Throws: `ReplayError.log` that names the file and the edits of a link that does not hold.
  public func check(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil
  ) throws(ReplayError) {
    do { try check(after: after, through: last, pass: { _ in }) } catch {
      throw ReplayError(reading: error)
    }
  }

  /// As `check(after:through:)`; `pass` as in `sequence(of:pass:)`.
  package func check(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil, pass: Pass
  ) throws {
    guard isVerified else { return }
    try history.checkLinks(after: after, through: last, pass: pass)
  }

  /// Applies a span of the history to the state before it.
  package static func apply(_ span: EditSpan, to state: inout TextState) throws(ReplayError) {
    guard span.first == state.sequence + 1 else {
      throw .gap(after: state.sequence, expected: span.first)
    }
    do {
      try state.apply(span)
    } catch {
      // The span as a whole does not fit. Applying its edits one by one finds the first that does
      // not.
      for index in 0..<span.count { try apply(span[index], to: &state) }
    }
  }

  private static func apply(
    _ action: EditAction, to state: inout TextState
  ) throws(ReplayError) {
    do {
      try state.advance(by: action)
    } catch {
      throw .unfitEdit(sequence: state.sequence + 1, reason: error)
    }
  }

  private func sequence(ofMark label: String) throws(ReplayError) -> SequenceNumber {
    let known: [(label: String, sequence: SequenceNumber)]
    do throws(LogError) {
      let found = try history.events().last {
        if case .mark(let name, _) = $0.kind { name.isExactly(label) } else { false }
      }
      if case .mark(_, let sequence)? = found?.kind { return sequence }
      known = try history.marks()
    } catch { throw .log(error) }
    throw .unknownMark(label: label, known: known.map(\.label))
  }

  /// The state of the newest checkpoint up to `last`. If there is none or it cannot be read, the
  /// empty document: a checkpoint is a cache.
  func checkpointedState(notAfter last: SequenceNumber) -> TextState {
    guard let stored = try? history.checkpoint(atOrBefore: last),
      let state = try? CheckpointCodec.decode(stored.bytes), state.sequence == stored.sequence
    else { return TextState() }
    return state
  }
}

extension History {
  /// As `checkLinks(after:through:)`; `pass` gets the last edit that was checked. What it throws ends
  /// the check, and is thrown.
  package func checkLinks(
    after: SequenceNumber = 0, through last: SequenceNumber? = nil, pass: Replay.Pass
  ) throws {
    var failure: (any Error)?
    _ = try checkLinks(after: after, through: last) { place in
      do { try pass(place) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
  }
}
