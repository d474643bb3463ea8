import CBaselines

/// What one writes first: an array of units.
struct ArrayText: EditedText {
  static let name = "swift-array"
  private(set) var units: [UInt16] = []

  mutating func apply(_ batch: EditBatch) {
    for edit in batch.flat {
      let start = Int(edit.position)
      units.replaceSubrange(start..<start + Int(edit.removed), with: batch.inserted(by: edit))
    }
  }
}
