import EditLog
import EditModel
package import EditProtocol
import EditQueries
import TextState

extension Ingest {
  /// Runs `body` between batches.
  func reading<Value: Sendable>(
    _ body: @Sendable (isolated Ingest) throws(LogError) -> Value
  ) throws(ProtocolError) -> Value {
    do { return try body(self) } catch { throw ProtocolError(error) }
  }

  /// The newest version of a document. Returns nil if it is not in memory.
  func newestState(of document: DocumentID) -> TextState? { documents[document]?.state }

  /// The memory for the answer to a question, in bytes: an upper bound if the document is in memory,
  /// else an estimate from the size of its history, as if each line had few units.
  package func answerSize(of request: any MethodRequest) -> (bytes: Int, isBound: Bool) {
    guard let id = Self.history(of: request)?.document else { return (0, true) }
    func historySize() -> Int { (try? writer.history(of: id))?.decodedSize ?? 0 }
    if let state = documents[id]?.state {
      let cost = AnswerCost(
        units: state.length, paragraphs: state.paragraphCount, runs: state.attributeRunCount,
        edits: Int(clamping: state.sequence), history: { max(historySize(), state.length) })
      return (cost.size(of: request), true)
    }
    let (edits, size) = ((try? writer.lastSequence(of: id)).flatMap { $0 } ?? 0, historySize())
    let cost = AnswerCost(
      units: size, paragraphs: size / Self.unknownLineLength, runs: 0,
      edits: Int(clamping: edits), history: { size })
    return (cost.size(of: request), false)
  }

  /// The history that a request reads; nil if it reads none of one document.
  private static func history(of request: any MethodRequest) -> HistoryReference? {
    switch request {
    case let request as any HistoryRequest: request.history
    case let request as UndoRequest: request.history
    case let request as RedoRequest: request.history
    case let request as RestoreRequest: request.history
    default: nil
    }
  }

  /// Bytes of a history for each paragraph of a document that is not in memory.
  private static let unknownLineLength = 8

  /// Appends edits. Returns when they are durable.
  nonisolated func append(
    _ request: AppendRequest, of client: ClientIdentity? = nil
  ) async throws(ProtocolError) -> AppendResult {
    let result = await withCheckedContinuation { continuation in
      submit(.append(request, of: client) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  /// Makes a document of the entries of another history, or goes on with it. Returns when they are durable.
  nonisolated func importEntries(
    _ request: ImportRequest
  ) async throws(ProtocolError) -> ImportAnswer {
    let result = await withCheckedContinuation { continuation in
      submit(.imported(request) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  /// Gives a document another name. Returns when the rename is durable.
  nonisolated func rename(
    _ document: DocumentID, to name: DocumentID, of client: ClientIdentity? = nil
  ) async throws(ProtocolError) {
    let move = DidRenameFilesParams.Rename(oldURI: document, newURI: name)
    let result = await withCheckedContinuation { continuation in
      submit(.rename(move, of: client) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  /// Marks a version. Returns when the mark is durable.
  nonisolated func mark(
    _ document: DocumentID, label: String, at sequence: SequenceNumber,
    of client: ClientIdentity? = nil
  ) async throws(ProtocolError) {
    let result = await withCheckedContinuation { continuation in
      submit(
        .mark(document, label: label, at: sequence, of: client) {
          continuation.resume(returning: $0)
        })
    }
    return try result.get()
  }
}
