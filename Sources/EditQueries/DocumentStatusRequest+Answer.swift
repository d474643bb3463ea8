import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension DocumentStatusRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> DocumentStatusAnswer {
    let (tree, state) = try engine.undoTree(replay)
    var time: Timestamp?
    do { time = try replay.history.time(ofEdit: state.sequence) } catch {
      throw ProtocolError(reading: error, of: replay.history)
    }
    return DocumentStatusAnswer(
      sequence: state.sequence, time: time,
      isOpen: await engine.source.isOpen(replay.history.document),
      undoableStep: tree.undoable?.number, redoableStep: tree.redoable?.number)
  }
}
