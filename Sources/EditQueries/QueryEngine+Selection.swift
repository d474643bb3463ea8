import EditLog
import EditModel
import EditProtocol
import Projections
import Replay
import TextState

extension QueryEngine {
  /// The carets and selected ranges that a client had when the text was that of a step, in its text
  /// after an undo or a redo that leads there. Empty if no edit has them.
  ///
  /// - Parameters:
  ///   - target: The step.
  ///   - tree: The tree before the undo.
  ///   - state: The text after it. Ranges that do not fit it are not given back: an edit that another
  ///     program wrote to the log may have such.
  ///   - replay: The history.
  /// - Returns: The ranges, the main one first.
  /// - Throws: `ProtocolError` if an edit cannot be read.
  func selection(
    at target: Int, _ tree: UndoTree, _ state: TextState, _ replay: Replay
  ) throws(ProtocolError) -> [SelectedRange] {
    for source in tree.selectionSources(at: target) {
      let ranges = try selection(of: source.edit, isAfter: source.isAfter, replay)
      guard !ranges.isEmpty else { continue }
      let fits = (try? EditSelection.check(ranges, textLength: state.length) { state[$0] }) != nil
      return fits ? ranges : []
    }
    return []
  }

  /// The carets and selected ranges that a client had at the first of some edits that has a selection,
  /// where they stand in the text after the undo of these edits. Empty if none has one.
  ///
  /// - Parameters:
  ///   - change: The undo of the edits.
  ///   - tree: The tree before the undo.
  ///   - state: The text after it.
  ///   - rule: The rule of the tree.
  ///   - replay: The history.
  /// - Returns: The ranges that do not split a surrogate pair, the main one first.
  /// - Throws: `ProtocolError` if an edit cannot be read.
  func selection(
    takingBack change: UndoneChange, _ tree: UndoTree, _ state: TextState, _ rule: UndoRule?,
    _ replay: Replay
  ) throws(ProtocolError) -> [SelectedRange] {
    guard let edit = try firstSelecting(change.undone, replay), let selection = edit.selection
    else { return [] }
    let isBefore = !selection.before.isEmpty
    let version = isBefore ? edit.sequence - 1 : edit.sequence
    let older = try undoTree(replay, rule, through: version).tree.provenance
    let ranges = tree.provenance.ranges(
      isBefore ? selection.before : selection.after, of: older, after: change)
    return ranges.filter { range in
      (try? EditSelection.check([range], textLength: state.length) { state[$0] }) != nil
    }
  }

  /// The first of some edits that has a selection; nil if none has one. O(edits up to it).
  private func firstSelecting(
    _ edits: SequenceSet, _ replay: Replay
  ) throws(ProtocolError) -> Edit? {
    var found: Edit?
    for range in edits.ranges {
      var first = range.lowerBound
      while found == nil, first <= range.upperBound {
        let last = min(range.upperBound, first + Self.selectionStride)
        do {
          try replay.history.forEachEntry(after: first - 1, through: last) { entry in
            if found == nil, case .edit(let edit) = entry, edit.selection != nil { found = edit }
          }
        } catch { throw ProtocolError(reading: error, of: replay.history) }
        first = last + 1
      }
      if found != nil { break }
    }
    return found
  }

  /// One less than the number of edits that are read at a time to find a selection.
  private static let selectionStride: SequenceNumber = 4_095

  /// The ranges of an edit's selection, before or after it. Empty if there are none.
  ///
  /// - Throws: `ProtocolError` if the edit cannot be read.
  func selection(
    of edit: SequenceNumber, isAfter: Bool, _ replay: Replay
  ) throws(ProtocolError) -> [SelectedRange] {
    do {
      let selection = try replay.history.edit(at: edit)?.selection
      return (isAfter ? selection?.after : selection?.before) ?? []
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }
}
