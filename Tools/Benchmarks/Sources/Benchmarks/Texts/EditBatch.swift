import CBaselines
import EditModel

/// Edits prepared for every implementation, so that nothing but applying them is timed.
struct EditBatch {
  /// For the state under test.
  private(set) var actions: [EditAction] = []
  /// For all others: numbers, and places in `units`.
  private(set) var flat: [flat_edit] = []
  /// The inserted units of all edits, end to end.
  private(set) var units: [UInt16] = []

  /// Edits in the batch.
  var count: Int { flat.count }

  /// Replays in a row when it is a contender's turn: enough for a branch predictor to learn a
  /// short history, as it does if one program is measured alone.
  var replaysInTurn: Int { max(4, 400_000 / max(1, count)) }

  /// Room for `count` edits.
  mutating func reserve(_ count: Int) {
    actions.reserveCapacity(count)
    flat.reserveCapacity(count)
  }

  /// Adds the replacement of `removed` units at `position`.
  mutating func append(at position: Int, removing removed: Int, inserting inserted: [UInt16]) {
    actions.append(
      EditAction(
        replacing: UTF16Range(position..<position + removed), with: UTF16Text(units: inserted)))
    flat.append(
      flat_edit(
        position: UInt32(position), removed: UInt32(removed), source: UInt32(units.count),
        inserted: UInt32(inserted.count)))
    units.append(contentsOf: inserted)
  }

  /// The units that an edit inserts.
  func inserted(by edit: flat_edit) -> ArraySlice<UInt16> {
    units[Int(edit.source)..<Int(edit.source + edit.inserted)]
  }

  /// A batch of one insertion into the empty text.
  static func load(_ units: [UInt16]) -> EditBatch {
    var batch = EditBatch()
    batch.append(at: 0, removing: 0, inserting: units)
    return batch
  }
}
