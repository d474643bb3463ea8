package import EditLog
import EditModel
import TextState

/// Makes a document's checkpoints. It starts from the newest one, and stores a state at each place
/// at which replay would cost more than reading the state.
package struct CheckpointBuilder {
  private let sink: CheckpointSink
  private let spacing: Int
  private var state: TextState
  private var cost = ReplayCost()

  /// Stores the checkpoints of the history of `sink`. `spacing` is the cost of replay from which a
  /// checkpoint is made, in the unit of `ReplayCost`.
  ///
  /// - Throws: `LogError` if the history cannot be read, or a checkpoint cannot be written.
  package static func run(
    _ sink: CheckpointSink, spacing: Int = ReplayCost.spacing
  ) throws(LogError) {
    var builder = CheckpointBuilder(sink, spacing)
    do {
      // The head after an edit that is not sealed would have to be computed from all edits before it.
      try sink.history.forEachSpan(
        after: builder.state.sequence, through: sink.history.sealedSequence
      ) { try builder.take($0) }
    } catch is Stop {
      return
    } catch {
      let error = ReplayError(reading: error)
      // No point was given, so the error is damage.
      throw error.damage(of: sink.history)
        ?? .damaged(
          file: sink.history.file(of: sink.history.lastSequence), offset: 0, what: "\(error)")
    }
  }

  /// Thrown if the job is cancelled.
  private struct Stop: Error {}

  private init(_ sink: CheckpointSink, _ spacing: Int) {
    (self.sink, self.spacing) = (sink, spacing)
    let replay = Replay(sink.history)
    state = replay.checkpointedState(notAfter: sink.history.lastSequence)
  }

  /// Applies a span. If a link of the chain is in it, the span is split there.
  private mutating func take(_ span: EditSpan) throws {
    if sink.isCancelled { throw Stop() }
    let link = (state.sequence / History.linkSize + 1) * History.linkSize
    guard span.last >= link, span.first == state.sequence + 1 else { return try apply(span) }
    let count = Int(link - span.first) + 1
    try apply(span.prefix(count))
    if count < span.count { try take(span[count..<span.count]) }
  }

  private mutating func apply(_ span: EditSpan) throws {
    try Replay.apply(span, to: &state)
    cost.add(span)
    let isLink = state.sequence % History.linkSize == 0
    if isLink { cost.passLink() }
    // The head at the end of the sealed part is known too: a few expensive edits get a checkpoint
    // there. `isWorth` includes the cost of hashing from the last link when it is read later.
    guard isLink || state.sequence == sink.history.sealedSequence,
      cost.isWorth(state, spacing: spacing)
    else { return }
    try sink.store(CheckpointCodec.encode(state), at: state.sequence)
    cost.passCheckpoint()
  }
}
