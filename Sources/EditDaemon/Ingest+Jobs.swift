import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOCore
import Replay

/// A job that runs on the job thread.
struct CurrentJob {
  var kind: JobQueue.Kind
  var document: DocumentID
  let job: StoreJob
  let start = NIODeadline.now()
}

/// Long work on the store's files: prepared and finished between batches, run on a thread of its
/// own, one at a time.
extension Ingest {
  /// Documents of which so many times `sealAfter` entries wait are sealed before more is taken:
  /// what is not sealed is in memory, and in journals that a restart would read.
  private static let backlogMax = 16

  /// Lets the documents be sealed that have at least `count` entries in the journal alone. One
  /// that cannot be sealed keeps them there, and is tried again when it has as many more.
  func seal(from count: Int) {
    for (document, entries) in unsealed where entries >= count { jobs.add(.seal, document) }
    // One edit would keep its journal, and all behind it, for as long as nobody adds to it.
    for document in writer.documentsInOldJournals where unsealed[document] != nil {
      jobs.add(.seal, document)
    }
    if jobs.isWaiting(.seal) { cancelLeisure() }
    startJob()
  }

  /// Stops a job that is not urgent. It is tried again later.
  func cancelLeisure() {
    if current?.kind == .compaction || current?.kind == .check { current?.job.cancel() }
  }

  /// True where requests have to wait until a document is sealed.
  func holdsUp() -> Bool {
    isHeldUp =
      current?.kind == .seal
      && unsealed.values.contains { $0 / Self.backlogMax >= options.sealAfter }
    return isHeldUp
  }

  /// Starts the most urgent job, where none is under way.
  func startJob() {
    while failure == nil, !isFinished, current == nil, let next = jobs.next(of: startableKinds) {
      do throws(LogError) {
        guard let job = try prepare(next.kind, next.document) else { continue }
        current = CurrentJob(kind: next.kind, document: next.document, job: job)
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

  private var startableKinds: [JobQueue.Kind] {
    if isSealingRest { return [.seal, .checkpoint] }
    // Long work that has begun is always finished.
    if isClosing || isBackingOff || !whenIdle.isEmpty { return [.append] }
    // By turns, so that steady large edits do not keep the journals from being sealed.
    let first: [JobQueue.Kind] = lastKind == .append ? [.seal, .append] : [.append, .seal]
    if !isAtRest { return first + [.checkpoint] }
    let check: [JobQueue.Kind] = isCheckPaused ? [] : [.check]
    return first + [.checkpoint] + check + [.compaction]
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
      unsealed[document] = nil
      return job
    case .seal:
      unsealed[document] = nil
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
    guard let done = current else { return }
    (current, lastKind) = (nil, done.kind)
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
      jobs.add(.checkpoint, done.document)
      jobs.add(.compaction, done.document)
    case .seal:
      if documents[done.document] == nil, longWork[done.document] == nil {
        writer.rest(done.document)
      }
      jobs.add(.checkpoint, done.document)
      jobs.add(.compaction, done.document)
    case .checkpoint: break
    case .check: noteCheck(of: done)
    // A document has several segments; and one that was stopped is tried again.
    case .compaction where done.job.isFruitful || done.job.isCancelled:
      jobs.add(.compaction, done.document)
    case .compaction: break
    }
  }

  /// There was no room: the job is tried again, and none is for a while.
  private func backOff(from done: CurrentJob) {
    guard !isClosing else { return }
    jobs.add(done.kind, done.document)
    isBackingOff = true
    loop.scheduleTask(in: .seconds(options.backOffSeconds)) {
      self.assumeIsolated { ingest in
        ingest.isBackingOff = false
        ingest.startJob()
      }
    }
  }

  /// Returns when no job and no long work is under way.
  func nextIdle() async {
    guard isBusy else { return }
    if let current, current.kind != .seal, current.kind != .append, !isSealingRest {
      current.job.cancel()
    }
    await withCheckedContinuation { whenIdle.append($0) }
  }
}
