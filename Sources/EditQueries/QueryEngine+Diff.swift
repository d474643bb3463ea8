import EditModel
import EditProtocol
import Replay
import TextState

extension QueryEngine {
  /// The difference of two versions, as a unified diff of their lines.
  func diff(_ query: Query, _ replay: Replay) async throws(ProtocolError) -> JSON {
    let context = try query.read { (params) throws(ShapeError) in
      Int(try params.integerIfPresent("context", in: 0...1_000_000) ?? 3)
    }
    let old = try await state(at: query.point("from"), replay)
    let new = try await state(at: query.point("to"), replay)
    let hunks = TextDifference.lineHunks(from: old.text, to: new.text, context: context)
    var unified = ""
    if !hunks.isEmpty {
      // Quoted as git does: a name must not end the header, or begin one.
      let (older, newer) = (
        "\(query.document)@\(old.sequence)", "\(query.document)@\(new.sequence)"
      )
      unified = "--- \(older.shown)\n+++ \(newer.shown)\n"
      for hunk in hunks { unified += hunk.description }
    }
    return ["from": JSON(old.sequence), "to": JSON(new.sequence), "unified": JSON(unified)]
  }
}
