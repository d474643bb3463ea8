import EditLog
import EditModel
package import EditProtocol
package import Replay
import TextState

extension ContentsRequest: HistoryQuestion {
  package var isClosed: Bool { at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> ContentsAnswer {
    let state = try await engine.state(at: at, "at", replay)
    let ranges = state.contentRanges
    let start = min(offset, ranges.count)
    let end = start + min(limit, ranges.count - start)
    if end < ranges.count { engine.keep(state, replay) }
    return ContentsAnswer(
      sequence: state.sequence, count: ranges.count,
      contents: ranges[start..<end].map { ShownContent($0, in: state) },
      next: end < ranges.count ? end : nil)
  }
}

extension InsertAttachmentRequest {
  /// The edit that inserts the attachment into the newest version, and the answer.
  ///
  /// - Throws: `ProtocolError`: `sequenceConflict` if the document is not at `base`; `invalidParams` if the
  ///   text has no such place.
  package func plan(
    _ engine: QueryEngine
  ) async throws(ProtocolError) -> (answer: InsertAttachmentAnswer, request: AppendRequest) {
    let engine = engine.begun()
    do throws(ProtocolError) {
      let replay = try await engine.replay(history, base: base)
      let latest = replay.history.lastSequence
      var state = try await engine.state(at: .latest, "at", replay)
      let offset = try offset(in: state)
      let action: EditAction
      do throws(EditError) {
        action = try EditAction(
          range: UTF16Range(offset..<offset), replacement: UTF16Text(units: [Attachment.unit]),
          // The paragraph's attributes stay.
          attributes: .merge([
            AttributeRun(length: 1, attributes: [Attachment.attribute: attachment])
          ]))
        try state.advance(by: action)
      } catch { throw ProtocolError(.invalidEdit, "the attachment does not fit: \(error)") }
      var request = AppendRequest(
        document: history.document, base: latest, author: author, origin: .program,
        atRest: atRest, edits: [AppendEdit(action: action)])
      request.acceptsLoss = base != nil
      return (
        InsertAttachmentAnswer(
          sequence: latest, offset: offset, count: state.contentRanges.count), request
      )
    } catch { throw error.about(history.document) }
  }

  /// The place that the scope names.
  private func offset(in state: TextState) throws(ProtocolError) -> Int {
    switch scope {
    case .first: return 0
    case .last, .automatic(caret: nil): return state.length
    case .automatic(let caret?):
      guard caret <= state.length else {
        throw ProtocolError(
          .invalidParams,
          """
          params.caret \(caret) is after the text of version \(state.sequence), which has \
          \(state.length) UTF-16 units
          """)
      }
      return caret
    case .index(let index):
      let ranges = state.contentRanges
      guard index <= ranges.count else {
        throw ProtocolError(
          .invalidParams,
          """
          params.index is \(index), and version \(state.sequence) has \(ranges.count) contents; the last \
          place is \(ranges.count)
          """)
      }
      return index < ranges.count ? ranges[index].location : state.length
    }
  }
}

extension TextState {
  /// The ranges of the attachments and of the texts between them, in order; as `AttributedText.contents`
  /// has them. O(n).
  fileprivate var contentRanges: [UTF16Range] {
    var (ranges, start, place): ([UTF16Range], Int, Int) = ([], 0, 0)
    withChunks(in: UTF16Range(0..<length)) { chunk in
      for unit in chunk {
        if unit == Attachment.unit {
          if start < place { ranges.append(UTF16Range(start..<place)) }
          ranges.append(UTF16Range(place..<place + 1))
          start = place + 1
        }
        place += 1
      }
    }
    if start < place { ranges.append(UTF16Range(start..<place)) }
    return ranges
  }
}

extension ShownContent {
  /// A content of a version.
  fileprivate init(_ range: UTF16Range, in state: TextState) {
    let end = min(range.upperBound, range.location + ContentsRequest.textLengthMax)
    let text = state.text(in: UTF16Range(range.location..<end))
    guard text.units.first == Attachment.unit else {
      self.init(.text, range, text: text)
      return
    }
    let value = state.attributes(at: range.location).attributes[Attachment.attribute]
    self.init(value == nil ? .placeholder : .attachment, range, attachment: value)
  }
}
