import EditLog
import EditModel
package import EditProtocol
package import Replay
import TextState

extension AttachmentsRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> AttachmentsAnswer {
    let found = try await engine.source.attachments(of: replay.history.document)
    guard !found.isEmpty else { return AttachmentsAnswer([]) }
    let places = try await engine.state(at: .latest, "at", replay).attachmentPlaces
    return AttachmentsAnswer(
      found.map { stored in
        let place = places[stored.digest]
        return ShownAttachment(
          stored.digest, size: stored.size, name: place?.name, type: place?.type,
          offset: place?.offset)
      })
  }
}

/// What a version says of an attachment in its first place.
private struct AttachmentPlace {
  var name: String?
  var type: String?
  var offset: Int

  /// The maximum size of a name or a type, in bytes of UTF-8. Longer ones are left out.
  static let textSizeMax = 1_024
}

extension TextState {
  /// The attachments that the text names, each with its first place. O(attribute runs).
  fileprivate var attachmentPlaces: [AttachmentDigest: AttachmentPlace] {
    var (places, offset): ([AttachmentDigest: AttachmentPlace], Int) = ([:], 0)
    for run in attributeRuns {
      defer { offset += run.length }
      guard case .map(let map)? = run.attributes["attachment"],
        let digest = map.text("digest").flatMap({ AttachmentDigest($0) }), places[digest] == nil
      else { continue }
      places[digest] = AttachmentPlace(
        name: map.text("name"), type: map.text("type"), offset: offset)
    }
    return places
  }
}

extension AttributeSet {
  /// The value of an attribute, if it is a string that is not too long.
  fileprivate func text(_ name: String) -> String? {
    guard case .string(let text)? = self[name], text.utf8.count <= AttachmentPlace.textSizeMax
    else { return nil }
    return text
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
