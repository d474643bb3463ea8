import EditLog
import EditModel
import EditProtocol
import EditQueries

extension Ingest {
  /// Stores the bytes of an attachment of a document. A job writes and flushes them: edits, also of this
  /// document, are taken meanwhile.
  ///
  /// - Returns: The attachment, which is on stable storage, and whether it is new.
  /// - Throws: `unknownDocument`; `tooLarge` if there are too many bytes; or the writer's error.
  func attach(
    _ content: [UInt8], to id: DocumentID
  ) async throws(ProtocolError) -> AttachmentQueue.Stored {
    // A large edit may be creating the document.
    while longWork[id] != nil { await idle() }
    let result = await withCheckedContinuation {
      (caller: CheckedContinuation<Result<AttachmentQueue.Stored, ProtocolError>, Never>) in
      // What was so before may not be so here, as in `whenIdle`.
      if let refusal = refusal(ofAttachmentTo: id) {
        return caller.resume(returning: .failure(refusal))
      }
      attachments.add(AttachmentQueue.Waiting(content: content, caller: caller), to: id)
      scheduler.add(.attach, id)
      scheduler.cancel([.checkpoint, .check, .projections, .compaction])
      startJob()
    }
    return try result.get()
  }

  private func refusal(ofAttachmentTo id: DocumentID) -> ProtocolError? {
    guard case .running = phase else { return Self.stopping }
    if let failure { return ProtocolError(failure) }
    return writer.knows(id) ? nil : .unknownDocument(id)
  }

  /// The job of the next attachment of a document; nil if there is none.
  func prepareAttachment(of id: DocumentID) -> StoreJob? {
    guard let content = attachments.begin(id) else { return nil }
    defer { if attachments.isWaiting(id) { scheduler.add(.attach, id) } }
    do throws(LogError) {
      if let job = try writer.prepareAttach(content, to: id) { return job }
      attachments.end(.failure(.unknownDocument(id)))
    } catch { endAttachment(error) }
    return nil
  }

  /// Replies that the attachment of a job is stored.
  func endAttachment(_ job: StoreJob) {
    attachments.end(job.attachment.map { .success($0) } ?? .failure(Self.stopping))
  }

  /// Replies that the attachment of a job is not stored.
  func endAttachment(_ error: LogError) {
    // A refusal names the document, and must not be logged.
    if case .refused = error {} else { handleJobError(error) }
    attachments.end(.failure(ProtocolError(error)))
  }
}
