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
  ) throws(ProtocolError) -> [UTF16Range] {
    for source in tree.selectionSources(at: target) {
      let ranges = try selection(of: source.edit, isAfter: source.isAfter, replay)
      guard !ranges.isEmpty else { continue }
      let fits = (try? EditSelection.check(ranges, textLength: state.length) { state[$0] }) != nil
      return fits ? ranges : []
    }
    return []
  }

  /// The ranges of an edit's selection, before or after it. Empty if there are none.
  ///
  /// - Throws: `ProtocolError` if the edit cannot be read.
  func selection(
    of edit: SequenceNumber, isAfter: Bool, _ replay: Replay
  ) throws(ProtocolError) -> [UTF16Range] {
    do {
      let selection = try replay.history.edit(at: edit)?.selection
      return (isAfter ? selection?.after : selection?.before) ?? []
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }
}
