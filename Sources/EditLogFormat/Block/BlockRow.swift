/// One byte of the column of rows: a span's form, whether it starts where the span before ended,
/// and its number of edits.
struct BlockRow {
  /// The form of a span. `one` means that each edit inserts or deletes one unit; otherwise the
  /// number is in the column of lengths.
  enum Form: UInt8 {
    case insertionOne = 0
    case backspacingOne = 1
    case deletionOne = 2
    /// One edit without attributes that is neither insertion nor deletion.
    case replacement = 3
    case insertion = 4
    case backspacing = 5
    case deletion = 6
    /// An edit that changes attributes, or a run of insertions that all change them in the same
    /// way.
    case styled = 7
  }

  /// Counts below this are in the row. Others are in the column of counts, reduced by this.
  static let countLimit = 16

  let byte: UInt8

  init(byte: UInt8) { self.byte = byte }

  init(_ form: Form, isMoved: Bool, count: Int) {
    let count = UInt8(truncatingIfNeeded: min(count, Self.countLimit) - 1)
    byte = form.rawValue | (isMoved ? 8 : 0) | count << 4
  }

  var form: Form {
    switch byte & 7 {
    case 0: .insertionOne
    case 1: .backspacingOne
    case 2: .deletionOne
    case 3: .replacement
    case 4: .insertion
    case 5: .backspacing
    case 6: .deletion
    default: .styled
    }
  }
  var isMoved: Bool { byte & 8 != 0 }
  /// The number of edits; `countLimit` if the column of counts says how many more there are.
  var count: Int { Int(byte >> 4) + 1 }
}
