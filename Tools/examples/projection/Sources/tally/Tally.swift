import EditModel
import Projections
import TextState

/// The UTF-16 units that each author inserted and deleted.
struct Tally: Projection {
  static let version: UInt32 = 1
  private(set) var rows: [String: (inserted: Int, deleted: Int)] = [:]

  mutating func apply(_ edit: Edit, _ change: Change, _ state: TextState) {
    guard edit.action.replacement != nil else { return }
    rows[edit.author ?? "unknown", default: (0, 0)].inserted += edit.action.newLength
    rows[edit.author ?? "unknown", default: (0, 0)].deleted += edit.action.range.length
  }
}
