import EditLog
public import EditModel
public import TextState

extension Replay {
  /// The net difference of two versions: text, attributes and paragraphs.
  ///
  /// The later version is made from the earlier one if few edits are between them. Then both share
  /// most of their nodes, and the cost is that of the earlier version, the edits between them, and
  /// what differs; else that of two versions and of comparing them as a whole.
  ///
  /// - Throws: as `sequence(of:)`.
  public func changes(from: Point, to: Point) throws(ReplayError) -> StateDifference {
    let (older, newer): (TextState, TextState)
    do { (older, newer) = try states(from, to) } catch { throw ReplayError(reading: error) }
    return newer.difference(from: older)
  }

  /// The states at two points; `pass` as in `sequence(of:pass:)`.
  package func states(
    _ first: Point, _ second: Point, pass: Pass = { _ in }
  ) throws -> (first: TextState, second: TextState) {
    let (a, b) = (try sequence(of: first, pass: pass), try sequence(of: second, pass: pass))
    let early = try state(at: .sequence(min(a, b)), pass: pass)
    let late = try state(at: max(a, b), notBefore: early, pass)
    return a <= b ? (early, late) : (late, early)
  }

  /// The version `last`, which is not before `state`: made from it if few edits are between.
  private func state(
    at last: SequenceNumber, notBefore state: TextState, _ pass: Pass
  ) throws -> TextState {
    guard !isVerified, last - state.sequence <= Self.sharedEditCountMax else {
      return try self.state(at: .sequence(last), pass: pass)
    }
    var state = state
    try history.forEachSpan(after: state.sequence, through: last) { span in
      try pass(span.last)
      try Self.apply(span, to: &state)
    }
    guard state.sequence == last else {
      throw ReplayError.gap(after: state.sequence, expected: last)
    }
    return state
  }

  /// Replaying this number of edits costs about as much as comparing two texts that share nothing.
  private static let sharedEditCountMax: UInt64 = 50_000
}
