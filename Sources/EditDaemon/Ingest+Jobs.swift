import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore
import Replay

/// Long work on the store's files: prepared and finished between batches, run on a thread of its
/// own, one at a time.
extension Ingest {
  /// Lets the documents be sealed that have at least `count` entries in the journal alone.
  func seal(from count: Int) {
    scheduler.addSeals(from: count, inOldJournals: writer.documentsInOldJournals)
    startJob()
  }

  /// True if requests have to wait until a document is sealed.
  var isHeldUp: Bool { scheduler.isBehind(sealAfter: options.sealAfter) }

  /// Starts the most urgent job, if none is under way.
  func startJob() {
    while failure == nil, let next = scheduler.next(in: phase, awaitsIdle: !whenIdle.isEmpty) {
      do throws(LogError) {
        guard let job = try prepare(next.kind, next.document) else { continue }
        scheduler.begin(next.kind, next.document, job)
        JobThread.run { [self] in
          job.run()
          onLoopLater { $0.finishJob() }
        }
      } catch {
        noteFailure(error)
        if next.kind == .append { endLongWork(on: next.document, error) }
      }
    }
  }

  /// A file that cannot be read or written, but for a failed flush, keeps nobody from writing:
  /// what was to be sealed is still in the journal. To end the daemon would only repeat it.
  private func noteFailure(_ error: LogError) {
    guard case .io = error, writer.isUsable else { return note(error) }
    logger.error("a file was left as it is: \(error)")
  }

  private func prepare(
    _ kind: JobQueue.Kind, _ document: DocumentID
  ) throws(LogError) -> StoreJob? {
    switch kind {
    case .append:
      guard let staged = longWork[document]?.staged else { return nil }
      let job = try writer.prepareAppend(staged.entries, to: document)
      scheduler.noteSealing(of: document)
      return job
    case .seal:
      scheduler.noteSealing(of: document)
      return try writer.prepareSeal(document)
    case .checkpoint:
      return try writer.prepareCheckpoints(document) { sink throws(LogError) in
        try CheckpointBuilder.run(sink)
      }
    case .check: return try writer.prepareCheck(document, CheckpointComparison())
    case .compaction: return try writer.prepareCompaction(document)
    }
  }

  private func finishJob() {
    guard let done = scheduler.end() else { return }
    do throws(LogError) {
      try writer.finish(done.job)
      // No journal has the appended entries, so the catalog lists them before they are acknowledged.
      // Without room for that it does so later.
      if done.kind == .append { try writer.markDurable() }
      noteSuccess(of: done)
    } catch {
      if case .noSpace = error, let staged = longWork[done.document]?.staged {
        noteShortage(of: staged.cost)
      } else {
        noteFailure(error)
      }
      if done.job.receipt != nil {
        // The entries were durable before the failure.
        noteSuccess(of: done)
      } else if done.kind == .append {
        endLongWork(on: done.document, error)
      } else if case .noSpace = error {
        backOff(from: done)
      }
    }
    goOn()
  }

  /// What follows from a job.
  private func noteSuccess(of done: CurrentJob) {
    switch done.kind {
    case .append:
      noteRoom()
      endLongWork(on: done.document, .success(done.job.receipt))
      scheduleMark()
      scheduler.add(.checkpoint, done.document)
      scheduler.add(.compaction, done.document)
    case .seal:
      if documents[done.document] == nil, longWork[done.document] == nil {
        writer.rest(done.document)
      }
      scheduler.add(.checkpoint, done.document)
      scheduler.add(.compaction, done.document)
    case .checkpoint: break
    case .check: noteCheck(of: done)
    // A document has several segments; and one that was stopped is tried again.
    case .compaction where done.job.producedFile || done.job.isCancelled:
      scheduler.add(.compaction, done.document)
    case .compaction: break
    }
  }

  /// There was no room: the job is tried again, and none is for a while.
  private func backOff(from done: CurrentJob) {
    guard phase == .running else { return }
    scheduler.add(done.kind, done.document)
    scheduler.isBackingOff = true
    loop.scheduleTask(in: .seconds(options.backOffSeconds)) {
      self.assumeIsolated { ingest in
        ingest.scheduler.isBackingOff = false
        ingest.startJob()
      }
    }
  }

  /// Returns when no job and no long work is under way.
  func nextIdle() async {
    guard isBusy else { return }
    if phase != .sealing { scheduler.cancel([.checkpoint, .check, .compaction]) }
    await withCheckedContinuation { whenIdle.append($0) }
  }
}
