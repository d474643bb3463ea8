package import EditProtocol
import EditLog
import EditModel
package import Replay

/// A call that changes nothing. The engine answers it from files or from a daemon's memory.
package protocol Question: MethodRequest {
  /// The answer.
  ///
  /// - Throws: `ProtocolError` if the document or the point does not exist, or the log cannot be
  ///   read.
  func answer(_ engine: QueryEngine) async throws(ProtocolError) -> Answer
}

/// A question about one document's history.
package protocol HistoryQuestion: Question, HistoryRequest {
  /// True if the question names the last edit that it concerns by its number. Edits that are lost
  /// after the last known edit can then not be missing from the answer.
  var isClosed: Bool { get }
  /// The answer, without its warnings.
  func answer(_ engine: QueryEngine, _ replay: Replay) async throws(ProtocolError) -> Answer
}

extension HistoryQuestion {
  package var isClosed: Bool { false }

  package func answer(_ engine: QueryEngine) async throws(ProtocolError) -> Answer {
    do throws(ProtocolError) {
      let replay = try await engine.replay(history)
      var answer = try await answer(engine, replay)
      answer.reservation = await engine.reservation(about: replay.history, isClosed: isClosed)
      return answer
    } catch { throw error.about(history.document) }
  }
}

extension PointExpression {
  /// True if this is a sequence number.
  var isNumber: Bool { !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
