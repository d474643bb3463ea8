import EditModel
import TextState

/// The estimated cost of replay, in about thirds of a nanosecond. Only the proportions matter.
///
/// The figures were measured on sealed stores: a history of 260,000 edits of prose, and one of
/// large replacements.
package struct ReplayCost {
  /// The minimum cost of replay between two checkpoints, however small the state.
  package static let spacing = 300_000

  /// The cost of finding a span in its block and in the tree.
  private static let span = 800
  /// The cost of inserting a unit.
  private static let unit = 4
  /// The cost of decompressing a unit of a state and building the tree.
  private static let storedUnit = 3
  /// The cost of hashing a unit and an edit. Hashing verifies a checkpoint that is not at a link.
  private static let (hashedUnit, hashedEdit) = (3, 500)

  /// The cost of replay since the last checkpoint.
  private var replay = 0
  /// The cost of verifying a checkpoint here.
  private var hashing = 0

  /// The cost at the start, or just after a checkpoint.
  init() {}

  /// Adds the cost of a span of `editCount` edits that inserts `unitCount` units.
  mutating func add(editCount: Int, unitCount: Int) {
    replay += Self.span + unitCount * Self.unit
    hashing += editCount * Self.hashedEdit + unitCount * Self.hashedUnit
  }

  /// Records a link of the chain here: a checkpoint here needs no hashing.
  mutating func passLink() { hashing = 0 }

  /// Records a checkpoint here.
  mutating func passCheckpoint() { replay = 0 }

  /// True if replay costs at least as much as reading a state of `length` units from a checkpoint here.
  func isWorth(length: Int, spacing: Int) -> Bool {
    replay >= max(spacing, length * Self.storedUnit + hashing)
  }
}
