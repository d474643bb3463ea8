import EditModel
import EditProtocol
import TextState

/// A text after the changes of one message that were read so far. Edits are applied only when the next
/// change needs the text, so a message with one change copies nothing.
struct LSPPlayback {
  /// The edits so far.
  private(set) var actions: [EditAction] = []
  private var state: TextState
  private var appliedCount = 0

  init(_ state: TextState) { self.state = state }

  /// Reads the next change.
  mutating func read(
    _ change: DidChangeParams.Change, with reader: LSPReader, noting anomalies: inout [LSPAnomaly]
  ) {
    let text = current(noting: &anomalies)
    actions += reader.actions(for: change, in: text, noting: &anomalies)
  }

  /// The text after the edits so far.
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
