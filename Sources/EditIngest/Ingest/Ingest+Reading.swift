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

  /// An estimate of the memory for the answer to a question, in bytes, from the length of the newest
  /// version. The answer to `state` has two copies of the text; other answers split it into parts.
  package func answerSize(of request: any MethodRequest) -> Int {
    guard let request = request as? any HistoryRequest else { return 0 }
    let length = documents[request.history.document]?.state.length ?? Self.unknownLength
    switch request {
    case let request as StateRequest: return min(length, request.part.limit ?? length) * 4
    case let request as ParagraphsRequest:
      // The limit is the client's, so the product may overflow.
      let (part, isHuge) = (request.part.limit ?? length)
        .multipliedReportingOverflow(by: Self.paragraphLength)
      return (isHuge ? length : min(length, part)) * 12
    case is RenderRequest: return Self.renderedSize
    // An edit, and the version before it if it removes something.
    case is LogPreviewRequest: return length * 4
    default: return length * 12
    }
  }

  /// An estimate of the size of rendered rows, whose number of units has a bound.
  private static let renderedSize = 2 << 20
  /// An estimate of the length of a paragraph, in UTF-16 units.
  private static let paragraphLength = 256
  /// The estimated length of a document that is not in memory, in UTF-16 units.
  private static let unknownLength = 64 << 10

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
