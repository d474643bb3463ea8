import CBaselines
import EditModel
import TextState

/// The state under test: text, attributes and paragraphs.
struct StateText: EditedText {
  static let name = "text-state"
  var state = TextState()

  mutating func apply(_ batch: EditBatch) throws {
    let units = batch.units.span
    for edit in batch.flat {
      try state.replaceCharacters(
        in: UTF16Range(Int(edit.position)..<Int(edit.position + edit.removed)),
        with: units.extracting(Int(edit.source)..<Int(edit.source + edit.inserted)))
    }
  }

  var units: [UInt16] { state.text.units }
}

/// The same, fed with edit actions, which are values with arrays of their own.
struct StateActionsText: EditedText {
  static let name = "text-state-of-actions"
  var state = TextState()

  mutating func apply(_ batch: EditBatch) throws {
    // An iterator would hand out a copy of each action, and count references for it.
    try batch.actions.withUnsafeBufferPointer { actions in
      for index in actions.indices { try state.apply(actions[index]) }
    }
  }

  var units: [UInt16] { state.text.units }
}
