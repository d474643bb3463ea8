import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore

/// Runs the jobs on the store's files that `Upkeep` chooses. Each is prepared and finished between batches, and
/// runs on its own thread, one at a time.
extension Ingest {
  /// Starts the most urgent job, if none runs.
  func startJob() {
    while failure == nil {
      do throws(Upkeep.JobFailure) {
        guard let job = try upkeep.beginJob(in: phase) else { return }
        return JobThread.run { [self] in
          job.run()
          onLoopLater { $0.finishJob() }
        }
      } catch {
        handle(error)
        if error.kind == .append { endLongWork(on: error.document, error.error) }
      }
    }
  }

  private func finishJob() {
    guard let done = upkeep.endJob() else { return }
    var failure: LogError?
    do throws(LogError) {
      try writer.finishWork(done.job)
      noteSealed(done)
      // No journal has these entries, so they are written to the catalog before they are acknowledged.
      // If there is no space for that, it is done later.
      if done.kind == .append { try writer.markDurable() }
      noteSuccess(of: done)
    } catch {
      failure = error
      if done.kind == .attach {
        handle(Upkeep.JobFailure(kind: done.kind, document: done.document, error: error))
      } else if case .noSpace = error, let staged = upkeep.longWork[done.document]?.staged {
        upkeep.space.noteShortage(of: staged.cost)
      } else {
        handleJobError(error)
      }
      if done.job.receipt != nil {
        // The entries were durable before the failure.
        noteSuccess(of: done)
      } else if done.kind == .append {
        endLongWork(on: done.document, error)
      } else if case .noSpace = error, done.kind != .attach {
        backOff(from: done)
      }
    }
    resumeWork()
    if done.kind == .seal { upkeep.forgettings.sealed(failure) }
    tidyJournals()
  }

  private func noteSuccess(of done: CurrentJob) {
    upkeep.noteSuccess(of: done)
    switch done.kind {
    case .append:
      upkeep.space.noteSpace()
      if let staged = upkeep.longWork[done.document]?.staged {
        meters.trace(staged, of: done.document, since: done.start)
        feed.tell(CommitFeed.Commit(documents: [.init(done.document, staged.entries)]))
      }
      endLongWork(on: done.document, .success(done.job.receipt))
      scheduleMark()
    case .seal: restIfUnused(done.document)
    case .check: noteCheck(of: done)
    case .attach, .checkpoint, .compaction, .projections: break
    }
  }

  /// Seals a document without a job.
  func sealNow(_ document: DocumentID) throws(LogError) {
    guard let done = try upkeep.sealNow(document) else { return }
    noteSealed(done)
    restIfUnused(document)
  }

  private func noteSealed(_ done: CurrentJob) {
    guard done.kind == .seal || done.kind == .append else { return }
    meters.noteSealed(done.job.sealedCount, since: done.start)
  }

  /// Lets the writer drop what it has in memory of a document that is not in memory here.
  private func restIfUnused(_ document: DocumentID) {
    guard documents[document] == nil, upkeep.longWork[document] == nil else { return }
    writer.rest(document)
  }

  // MARK: Errors

  private func handle(_ failure: Upkeep.JobFailure) {
    // A refusal names the document of the attachment, and must not be logged.
    if case .refused = failure.error, failure.kind == .attach {
    } else {
      handleJobError(failure.error)
    }
    upkeep.note(failure)
  }

  /// Logs the error of a job. If a file of one document cannot be read or written, the ingest
  /// continues: the entries are still in the journal, and a new start would fail in the same way.
  /// After a failed flush it stops.
  func handleJobError(_ error: LogError) {
    guard case .io = error, writer.isUsable else { return handleWriterError(error) }
    logger.error("a job on a document's files failed: \(error)")
  }

  /// Adds a job again that found no space on the disk, and starts no job for a while.
  private func backOff(from done: CurrentJob) {
    guard phase == .running else { return }
    upkeep.backOff(from: done)
    after(.seconds(options.backOffSeconds)) { ingest in
      ingest.upkeep.endBackOff()
      ingest.startJob()
    }
  }

  // MARK: Journals

  /// Starts to seal the documents with at least `count` entries that are only in the journals, and those with
  /// entries in old journals.
  func seal(from count: Int) {
    upkeep.addSeals(from: count)
    startJob()
  }

  /// Removes the journals whose entries are sealed, one by one, with a batch of requests between two.
  func tidyJournals() {
    guard failure == nil, phase != .closed else { return }
    do throws(LogError) {
      guard try writer.tidyNextJournal() else { return }
      onLoopLater { $0.tidyJournals() }
    } catch {
      handleJobError(error)
    }
  }

  // MARK: Checks

  /// The pause after a check, as a multiple of the check's time: the disk is free for others most of the
  /// time.
  private static let pauseFactor: Int64 = 3

  /// Logs the findings of a check. The files of each document are checked once after the start, while nothing
  /// else is to be done. Files that are sealed later are not: they are read back when they are written. A
  /// document that cannot be read is refused from then on.
  private func noteCheck(of done: CurrentJob) {
    upkeep.pauseChecks()
    after((NIODeadline.now() - done.start) * Self.pauseFactor) { ingest in
      ingest.upkeep.endPauseOfChecks()
      ingest.startJob()
    }
    for removed in done.job.check?.removed ?? [] { logger.warning("\(removed)") }
    guard let failure = done.job.check?.failure else { return }
    logger.error("a document cannot be read, and is refused from now on: \(failure)")
    documents[done.document] = nil
  }

  // MARK: Attachments

  /// Stores the bytes of an attachment of a document. A job writes and flushes them: edits, also of this
  /// document, are taken meanwhile.
  ///
  /// - Returns: The attachment, which is on stable storage, and whether it is new.
  /// - Throws: `unknownDocument`; `tooLarge` if there are too many bytes; or the writer's error.
  func attach(
    _ content: [UInt8], to id: DocumentID
  ) async throws(ProtocolError) -> AttachmentQueue.Stored {
    // A large edit may be creating the document.
    while upkeep.longWork[id] != nil { await idle() }
    let result = await withCheckedContinuation {
      (caller: CheckedContinuation<Result<AttachmentQueue.Stored, ProtocolError>, Never>) in
      // What was so before may not be so here, as in `whenIdle`.
      if let refusal = refusal(ofAttachmentTo: id) {
        return caller.resume(returning: .failure(refusal))
      }
      upkeep.attach(AttachmentQueue.Waiting(content: content, caller: caller), to: id)
      startJob()
    }
    return try result.get()
  }

  private func refusal(ofAttachmentTo id: DocumentID) -> ProtocolError? {
    guard case .running = phase else { return Self.stopping }
    if let failure { return ProtocolError(failure) }
    return writer.knows(id) ? nil : .unknownDocument(id)
  }

  // MARK: Idle

  /// Runs `body` when no job and no long work runs, and before any more begins.
  ///
  /// If the caller's task has an executor of its own, the runtime lets other work of the ingest run where
  /// an `await` begins or ends. So what the body relies on is checked in it.
  func whenIdle<Value: Sendable, Failure>(
    _ body: @escaping @Sendable (isolated Ingest) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation {
      (caller: CheckedContinuation<Result<Value, Failure>, Never>) in
      let work = { (ingest: isolated Ingest) in
        caller.resume(returning: Result { () throws(Failure) in try body(ingest) })
      }
      if upkeep.isBusy { upkeep.await(work, in: phase) } else { work(self) }
    }
    return try result.get()
  }

  /// Returns after a time when no job and no long work ran. More may have begun since.
  func idle() async { await whenIdle { _ in } }
}
