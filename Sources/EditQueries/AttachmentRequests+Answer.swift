import EditLog
package import EditModel
package import EditProtocol
import Rendering
package import Replay
import TextState

extension AttachAnswer {
  /// What the bytes of an attachment, which were stored, say about it.
  package init(_ digest: AttachmentDigest, _ content: [UInt8], isNew: Bool) {
    let format = MediaFormat(of: content)
    self.init(
      ShownAttachment(digest, size: content.count, type: format.type), isNew: isNew,
      columns: format.cells?.columns, rows: format.cells?.rows)
  }
}

extension AttachmentsRequest: HistoryQuestion {
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> AttachmentsAnswer {
    let found = try await engine.source.attachments(of: replay.history.document)
    guard !found.isEmpty else { return AttachmentsAnswer([]) }
    let places = try await engine.state(at: .latest, "at", replay).attachmentPlaces
    return AttachmentsAnswer(
      found.map { stored in
        let (places, count) = places[stored.digest] ?? ([], 0)
        return ShownAttachment(
          stored.digest, size: stored.size, name: places.first?.name, type: places.first?.type,
          offset: places.first?.offset, places: places, placeCount: count)
      })
  }
}

extension TextState {
  /// The places of each attachment in the text, ascending, and their number. Besides the first place of
  /// each attachment, there are the first `ShownAttachment.placesMax` of all. O(attribute runs).
  fileprivate var attachmentPlaces:
    [AttachmentDigest: (places: [ShownAttachment.Place], count: Int)]
  {
    var found: [AttachmentDigest: (places: [ShownAttachment.Place], count: Int)] = [:]
    var (offset, free) = (0, ShownAttachment.placesMax)
    for run in attributeRuns {
      defer { offset += run.length }
      guard case .map(let map)? = run.attributes["attachment"],
        let digest = map.text("digest").flatMap({ AttachmentDigest($0) })
      else { continue }
      let (name, type) = (map.text("name"), map.text("type"))
      // Neighbours with the same attributes are one run.
      let isFirst = found[digest] == nil
      let shown = min(run.length, isFirst ? free + 1 : free)
      free -= isFirst ? shown - 1 : shown
      found[digest, default: ([], 0)].count += run.length
      for place in offset..<offset + shown {
        found[digest]?.places.append(ShownAttachment.Place(place, name: name, type: type))
      }
    }
    return found
  }
}

/// The maximum size of a name or a type, in bytes of UTF-8. Longer ones are left out.
private let attachmentTextSizeMax = 1_024

extension AttributeSet {
  /// The value of an attribute, if it is a string that is not too long.
  fileprivate func text(_ name: String) -> String? {
    guard case .string(let text)? = self[name], text.utf8.count <= attachmentTextSizeMax
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
