import EditLog
import EditLogFormat
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore
import Replay

/// Jobs on the store's files. Each is prepared and finished between batches, and runs on its own thread,
/// one at a time.
extension Ingest {
  /// Starts to seal the documents with at least `count` entries that are only in the journals.
  func seal(from count: Int) {
    scheduler.addSeals(from: count)
    sealOldJournals()
  }

  /// Starts the waiting jobs, and to seal the documents with entries in old journals.
  func sealOldJournals() {
    scheduler.addSeals(inOldJournals: writer.documentsInOldJournals)
    startJob()
  }

  /// True if requests must wait until a document is sealed.
  var isHeldUp: Bool { scheduler.isBehind }

  /// Starts the most urgent job, if none runs.
  func startJob() {
    while failure == nil, let next = scheduler.next(in: phase, awaitsIdle: !idleWork.isEmpty) {
      do throws(LogError) {
        guard let job = try prepare(next.kind, next.document) else { continue }
        scheduler.begin(next.kind, next.document, job)
        JobThread.run { [self] in
          job.run()
          onLoopLater { $0.finishJob() }
        }
      } catch {
        handleJobError(error)
        if next.kind == .append { endLongWork(on: next.document, error) }
        if next.kind == .seal { forgettings.sealed(error) }
      }
    }
  }

  /// Logs the error of a job. If a file of one document cannot be read or written, the ingest
  /// continues: the entries are still in the journal, and a new start would fail in the same way.
  /// After a failed flush it stops.
  func handleJobError(_ error: LogError) {
    guard case .io = error, writer.isUsable else { return handleWriterError(error) }
    logger.error("a job on a document's files failed: \(error)")
  }

  private func prepare(
    _ kind: JobQueue.Kind, _ document: DocumentID
  ) throws(LogError) -> StoreJob? {
    // Its journals are overwritten before they are removed: they are not removed because it is sealed.
    if forgettings.contains(document), kind != .append, kind != .attach { return nil }
    switch kind {
    case .append:
      guard let staged = longWork[document]?.staged else { return nil }
      let job = try writer.prepareAppend(staged.entries, to: document)
      scheduler.noteSealing(of: document)
      return job
    case .seal:
      scheduler.noteSealing(of: document)
      let job = try writer.prepareSeal(document)
      scheduler.noteSealing(of: document, leaving: job?.unsealedCount ?? 0)
      return job
    case .checkpoint:
      let unstored = traces.unstored(of: document)
      return try writer.prepareCheckpoints(document) { [traces] sink throws(LogError) in
        if let unstored {
          try sink.add(unstored.traces)
          traces.noteStored(document, unstored.change)
        }
        try CheckpointBuilder.run(sink)
      }
    case .check: return try writer.prepareCheck(document, CheckpointComparison())
    case .projections:
      return try writer.prepareCheckpoints(document, of: .projections) { sink throws(LogError) in
        try ProjectionBuilder.run(sink)
      }
    case .compaction: return try writer.prepareCompaction(document)
    case .attach: return prepareAttachment(of: document)
    }
  }

  /// Seals a document without a job.
  func sealNow(_ document: DocumentID) throws(LogError) {
    guard let job = try writer.prepareSeal(document) else { return }
    scheduler.noteSealing(of: document, leaving: job.unsealedCount)
    let done = CurrentJob(kind: .seal, document: document, job: job)
    job.run()
    try writer.finishWork(job)
    meters.noteSealed(done)
    if documents[document] == nil, longWork[document] == nil { writer.rest(document) }
    addLateJobs(of: document)
  }

  private func finishJob() {
    guard let done = scheduler.end() else { return }
    var failure: LogError?
    do throws(LogError) {
      try writer.finishWork(done.job)
      meters.noteSealed(done)
      // No journal has these entries, so they are written to the catalog before they are acknowledged.
      // If there is no space for that, it is done later.
      if done.kind == .append { try writer.markDurable() }
      noteSuccess(of: done)
    } catch {
      failure = error
      if done.kind == .attach {
        endAttachment(error)
      } else if case .noSpace = error, let staged = longWork[done.document]?.staged {
        noteShortage(of: staged.cost)
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
    if done.kind == .seal { forgettings.sealed(failure) }
    tidyJournals()
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

  /// Replies to the request of a job, and adds the jobs that follow it.
  private func noteSuccess(of done: CurrentJob) {
    switch done.kind {
    case .append:
      noteSpace()
      if let staged = longWork[done.document]?.staged {
        meters.trace(staged, by: done)
        feed.tell(CommitFeed.Commit(documents: [.init(done.document, staged.entries)]))
      }
      endLongWork(on: done.document, .success(done.job.receipt))
      scheduleMark()
      addLateJobs(of: done.document)
    case .seal:
      // The next entries of a long backlog.
      if done.job.unsealedCount > 0 { scheduler.add(.seal, done.document) }
      if documents[done.document] == nil, longWork[done.document] == nil {
        writer.rest(done.document)
      }
      addLateJobs(of: done.document)
    case .checkpoint: break
    case .attach: endAttachment(done.job)
    case .check: noteCheck(of: done)
    // A document may have more segments to compact, and a cancelled job is tried again.
    case .compaction where done.job.producedFile || done.job.isCancelled:
      scheduler.add(.compaction, done.document)
    case .projections where done.job.isCancelled: scheduler.add(.projections, done.document)
    case .compaction, .projections: break
    }
  }

  /// Adds the jobs that follow new sealed entries.
  private func addLateJobs(of document: DocumentID) {
    for kind in [JobQueue.Kind.checkpoint, .projections, .compaction] {
      scheduler.add(kind, document)
    }
  }

  /// Adds a job again that found no space on the disk, and starts no job for a while.
  private func backOff(from done: CurrentJob) {
    guard phase == .running else { return }
    scheduler.add(done.kind, done.document)
    scheduler.isBackingOff = true
    after(.seconds(options.backOffSeconds)) { ingest in
      ingest.scheduler.isBackingOff = false
      ingest.startJob()
    }
  }

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
      guard isBusy else { return work(self) }
      if phase != .sealing { scheduler.cancel([.checkpoint, .check, .projections, .compaction]) }
      idleWork.append(work)
    }
    return try result.get()
  }

  /// Returns after a time when no job and no long work ran. More may have begun since.
  func idle() async { await whenIdle { _ in } }
}
