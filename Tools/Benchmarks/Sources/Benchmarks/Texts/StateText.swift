import EditModel
import TextState

/// The state under test: text, attributes and paragraphs.
struct StateText: EditedText {
  static let name = "text-state"
  var state = TextState()

  mutating func apply(_ batch: EditBatch) throws {
    // An iterator would hand out a copy of each action, and count references for it.
    try batch.actions.withUnsafeBufferPointer { actions in
      for index in actions.indices { try state.apply(actions[index]) }
    }
  }

  var units: [UInt16] { state.text.units }
}
