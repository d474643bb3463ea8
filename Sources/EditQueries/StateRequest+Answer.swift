import EditLog
import EditModel
package import EditProtocol
package import Replay
import TextState

extension StateRequest: HistoryQuestion {
  package var isClosed: Bool { part.at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> StateAnswer {
    let state = try await engine.state(at: part.at, "at", replay)
    let range = try state.part(from: part.offset, part.limit)
    if range.upperBound < state.length { engine.keep(state, replay) }
    return StateAnswer(
      document: history.document, sequence: state.sequence,
      // The edit may be as long as the text, so it is read only for the first part.
      time: part.offset == 0 ? try replay.history.time(of: state.sequence) : nil,
      length: state.length,
      paragraphCount: state.paragraphCount, text: state.compactText(in: range),
      attributeRuns: state.attributeRuns(in: range),
      next: range.upperBound < state.length ? range.upperBound : nil)
  }
}

extension History {
  /// The time of an edit. Nil for 0, the empty document.
  func time(of sequence: SequenceNumber) throws(ProtocolError) -> Timestamp? {
    do { return try time(ofEdit: sequence) } catch { throw ProtocolError(error) }
  }
}

extension TextState {
  /// The range of at most `limit` units from `offset`. It does not end inside a surrogate pair.
  ///
  /// - Throws: `ProtocolError`: `invalidParams` if the text is shorter than `offset`.
  fileprivate func part(from offset: Int, _ limit: Int?) throws(ProtocolError) -> UTF16Range {
    guard offset <= length else {
      throw ProtocolError(
        .invalidParams, "params.offset must be at most \(length), the length of the text")
    }
    guard let limit, limit < length - offset else { return UTF16Range(offset..<length) }
    var end = offset + limit
    if end - 1 > offset, UTF16.isLeadSurrogate(text(in: UTF16Range(end - 1..<end)).units[0]) {
      end -= 1
    }
    return UTF16Range(offset..<end)
  }
}
