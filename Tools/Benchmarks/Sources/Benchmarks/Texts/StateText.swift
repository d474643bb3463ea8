import EditModel
import TextState

/// The state under test: text, attributes and paragraphs.
struct StateText: EditedText {
  static let name = "text-state"
  var state = TextState()

  mutating func apply(_ batch: EditBatch) throws {
    for action in batch.actions { try state.apply(action) }
  }

  var units: [UInt16] { state.text.units }
}
