import EditLogCommands

/// A text that edits are applied to: the state under test, or a baseline.
protocol EditedText {
  /// The name in reports.
  static var name: String { get }
  /// The empty text.
  init()
  /// Applies the edits in order. They fit the text.
  mutating func apply(_ batch: EditBatch) throws
  /// The whole text.
  var units: [UInt16] { get }
  /// What else the text must have right, checked where the text is checked.
  var isConsistent: Bool { get }
}

extension EditedText {
  var isConsistent: Bool { true }

  /// A contender that applies `batch` to an empty text. Making and freeing it is not timed.
  static func replay(
    _ batch: EditBatch, as name: String = Self.name, samplesMax: Int? = nil, turn: Int = 1
  ) -> Contender {
    Contender(name, samplesMax: samplesMax, turn: turn) {
      var text = Self()
      return try Clock.time { try text.apply(batch) }
    }
  }

  /// Applies `batch` to an empty text and compares the text with `expected`.
  static func check(_ batch: EditBatch, gives expected: [UInt16], on trace: String) throws {
    var text = Self()
    try text.apply(batch)
    guard text.units == expected else {
      throw CommandError.data("\(trace): \(name) does not end with the trace's endContent")
    }
    guard text.isConsistent else {
      throw CommandError.internalError("\(trace): \(name) counts paragraphs wrongly")
    }
  }
}
