import EditModel
import EditProtocol
import TextState

/// A text as the edits of one message leave it. Copies nothing where a message has one change:
/// edits are applied only when the text behind them is asked for.
struct LSPPlayback {
  /// The edits so far.
  private(set) var actions: [EditAction] = []
  private var state: TextState
  private var appliedCount = 0

  init(_ state: TextState) { self.state = state }

  /// Reads one more change.
  mutating func read(
    _ change: DidChangeParams.Change, with reader: LSPReader, noting anomalies: inout [LSPAnomaly]
  ) {
    let text = current(noting: &anomalies)
    actions += reader.actions(for: change, in: text, noting: &anomalies)
  }

  /// The text behind the edits so far.
  mutating func current(noting anomalies: inout [LSPAnomaly]) -> TextState {
    while appliedCount < actions.count {
      do {
        try state.advance(by: actions[appliedCount])
        appliedCount += 1
      } catch {
        anomalies.append(.refused(error))
        actions.remove(at: appliedCount)
      }
    }
    return state
  }
}
