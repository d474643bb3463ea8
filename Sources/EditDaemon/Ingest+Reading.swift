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

  /// The newest version, where it is in memory.
  func newestState(of document: DocumentID) -> TextState? { documents[document]?.state }

  /// An estimate of the memory that answering a question takes, in bytes, made beforehand from
  /// the length of the newest version, which a state copies in two forms and other answers tear
  /// into parts.
  func answerSize(of method: String, _ params: JSON) -> Int {
    guard case .string(let name)? = params["document"],
      let document = name.string.flatMap({ DocumentID($0) })
    else { return 0 }
    let length = documents[document]?.state.length ?? Self.unknownLength
    return length * (method == "editlog/state" ? 4 : 12)
  }

  /// What a document that is not in memory is taken for, in UTF-16 units.
  private static let unknownLength = 64 << 10

  /// Appends edits as any client does.
  nonisolated func append(_ request: AppendRequest) async throws(ProtocolError) -> AppendResult {
    let result = await withCheckedContinuation { continuation in
      submit(.append(request) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }

  /// Gives a version a name.
  nonisolated func mark(_ document: DocumentID, label: String, at sequence: SequenceNumber)
    async throws(ProtocolError)
  {
    let result = await withCheckedContinuation { continuation in
      submit(.mark(document, label: label, at: sequence) { continuation.resume(returning: $0) })
    }
    return try result.get()
  }
}
