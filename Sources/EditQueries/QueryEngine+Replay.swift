import EditLog
import EditModel
import EditProtocol
import Replay

extension QueryEngine {
  /// Replay of the history that a call is about. If the call names a head, it is checked.
  func replay(_ reference: HistoryReference) async throws(ProtocolError) -> Replay {
    let history = try await history(of: reference.document)
    guard let head = reference.head else {
      return Replay(history, isVerified: reference.isVerified)
    }
    try confirm(head, history)
    return Replay(history, isVerified: true)
  }

  /// Replay of the history that a call changes, at its newest version.
  ///
  /// - Parameters:
  ///   - reference: The history.
  ///   - base: The version that the document must be at; any if nil.
  /// - Throws: `ProtocolError.sequenceConflict` if the document is not at `base`; as
  ///   `replay(_:)`.
  func replay(
    _ reference: HistoryReference, base: SequenceNumber?
  ) async throws(ProtocolError) -> Replay {
    let replay = try await replay(reference)
    let latest = replay.history.lastSequence
    if let base, base != latest {
      throw .sequenceConflict(document: reference.document, base: base, latest: latest)
    }
    return replay
  }

  /// Refuses a history that does not confirm `head`, or whose links do not hold up to it.
  private func confirm(_ head: AcknowledgedHead, _ history: History) throws(ProtocolError) {
    do {
      var progress = FoldProgress(work, 0...head.sequence, share: 0...0.3)
      try history.checkLinks(through: head.sequence) { try progress.note($0) }
      if let value = ChainHead(bytes: head.head.bytes),
        try history.confirms(value, at: head.sequence)
      {
        return
      }
    } catch { throw ProtocolError(reading: error).about(history.document) }
    throw .damagedLog(
      """
      \(history.document) does not confirm the head of edit \(head.sequence): its history was \
      truncated or rewritten, or is another one; look for a copy of the store that confirms it
      """)
  }
}
