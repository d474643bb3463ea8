import EditModel
import TextState

/// What replay takes, about in nanoseconds: only the proportions matter.
///
/// Measured on a history of 260,000 edits of prose and on one of large replacements, each step
/// from a sealed store.
package struct ReplayCost {
  /// The replay that is worth a checkpoint, however small the state.
  package static let spacing = 300_000

  /// A span is found in its block and in the tree.
  private static let span = 450
  /// A unit that is inserted.
  private static let unit = 4
  /// A unit of a state that is decompressed and made into a tree.
  private static let storedUnit = 3
  /// A unit and an edit that are hashed, to believe a checkpoint that is not where a link is.
  private static let (hashedUnit, hashedEdit) = (3, 500)

  /// The cost of replay since the last checkpoint.
  private var replay = 0
  /// The cost of believing a checkpoint here.
  private var hashing = 0

  /// A place right behind a checkpoint, or at the start.
  init() {}

  /// Goes on behind a span.
  mutating func add(_ span: EditSpan) {
    let unitCount = span.insertedLength ?? 0
    replay += Self.span + unitCount * Self.unit
    hashing += span.count * Self.hashedEdit + unitCount * Self.hashedUnit
  }

  /// Here the chain has a link: nothing has to be hashed.
  mutating func passLink() { hashing = 0 }

  /// Here is a checkpoint.
  mutating func passCheckpoint() { replay = 0 }

  /// True where replay costs more than reading `state` from a checkpoint here would.
  func isWorth(_ state: TextState, spacing: Int) -> Bool {
    replay >= max(spacing, state.length * Self.storedUnit + hashing)
  }
}
