import TestSupport

/// An endless sequence of edits, taken in batches.
protocol EditPattern {
  /// The next `count` edits, or a few more.
  mutating func batch(of count: Int) -> EditBatch
}

/// Edits of one unit at random places: in turns an insertion of a letter and a deletion, so
/// that the length stays.
struct RandomEdits: EditPattern {
  private let length: Int
  private var random = SplitMix64(seed: 1)

  /// Edits for a text of `length` units.
  init(length: Int) { self.length = length }

  mutating func batch(of count: Int) -> EditBatch {
    var batch = EditBatch()
    batch.reserve(count)
    for _ in 0..<(count + 1) / 2 {
      let position = Int.random(in: 0...length, using: &random)
      batch.append(at: position, removing: 0, inserting: [0x65])
      batch.append(
        at: Int.random(in: 0...length, using: &random), removing: 1, inserting: [])
    }
    return batch
  }
}

/// Letters typed at several cursors in turns, a letter each.
struct CursorEdits: EditPattern {
  private let cursors: Int
  private let spacing: Int
  private var round = 0

  /// Cursors spread evenly over a text of `length` units.
  init(cursors: Int, length: Int) {
    (self.cursors, spacing) = (cursors, length / cursors)
  }

  mutating func batch(of count: Int) -> EditBatch {
    var batch = EditBatch()
    batch.reserve(count + cursors)
    while batch.count < count {
      for cursor in 0..<cursors {
        // In this round the cursors before it have typed once more than it has.
        let typed = cursor * (round + 1) + round
        batch.append(at: cursor * spacing + typed, removing: 0, inserting: [0x65])
      }
      round += 1
    }
    return batch
  }
}

/// Fifty letters typed in the middle of a text, and taken back.
struct TypingInPlace: EditPattern {
  private static let letters = 50
  private let position: Int

  /// Typing in the middle of a text of `length` units.
  init(length: Int) { position = length / 2 }

  mutating func batch(of count: Int) -> EditBatch {
    var batch = EditBatch()
    batch.reserve(count)
    repeat {
      for letter in 0..<Self.letters {
        batch.append(at: position + letter, removing: 0, inserting: [0x65])
      }
      for letter in (0..<Self.letters).reversed() {
        batch.append(at: position + letter, removing: 1, inserting: [])
      }
    } while batch.count < count
    return batch
  }
}
