public import EditModel
public import EditProtocol
import Replay

extension QueryEngine {
  /// What `editlog/mark` asks for: which version gets which label.
  ///
  /// - Throws: `ProtocolError` as `answer`, and where the label is empty or longer than
  ///   `HistoryEvent.labelSizeMax` bytes.
  public func mark(_ params: JSON) async throws(ProtocolError)
    -> (document: DocumentID, label: String, sequence: SequenceNumber)
  {
    let query = try Query(params, clock)
    let label = try query.read { (params) throws(ShapeError) in
      let label = try params.string("label")
      guard (1...HistoryEvent.labelSizeMax).contains(label.utf8.count) else {
        throw ShapeError(
          "label", mustBe: "a label of 1 to \(HistoryEvent.labelSizeMax) bytes of UTF-8",
          found: params["label"])
      }
      return label
    }
    do throws(ProtocolError) {
      let replay = Replay(try await history(of: query.document))
      let point = try query.point("at")
      do { return (query.document, label, try replay.sequence(of: point)) } catch {
        throw ProtocolError(error, of: replay.history)
      }
    } catch { throw error.about(query.document) }
  }

  /// What `editlog/undo` asks for: the edits that take the current undo step back, as one
  /// transaction made against the newest version.
  public func undoRequest(_ params: JSON) async throws(ProtocolError)
    -> (step: Int, request: AppendRequest)
  {
    let query = try Query(params, clock)
    let plan: (step: Int, base: SequenceNumber, actions: [EditAction])
    do throws(ProtocolError) { plan = try undoPlan(try await replay(query)) } catch {
      throw error.about(query.document)
    }
    let edits = plan.actions.map { AppendEdit(action: $0, transaction: 0) }
    let author = try query.read { (params) throws(ShapeError) in
      try params.stringIfPresent("author")
    }
    let request = AppendRequest(
      document: query.document, base: plan.base, author: author, origin: .undo, edits: edits)
    return (plan.step, request)
  }
}
