import CBaselines
import _RopeModule

/// The rope of swift-collections, addressed by UTF-16 offsets.
struct RopeText: EditedText {
  static let name = "big-string"
  private var rope = BigString()

  mutating func apply(_ batch: EditBatch) {
    for edit in batch.flat {
      // No view is held across the change: it would make the rope copy its path.
      let start = rope.utf16.index(rope.startIndex, offsetBy: Int(edit.position))
      let end = edit.removed == 0 ? start : rope.utf16.index(start, offsetBy: Int(edit.removed))
      let text = String(decoding: batch.inserted(by: edit), as: UTF16.self)
      rope.replaceSubrange(start..<end, with: text)
    }
  }

  var units: [UInt16] { Array(rope.utf16) }
}
