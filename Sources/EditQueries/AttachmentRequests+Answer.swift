import EditLog
import EditModel
package import EditProtocol
package import Replay

extension AttachmentsRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> AttachmentsAnswer {
    let found = try await engine.source.attachments(of: replay.history.document)
    return AttachmentsAnswer(found.map { ShownAttachment($0.digest, size: $0.size) })
  }
}

extension AttachmentRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> AttachmentAnswer {
    let document = replay.history.document
    guard let content = try await engine.source.attachment(digest, of: document) else {
      throw ProtocolError(
        .unknownPoint,
        """
        \(document.shown) has no attachment \(digest); `editlog attachment NAME` lists those it has
        """)
    }
    return AttachmentAnswer(content)
  }
}
