import EditLog
import EditModel
import EditProtocol
import Replay
import TextState

extension QueryEngine {
  /// The text and attributes of one version.
  func state(_ query: Query, _ replay: Replay) async throws(ProtocolError) -> JSON {
    let state = try await state(at: query.point("at"), replay)
    var result: JSONObject = [
      "document": JSON(query.document.name), "sequence": JSON(state.sequence),
      "length": JSON(state.length), "paragraphCount": JSON(state.paragraphCount),
      "text": JSON(state.text),
    ]
    result["time"] = try time(of: state.sequence, replay.history).map { JSON($0.rfc3339) }
    result["attributeRuns"] = .array(
      state.attributeRuns.map { run in
        ["length": JSON(run.length), "attributes": run.attributes.json]
      })
    return .object(result)
  }

  /// The paragraphs of one version, with their identities.
  func paragraphs(_ query: Query, _ replay: Replay) async throws(ProtocolError) -> JSON {
    let state = try await state(at: query.point("at"), replay)
    let rows = state.paragraphs.enumerated().map { index, paragraph -> JSON in
      [
        "index": JSON(index), "id": JSON("\(paragraph.id)"),
        "location": JSON(paragraph.range.location), "length": JSON(paragraph.range.length),
        "text": JSON(state.text(in: paragraph.range)),
      ]
    }
    return ["sequence": JSON(state.sequence), "paragraphs": .array(rows)]
  }

  private func time(of sequence: SequenceNumber, _ history: History) throws(ProtocolError)
    -> Timestamp?
  {
    guard sequence > 0 else { return nil }
    do { return try history.edit(at: sequence)?.time } catch { throw ProtocolError(error) }
  }
}
