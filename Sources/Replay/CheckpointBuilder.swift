package import EditLog
import EditModel
import TextState

/// Makes a document's checkpoints: goes on from the newest one there is, and stores a state
/// wherever replaying up to there has come to cost more than reading it would.
package struct CheckpointBuilder {
  private let sink: CheckpointSink
  private let spacing: Int
  private var state: TextState
  private var cost = ReplayCost()

  /// Stores in `sink` what its history is worth. `spacing` is the replay that is worth a checkpoint,
  /// as `ReplayCost` has it.
  ///
  /// - Throws: `LogError` where the history cannot be read, or a checkpoint not be written.
  package static func run(
    _ sink: CheckpointSink, spacing: Int = ReplayCost.spacing
  ) throws(LogError) {
    var builder = CheckpointBuilder(sink, spacing)
    do {
      try sink.history.forEachSpan(after: builder.state.sequence) { try builder.take($0) }
    } catch is Stop {
      return
    } catch {
      let error = ReplayError(reading: error)
      // No point is asked for, so that it is damage.
      throw error.damage(of: sink.history)
        ?? .damaged(
          file: sink.history.file(of: sink.history.lastSequence), offset: 0, what: "\(error)")
    }
  }

  /// Thrown where the job is asked to stop.
  private struct Stop: Error {}

  private init(_ sink: CheckpointSink, _ spacing: Int) {
    (self.sink, self.spacing) = (sink, spacing)
    let replay = Replay(sink.history)
    state = replay.checkpointedState(notAfter: sink.history.lastSequence)
  }

  /// Applies a span, with a stop at each edit whose head is a link of the chain.
  private mutating func take(_ span: EditSpan) throws {
    if sink.isCancelled { throw Stop() }
    let link = (state.sequence / History.linkSize + 1) * History.linkSize
    guard span.last >= link, span.first == state.sequence + 1 else { return try apply(span) }
    let count = Int(link - span.first) + 1
    try apply(span.prefix(count))
    for index in count..<span.count {
      try apply(EditSpan(span[index], at: span.first + UInt64(index)))
    }
  }

  private mutating func apply(_ span: EditSpan) throws {
    try Replay.apply(span, to: &state)
    cost.add(span)
    let isLink = state.sequence % History.linkSize == 0
    if isLink { cost.passLink() }
    // The head where the sealed part ends is known too: few, but heavy edits get one there. It
    // has to pay later as well, when what comes behind has to be hashed from the link on.
    guard isLink || state.sequence == sink.history.sealedSequence,
      cost.isWorth(state, spacing: spacing)
    else { return }
    try sink.store(CheckpointCodec.encode(state), at: state.sequence)
    cost.passCheckpoint()
  }
}
