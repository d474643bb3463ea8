import EditLog
import EditModel
import EditProtocol
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
