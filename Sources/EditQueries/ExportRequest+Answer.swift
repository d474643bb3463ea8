import EditLog
import EditModel
package import EditProtocol
import Interchange
package import Replay
import TextState

extension ExportRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ExportAnswer {
    let rule = try usedRule()
    guard !identifiers || format == .attributedJSON else {
      throw ProtocolError(
        .invalidParams, "params.identifiers is for the format attributed-json only")
    }
    let state = try await engine.state(at: at, "at", replay)
    guard state.length <= Self.lengthMax else {
      throw ProtocolError(
        .tooLarge,
        """
        the text has \(state.length) UTF-16 units, and \(Self.lengthMax) are written into one answer; \
        use `editlog export`, or read the parts with `editlog/state`
        """)
    }
    let text: AttributedText
    do throws(EditError) {
      text = try AttributedText(state.text, runs: state.attributeRuns)
    } catch { throw ProtocolError(.internalError, "the runs do not cover the text: \(error)") }
    let (bytes, losses) = FileWriter.file(
      text, format, rule: rule, title: replay.history.document.name,
      identifiers: identifiers ? state.identifierRuns : nil
    ) { engine.work?.isOver ?? false }
    try engine.work?.pass(1)
    return ExportAnswer(
      sequence: state.sequence, content: String(decoding: bytes, as: UTF8.self),
      losses: losses.lines)
  }

  private func usedRule() throws(ProtocolError) -> XMLRule {
    guard let rule else { return .standard }
    guard format == .xml else {
      throw ProtocolError(.invalidParams, "params.rule is for the format xml only")
    }
    do throws(InterchangeError) { return try XMLRule(rule: rule) } catch {
      throw ProtocolError(.invalidParams, "params.rule: \(error)")
    }
  }
}

extension TextState {
  /// The paragraphs that have units. O(paragraphs).
  fileprivate var identifierRuns: [IdentifierRun] {
    paragraphs.compactMap { paragraph in
      paragraph.range.isEmpty ? nil : IdentifierRun(id: paragraph.id, range: paragraph.range)
    }
  }
}
