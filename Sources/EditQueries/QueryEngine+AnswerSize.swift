import EditLog
package import EditModel
package import EditProtocol
import TextState

extension QueryEngine {
  /// Bytes of a history for each paragraph of a document that is not in memory.
  private static let unknownLineLength = 8

  /// The memory for the answer to a question, in bytes: an upper bound if the document is in memory,
  /// else an estimate from the size of its history, as if each line had few units.
  package func answerSize(of request: any MethodRequest) async -> (bytes: Int, isBound: Bool) {
    guard let id = Self.document(of: request) else { return (0, true) }
    if let state = await source.newestState(of: id) {
      let cost = AnswerCost(
        units: state.length, paragraphs: state.paragraphCount, runs: state.attributeRunCount,
        edits: Int(clamping: state.sequence),
        history: { max((try? await source.history(of: id))?.decodedSize ?? 0, state.length) })
      return (await cost.size(of: request), true)
    }
    let history = try? await source.history(of: id)
    let size = history?.decodedSize ?? 0
    let cost = AnswerCost(
      units: size, paragraphs: size / Self.unknownLineLength, runs: 0,
      edits: Int(clamping: history?.lastSequence ?? 0), history: { size })
    return (await cost.size(of: request), false)
  }

  /// The document whose history a request reads; nil if it reads none, or several.
  package static func document(of request: any MethodRequest) -> DocumentID? {
    switch request {
    case let request as any HistoryRequest: request.history.document
    case let request as UndoRequest: request.history.document
    case let request as RedoRequest: request.history.document
    case let request as RestoreRequest: request.history.document
    case let request as SubscribeRequest: request.document
    default: nil
    }
  }
}
