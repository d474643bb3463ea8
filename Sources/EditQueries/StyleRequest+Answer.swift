import EditLog
import EditModel
package import EditProtocol
import Replay
import Styling
import TextState

extension StyleRequest {
  /// The edit that gives the range its attributes, against the newest version, and the answer. Without
  /// an edit, its units have them already.
  ///
  /// - Throws: `ProtocolError`: `sequenceConflict` if the document is not at `base`; `invalidParams` if
  ///   the range is not inside the text, or no unit would be styled.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (answer: StyleAnswer, request: AppendRequest) {
    let engine = engine.begun()
    do throws(ProtocolError) {
      try attributes.checkValues()
      let replay = try await engine.replay(history, base: base)
      let latest = replay.history.lastSequence
      let state = try await engine.state(at: .latest, "at", replay)
      let range = try styled(in: state)
      var request = AppendRequest(
        document: history.document, base: latest, author: author, origin: .format,
        atRest: atRest, edits: [])
      request.acceptsLoss = base != nil
      let action = try action(on: range)
      var styled = state
      do throws(EditError) { try styled.advance(by: action) } catch {
        throw ProtocolError(.internalError, "the style does not fit the text: \(error)")
      }
      if styled.attributeRuns(in: range) != state.attributeRuns(in: range) {
        request.edits = [AppendEdit(action: action)]
      }
      return (
        StyleAnswer(sequence: latest, isChanged: !request.edits.isEmpty, range: range), request
      )
    } catch { throw error.about(history.document) }
  }

  /// The units to style.
  private func styled(in state: TextState) throws(ProtocolError) -> UTF16Range {
    guard range.upperBound <= state.length else {
      throw ProtocolError(
        .invalidParams,
        """
        params.range \(range) ends after the text of version \(state.sequence), which has \
        \(state.length) UTF-16 units
        """)
    }
    guard isOfParagraphs else {
      guard !range.isEmpty else {
        throw ProtocolError(
          .invalidParams,
          """
          the range is empty (params.range), so no unit would be styled; give `paragraphs` \
          (--paragraphs) to style the paragraph
          """)
      }
      return range
    }
    let last = range.isEmpty ? range.location : range.upperBound - 1
    let start = state.paragraph(at: state.paragraphIndex(at: range.location)).range.location
    let end = state.paragraph(at: state.paragraphIndex(at: last)).range.upperBound
    guard start < end else {
      throw ProtocolError(
        .invalidParams,
        """
        the paragraph at \(start) is empty and has no terminator, so it has no units to style; use \
        `editlog/typingAttributes` to style what is typed next
        """)
    }
    return UTF16Range(start..<end)
  }

  private func action(on range: UTF16Range) throws(ProtocolError) -> EditAction {
    do throws(EditError) {
      return try EditAction(
        range: range, replacement: nil, attributes: attributes.change(length: range.length))
    } catch {
      throw ProtocolError(.internalError, "the style does not fit the text: \(error)")
    }
  }
}
