import EditModel

/// The places, lengths and texts of edits as columns.
///
/// The place of an edit is written relative to the end of the edit before it. Then typing is a run of the
/// same three numbers, of which only the first and their count are written.
struct EditColumns: Sendable {
  private var (counts, moves, removed, added) = (
    ColumnWriter(), ColumnWriter(), ColumnWriter(), ColumnWriter()
  )
  private(set) var text: [UInt16] = []
  private var end = 0
  private var run = (move: 0, removed: 0, added: 0)
  private var runCount = 0

  /// Adds an edit. An edit of attributes replaces no units.
  mutating func append(_ action: EditAction) {
    let removed = action.replacement == nil ? 0 : action.range.length
    let added = action.replacement?.count ?? 0
    let next = (action.range.location - end, removed, added)
    if runCount > 0, next != run { close() }
    (run, runCount) = (next, runCount + 1)
    end = action.range.location + added
    if let replacement = action.replacement { text += replacement.units }
  }

  private mutating func close() {
    guard runCount > 0 else { return }
    counts.append(runCount)
    moves.append(signed: run.move)
    removed.append(run.removed)
    added.append(run.added)
    runCount = 0
  }

  /// The columns: counts of runs, and for each run place, removed and added length.
  mutating func finish() -> [[UInt8]] {
    close()
    return [counts.bytes, moves.bytes, removed.bytes, added.bytes]
  }
}
