import EditLog
public import EditModel
public import TextState

/// A place in a document's history that moves forward and back, with the state there.
///
/// A step forward applies the edits between the two versions. A step back copies the nearest state
/// before the version from those that were kept on the way, and applies at most 15 edits to it; the first
/// step back into a stretch of 512 edits replays the stretch. States
/// share most of their nodes, so a copy is cheap; unlike an inverse edit, it has the identifiers that
/// the paragraphs had. The memory of kept states is bounded.
///
/// After any steps, the state is that of `Replay.state(at:)`.
public struct ReplayCursor: Sendable {
  /// The direction of a step.
  public enum Direction: Sendable {
    /// To later versions.
    case forward
    /// To earlier versions.
    case backward
  }

  /// The history.
  public let replay: Replay
  /// The state at the cursor.
  public private(set) var state: TextState

  private let kept: KeptStates
  private var places: StepPlaces
  /// States of the stretch that the cursor last went back into, every `nearSpacing` edits.
  private var near: [TextState] = []

  /// The number of edits of a stretch, and between two of its states.
  private static let (stretch, nearSpacing) = (SequenceNumber(512), SequenceNumber(16))
  /// The number of edits up to which a move forward applies all of them.
  private static let distanceMax: SequenceNumber = 1 << 12

  /// A cursor at `point`.
  ///
  /// - Throws: as `Replay.state(at:)`. If the replay is verified, all links are checked now.
  public init(_ replay: Replay, at point: Point = .latest) throws(ReplayError) {
    try self.init(replay, at: point, KeptStates())
  }

  /// A cursor that uses states which are kept for the same history.
  package init(_ replay: Replay, at point: Point, _ kept: KeptStates) throws(ReplayError) {
    (self.replay, self.kept) = (replay, kept)
    places = try StepPlaces(replay, kept)
    state = try kept.state(at: replay.sequence(of: point), replay)
  }

  /// The version at the cursor.
  public var sequence: SequenceNumber { state.sequence }

  /// Moves by `count` units. Stops where the history ends: at its first or last version, or at the last
  /// save or session in this direction. Returns the number of steps made.
  ///
  /// - Throws: `ReplayError` if the history cannot be read. The cursor may then be at a version on the
  ///   way.
  @discardableResult
  public mutating func step(
    _ direction: Direction, by unit: StepUnit, count: Int = 1
  ) throws(ReplayError) -> Int {
    let found = try places.place(from: sequence, direction, by: unit, count: count)
    try move(to: found.sequence)
    return found.count
  }

  /// Moves to `point`.
  ///
  /// - Throws: as `Replay.state(at:)`. The cursor may then be at a version on the way.
  public mutating func seek(to point: Point) throws(ReplayError) {
    try move(to: replay.sequence(of: point))
  }

  private mutating func move(to target: SequenceNumber) throws(ReplayError) {
    guard target != sequence else { return }
    if target < sequence { return try moveBack(to: target) }
    guard target - sequence <= Self.distanceMax else {
      return state = try kept.state(at: target, replay)
    }
    // A state that only this cursor has is changed in its place.
    try apply(through: target, to: &state) { (span, state) throws(ReplayError) in
      try Replay.apply(span, to: &state)
    }
  }

  private mutating func moveBack(to target: SequenceNumber) throws(ReplayError) {
    let count = near.partitionPoint { $0.sequence <= target }
    if count > 0, target - near[count - 1].sequence < Self.nearSpacing {
      var state = near[count - 1]
      try apply(through: target, to: &state) { (span, state) throws(ReplayError) in
        try Replay.apply(span, to: &state)
      }
      return self.state = state
    }
    var state = try kept.state(at: target / Self.stretch * Self.stretch, replay)
    var states = [state]
    try apply(through: target, to: &state) { (span, state) throws(ReplayError) in
      for part in span.parts(endingAtMultiplesOf: Self.nearSpacing) {
        try Replay.apply(part, to: &state)
        if state.sequence % Self.nearSpacing == 0 { states.append(state) }
      }
    }
    (self.state, near) = (state, states)
  }

  /// Passes the spans after the state and through `target` to `body`, which applies them.
  private func apply(
    through target: SequenceNumber, to state: inout TextState,
    _ body: (EditSpan, inout TextState) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    do {
      try replay.history.forEachSpan(after: state.sequence, through: target) {
        try body($0, &state)
      }
    } catch { throw ReplayError(reading: error) }
    guard state.sequence == target else {
      throw .gap(after: state.sequence, expected: target)
    }
  }
}
