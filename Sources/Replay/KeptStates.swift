import EditLog
package import EditModel
import Synchronization
package import TextState

/// States of one history that are kept in memory, so that any version is found by replaying a few
/// edits.
///
/// A state is made from the one before it, so both share most of their nodes. States are kept only
/// at multiples of `spacing`, and only where versions are asked for: the replay from a kept state to a
/// version leaves states on its way. If they take more than `sizeMax` bytes, every second one is
/// dropped, and the spacing doubles.
///
/// The first version is replayed without keeping anything, because most histories are asked for one
/// version only.
package final class KeptStates: Sendable {
  /// The number of edits beyond which a checkpoint is read instead: reading it costs about as much as
  /// replaying them.
  fileprivate static let distanceMax: SequenceNumber = 1 << 15

  /// The maximum memory of all kept states together, in bytes.
  package let sizeMax: Int

  fileprivate struct Kept {
    var state: TextState
    /// The memory that the state before it does not share, in bytes.
    var size: Int
  }

  fileprivate struct Contents {
    /// The number of edits between two kept states.
    var spacing: SequenceNumber
    var hasBeenAsked = false
    /// The states in the order of their versions.
    var states: [Kept] = []
    /// The memory of all states, in bytes.
    var size = 0
    /// The history from which edits are read. Its decoded blocks are kept with it.
    var replay: Replay?
  }

  private let spacing: SequenceNumber
  private let contents: Mutex<Contents>

  /// No states. `spacing` is the number of edits between two states, as long as there is memory.
  package init(sizeMax: Int = 16 << 20, spacing: SequenceNumber = 512) {
    (self.sizeMax, self.spacing) = (sizeMax, spacing)
    contents = Mutex(Contents(spacing: spacing))
  }

  /// The version `last`, which must be in the history of `replay`. This must be the same history in
  /// each call, of which a later call may know more edits.
  ///
  /// A verified history, or one with damage, is replayed without kept states.
  ///
  /// - Throws: as `Replay.state(at:)`.
  package func state(
    at last: SequenceNumber, _ replay: Replay
  ) throws(ReplayError) -> TextState {
    do { return try state(at: last, replay, pass: { _ in }) } catch {
      throw ReplayError(reading: error)
    }
  }

  /// As `state(at:_:)`; `pass` as in `Replay.sequence(of:pass:)`.
  package func state(
    at last: SequenceNumber, _ replay: Replay, pass: Replay.Pass
  ) throws -> TextState {
    guard !replay.isVerified, replay.history.damage.isEmpty,
      let start = contents.withLock({ start(of: last, replay, &$0) })
    else { return try replay.state(at: .sequence(last), pass: pass) }
    var state = start.state
    if last - state.sequence > Self.distanceMax {
      let stored = start.replay.checkpointedState(notAfter: last)
      if stored.sequence > state.sequence {
        state = stored
        keep(state)
      }
    }
    try start.replay.history.forEachSpan(after: state.sequence, through: last) { span in
      try pass(span.last)
      try apply(span, to: &state, start.spacing)
    }
    guard state.sequence == last else {
      throw ReplayError.gap(after: state.sequence, expected: last)
    }
    return state
  }

  /// Drops the states.
  package func drop() { contents.withLock { $0 = Contents(spacing: spacing) } }

  /// The memory of the states in bytes, an estimate, and their number.
  package var usage: (size: Int, count: Int) {
    contents.withLock { ($0.size, $0.states.count) }
  }

  /// The newest kept state up to `last`. Nil if no state is to be kept for this call.
  private func start(
    of last: SequenceNumber, _ replay: Replay, _ contents: inout Contents
  ) -> (state: TextState, replay: Replay, spacing: SequenceNumber)? {
    guard contents.spacing <= Self.distanceMax, contents.hasBeenAsked else {
      contents.hasBeenAsked = true
      return nil
    }
    if (contents.replay?.history.lastSequence ?? 0) < last { contents.replay = replay }
    let count = contents.states.partitionPoint { $0.state.sequence <= last }
    let state = count > 0 ? contents.states[count - 1].state : TextState()
    return (state, contents.replay ?? replay, contents.spacing)
  }

  private func apply(
    _ span: EditSpan, to state: inout TextState, _ spacing: SequenceNumber
  ) throws(ReplayError) {
    guard span.last / spacing > state.sequence / spacing else {
      return try Replay.apply(span, to: &state)
    }
    for part in span.parts(endingAtMultiplesOf: spacing) {
      try Replay.apply(part, to: &state)
      if state.sequence % spacing == 0 { keep(state) }
    }
  }

  private func keep(_ state: TextState) {
    contents.withLock { contents in
      let index = contents.states.partitionPoint { $0.state.sequence < state.sequence }
      guard state.sequence % contents.spacing == 0,
        index == contents.states.count || contents.states[index].state.sequence != state.sequence
      else { return }
      contents.states.insert(Kept(state: state, size: 0), at: index)
      contents.measure(index)
      if index + 1 < contents.states.count { contents.measure(index + 1) }
      while contents.size > sizeMax { contents.thin() }
    }
  }
}

extension KeptStates.Contents {
  /// Measures the state at `index` again, after a change of the one before it.
  fileprivate mutating func measure(_ index: Int) {
    let size = states[index].state.size(besides: index > 0 ? states[index - 1].state : nil)
    self.size += size - states[index].size
    states[index].size = size
  }

  /// Drops every second state. If a single state is too large, it is dropped, and none is kept from
  /// then on.
  fileprivate mutating func thin() {
    spacing = states.count == 1 ? KeptStates.distanceMax * 2 : spacing * 2
    states.removeAll { $0.state.sequence % spacing != 0 }
    size = 0
    for index in states.indices {
      states[index].size = 0
      measure(index)
    }
  }
}
