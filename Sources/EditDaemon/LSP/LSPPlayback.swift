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
    _ change: DidChangeParams.Change, with reader: LSPReader, noting oddities: inout [Oddity]
  ) {
    let text = current(noting: &oddities)
    actions += reader.actions(for: change, in: text, noting: &oddities)
  }

  /// The text behind the edits so far.
  mutating func current(noting oddities: inout [Oddity]) -> TextState {
    while appliedCount < actions.count {
      do {
        try state.advance(by: actions[appliedCount])
        appliedCount += 1
      } catch {
        oddities.append(.refused(error))
        actions.remove(at: appliedCount)
      }
    }
    return state
  }
}
