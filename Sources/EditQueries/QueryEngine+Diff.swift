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
    let name = query.document.name
    let unified = UnifiedDiff(from: old.text, to: new.text, context: context)
      .text(old: "\(name)@\(old.sequence)", new: "\(name)@\(new.sequence)")
    return ["from": JSON(old.sequence), "to": JSON(new.sequence), "unified": JSON(unified)]
  }
}
