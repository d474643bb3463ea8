import EditLog
import EditModel
import EditProtocol
import Replay

extension QueryEngine {
  /// Replay of the document that is asked about: with `verified: true`, of which nothing is believed
  /// that the hash chain does not hold; with `head`, of which that head is confirmed too.
  func replay(_ query: Query) async throws(ProtocolError) -> Replay {
    let (isVerified, head) = try query.read { (params) throws(ShapeError) in
      let head = try params.stringIfPresent("head").map { text throws(ShapeError) in
        guard let head = AcknowledgedHead(text) else {
          throw ShapeError(
            "head", mustBe: "written DOCUMENT@SEQUENCE:HEX", found: params["head"])
        }
        return head
      }
      return (try params.boolIfPresent("verified") ?? false, head)
    }
    let history = try await history(of: query.document)
    guard let head else { return Replay(history, isVerified: isVerified) }
    try confirm(head, history)
    return Replay(history, isVerified: true)
  }

  /// Refuses a history that is not the one that `head` was acknowledged with, or whose links do not
  /// lead there.
  private func confirm(_ head: AcknowledgedHead, _ history: History) throws(ProtocolError) {
    do {
      try history.checkLinks(through: head.sequence)
      if let value = ChainHead(bytes: head.head.bytes),
        try history.confirms(value, at: head.sequence)
      {
        return
      }
    } catch { throw ProtocolError(error).about(history.document) }
    throw .damagedLog(
      """
      \(history.document) does not confirm the head of edit \(head.sequence): its history shrank \
      or was rewritten, or is another's; look for a copy of the store that confirms it
      """)
  }
}
