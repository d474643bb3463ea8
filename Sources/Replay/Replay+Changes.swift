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
    let (older, newer) = try states(from, to)
    return newer.difference(from: older)
  }

  /// The states at two points.
  package func states(
    _ first: Point, _ second: Point
  ) throws(ReplayError) -> (first: TextState, second: TextState) {
    let (a, b) = (try sequence(of: first), try sequence(of: second))
    let early = try state(at: .sequence(min(a, b)))
    let late = try state(at: .sequence(max(a, b)), notBefore: early)
    return a <= b ? (early, late) : (late, early)
  }

  /// The state at `point`, which is not before `state`: made from it if few edits are between.
  private func state(at point: Point, notBefore state: TextState) throws(ReplayError) -> TextState {
    let last = try sequence(of: point)
    guard !isVerified, last - state.sequence <= Self.sharedEditCountMax else {
      return try self.state(at: point)
    }
    var state = state
    do {
      try history.forEachSpan(after: state.sequence, through: last) { span in
        try Self.apply(span, to: &state)
      }
    } catch { throw ReplayError(reading: error) }
    guard state.sequence == last else { throw .gap(after: state.sequence, expected: last) }
    return state
  }

  /// Replaying this number of edits costs about as much as comparing two texts that share nothing.
  private static let sharedEditCountMax: UInt64 = 50_000
}
