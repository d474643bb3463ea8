import EditLog
import EditModel
import EditProtocol
import EditQueries

extension Ingest {
  /// Stores the bytes of an attachment of a document. No edit is taken meanwhile, at most 16 MiB.
  ///
  /// - Throws: `unknownDocument`; `tooLarge` if there are too many bytes; or the writer's error.
  func attach(
    _ content: [UInt8], to id: DocumentID
  ) async throws(ProtocolError) -> (attachment: StoredAttachment, isNew: Bool) {
    // A job uses its document's files, and no others.
    while isBusy(with: id) { await nextIdle() }
    guard phase != .closed else { throw Self.stopping }
    defer { seal(from: options.sealAfter) }
    do {
      guard let stored = try writer.attach(content, to: id) else {
        throw ProtocolError.unknownDocument(id)
      }
      return stored
    } catch let error as LogError {
      // A refusal names the document, and must not be logged.
      if case .refused = error { throw ProtocolError(error) }
      handleWriterError(error)
      throw ProtocolError(error)
    } catch let error as ProtocolError {
      throw error
    } catch {
      throw ProtocolError(.internalError, "\(error)")
    }
  }
}
