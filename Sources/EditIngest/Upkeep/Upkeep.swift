import DequeModule
import EditLog
import EditModel
import EditProtocol
import EditQueries
import NIOCore
import Replay

/// The care for the store's files, and all work that takes long: jobs on files, long work on documents,
/// forgetting, rest, the durable mark.
///
/// It alone knows jobs: it chooses and prepares the next one, and says what follows from one that has ended.
/// The ingest runs it on a thread, and moves its results to the other rooms.
struct Upkeep {
  /// What runs on the loop once no job and no long work runs.
  typealias IdleWork = (isolated Ingest) -> Void

  /// A job that cannot be prepared or finished.
  struct JobFailure: Error {
    let kind: JobQueue.Kind
    let document: DocumentID
    let error: LogError
  }

  /// The long work on documents.
  var longWork = LongWorkTable()
  /// Whether the store has space.
  var space: SpaceWatch
  /// The documents that are being forgotten. No job changes their files but those whose clients wait.
  var forgettings = Forgettings()
  private let writer: StoreWriter
  private let traces: LiveTraces
  private var scheduler: JobScheduler
  /// The attachments that wait for a job.
  private var attachments = AttachmentQueue()
  /// What waits until no job and no long work runs. While anything does, no long work begins, and only
  /// jobs of long work that has begun.
  private var idleWork: Deque<IdleWork> = []
  /// The timer for the next rest, and when something was written last.
  private var (resting, lastWrite): (Scheduled<Void>?, NIODeadline) = (nil, .uptimeNanoseconds(0))
  /// The timer for the next write of the durable mark, and when the oldest batch was written that the mark does
  /// not name.
  private var (marking, unmarkedSince): (Scheduled<Void>?, NIODeadline) = (
    nil, .uptimeNanoseconds(0)
  )

  /// The upkeep of a store that was just opened.
  ///
  /// - Parameter traces: Those that are stored with checkpoints.
  init(_ writer: StoreWriter, _ traces: LiveTraces, _ space: SpaceWatch) {
    (self.writer, self.traces, self.space) = (writer, traces, space)
    scheduler = JobScheduler(documents: writer.documentIDs, unsealed: writer.unsealedCounts)
  }

  // MARK: Busy or idle

  /// True while a job or long work runs.
  var isBusy: Bool { scheduler.current != nil || !longWork.isEmpty }

  /// True if a job or long work of this document runs.
  func isBusy(with id: DocumentID) -> Bool {
    scheduler.current?.document == id || longWork[id] != nil
  }

  /// True while anything waits until no job and no long work runs.
  var isAwaited: Bool { !idleWork.isEmpty }

  /// True if more long work of this kind may begin.
  func mayBegin(isReading: Bool) -> Bool {
    idleWork.isEmpty && longWork.mayBegin(isReading: isReading)
  }

  /// Lets `work` wait for `nextIdleWork`. Cancels the jobs that can be done later.
  mutating func await(_ work: @escaping IdleWork, in phase: IngestPhase) {
    if phase != .sealing { scheduler.cancel([.checkpoint, .check, .projections, .compaction]) }
    idleWork.append(work)
  }

  /// The next work that waited until no job and no long work runs. Nil while any runs.
  mutating func nextIdleWork() -> IdleWork? { isBusy ? nil : idleWork.popFirst() }

  // MARK: Jobs

  /// True if requests must wait until a document is sealed.
  var isBehind: Bool { scheduler.isBehind }

  /// True while a seal job runs or waits.
  var isSealing: Bool { scheduler.isSealing }

  /// Counts the entries of a batch, and adds the seal jobs that they make necessary.
  ///
  /// - Returns: The documents whose next requests are delayed, and for how long.
  mutating func noteWritten(
    _ appends: [(document: DocumentID, entries: EncodedEntries, ends: [Int])], sealAfter: Int
  ) -> [(document: DocumentID, time: TimeAmount)] {
    let pauses = appends.compactMap { append in
      scheduler.noteAppended(append.entries.count, to: append.document, sealAfter: sealAfter)
        .map { (append.document, $0) }
    }
    if scheduler.hasNewOldJournal(writer.newestOldJournal) {
      scheduler.addSeals(inOldJournals: writer.documentsInOldJournals)
    }
    return pauses
  }

  /// Adds seal jobs for the documents with at least `count` unsealed entries, and for those with entries in
  /// old journals.
  mutating func addSeals(from count: Int) {
    scheduler.addSeals(from: count)
    scheduler.addSeals(inOldJournals: writer.documentsInOldJournals)
  }

  /// Adds a seal job for a document, even if one failed before.
  mutating func addSeal(of document: DocumentID) { scheduler.addSeals(of: [document]) }

  /// Adds the jobs that a stop is to do: those that seal, and those that store traces.
  mutating func addLastJobs() {
    for document in writer.unsealedCounts.keys { scheduler.add(.seal, document) }
    for document in traces.unstored { scheduler.add(.checkpoint, document) }
  }

  /// Begins the most urgent job, which the caller must run. Returns nil if a job runs, or if none is to begin.
  mutating func beginJob(in phase: IngestPhase) throws(JobFailure) -> StoreJob? {
    while let next = scheduler.next(in: phase, awaitsIdle: isAwaited) {
      do throws(LogError) {
        guard let job = try prepare(next.kind, next.document) else { continue }
        scheduler.begin(next.kind, next.document, job)
        return job
      } catch {
        throw JobFailure(kind: next.kind, document: next.document, error: error)
      }
    }
    return nil
  }

  private mutating func prepare(
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
    case .attach:
      guard let content = attachments.begin(document) else { return nil }
      if attachments.isWaiting(document) { scheduler.add(.attach, document) }
      if let job = try writer.prepareAttach(content, to: document) { return job }
      attachments.end(.failure(.unknownDocument(document)))
      return nil
    }
  }

  /// Ends the job that has run. Returns nil if it was abandoned.
  mutating func endJob() -> CurrentJob? { scheduler.end() }

  /// Adds the jobs that follow one that has succeeded, and resumes its callers. Those of `append` and of
  /// `check` depend on other rooms.
  mutating func noteSuccess(of done: CurrentJob) {
    switch done.kind {
    case .append: addLateJobs(of: done.document)
    case .seal:
      // The next entries of a long backlog.
      if done.job.unsealedCount > 0 { scheduler.add(.seal, done.document) }
      addLateJobs(of: done.document)
    case .attach:
      attachments.end(done.job.attachment.map { .success($0) } ?? .failure(Ingest.stopping))
    case .check:
      if let check = done.job.check {
        guard check.failure == nil else { return }
        // The last run may have ended before it stored the checkpoint or the projections.
        scheduler.add(.checkpoint, done.document)
        scheduler.add(.projections, done.document)
      } else {
        // It was cancelled, for a seal.
        scheduler.add(.check, done.document)
      }
    // A document may have more segments to compact, and a cancelled job is tried again.
    case .compaction where done.job.producedFile || done.job.isCancelled:
      scheduler.add(.compaction, done.document)
    case .projections where done.job.isCancelled: scheduler.add(.projections, done.document)
    case .checkpoint, .compaction, .projections: break
    }
  }

  /// Resumes the callers that wait for an attachment or for a seal, which has failed.
  mutating func note(_ failure: JobFailure) {
    switch failure.kind {
    case .attach: attachments.end(.failure(ProtocolError(failure.error)))
    case .seal: forgettings.sealed(failure.error)
    case .append, .checkpoint, .check, .projections, .compaction: break
    }
  }

  /// Seals a document without a job. Returns nil if it has nothing to seal.
  mutating func sealNow(_ document: DocumentID) throws(LogError) -> CurrentJob? {
    guard let job = try writer.prepareSeal(document) else { return nil }
    scheduler.noteSealing(of: document, leaving: job.unsealedCount)
    let done = CurrentJob(kind: .seal, document: document, job: job)
    job.run()
    try writer.finishWork(job)
    addLateJobs(of: document)
    return done
  }

  /// Adds the jobs that follow new sealed entries.
  private mutating func addLateJobs(of document: DocumentID) {
    for kind in [JobQueue.Kind.checkpoint, .projections, .compaction] {
      scheduler.add(kind, document)
    }
  }

  /// Adds a job again that found no space on the disk. No job begins until `endBackOff` but those whose
  /// clients wait.
  mutating func backOff(from done: CurrentJob) {
    scheduler.add(done.kind, done.document)
    scheduler.isBackingOff = true
  }

  mutating func endBackOff() { scheduler.isBackingOff = false }

  /// No check begins until `endPauseOfChecks`.
  mutating func pauseChecks() { scheduler.areChecksPaused = true }

  mutating func endPauseOfChecks() { scheduler.areChecksPaused = false }

  // MARK: Work whose client waits

  /// Adds a job for the staged entries of long work.
  mutating func append(_ staged: StagedDocument, to document: DocumentID) {
    longWork.stage(staged, on: document)
    scheduler.add(.append, document)
    scheduler.cancel([.compaction, .check])
  }

  /// Adds a job for an attachment of a document.
  mutating func attach(_ attachment: AttachmentQueue.Waiting, to document: DocumentID) {
    attachments.add(attachment, to: document)
    scheduler.add(.attach, document)
    scheduler.cancel([.checkpoint, .check, .projections, .compaction])
  }

  // MARK: Forgetting and renaming

  /// Notes that a document is forgotten, and that its files are being removed.
  mutating func forget(_ document: DocumentID) {
    scheduler.forget(document)
    forgettings.began()
  }

  /// Moves the counts and jobs of renamed documents to their new names.
  mutating func rename(_ names: [DocumentID: DocumentID]) {
    scheduler.rename(names)
    attachments.rename(names)
  }

  // MARK: Rest

  /// The times without a write after which the jobs of a rest begin, and the rest itself.
  struct RestTimes {
    var jobs: TimeAmount
    var idle: TimeAmount
  }

  /// True if jobs wait that begin only at rest.
  var awaitsRest: Bool { scheduler.awaitsRest }

  /// The time without a write after which something is to be done. The process wakes up earlier than for the rest
  /// only while jobs wait for it.
  private func pause(_ times: RestTimes) -> TimeAmount {
    awaitsRest ? min(times.jobs, times.idle) : times.idle
  }

  /// Sets the timer for the next rest, if there is none.
  mutating func awaitRest(_ times: RestTimes, _ timer: (TimeAmount) -> Scheduled<Void>) {
    if resting == nil { resting = timer(pause(times)) }
  }

  /// Sets the timer for the next rest again if something was written lately; the jobs that wait for a rest may begin
  /// before. Returns false if not: then the rest begins.
  mutating func putOffRest(
    at now: NIODeadline, _ times: RestTimes, _ timer: (NIODeadline) -> Scheduled<Void>
  ) -> Bool {
    guard now < lastWrite + times.idle else { return false }
    if now >= lastWrite + pause(times) { beginJobsOfRest() }
    resting = timer(lastWrite + pause(times))
    return true
  }

  private mutating func beginJobsOfRest() {
    scheduler.isAtRest = true
    scheduler.addLeftovers()
  }

  /// Begins the rest: adds the jobs for it, and sets the timer for a longer one.
  mutating func rest(sealingFrom count: Int, _ timer: () -> Scheduled<Void>) {
    beginJobsOfRest()
    addSeals(from: count)
    resting = timer()
  }

  /// Ends the state of rest, because something is written. Questions do not end it: with a client that
  /// asks every second, its work would never be done.
  mutating func endRest(in phase: IngestPhase, at now: NIODeadline) {
    lastWrite = now
    // A timer for the next rest stays: it would be moved with each batch.
    guard scheduler.isAtRest || phase != .running else { return }
    resting?.cancel()
    resting = nil
    scheduler.isAtRest = false
  }

  /// Sets the timer for the durable mark, if there is none, to `age` after the oldest batch that the mark
  /// does not name. Called after each batch.
  mutating func awaitMark(
    at now: NIODeadline, _ age: TimeAmount, _ timer: (NIODeadline) -> Scheduled<Void>
  ) {
    // The writer has marked those before.
    if writer.unmarkedBatchCount <= 1 { unmarkedSince = now }
    if marking == nil { marking = timer(unmarkedSince + age) }
  }

  /// Writes the durable mark if a batch that it does not name has this age, and else sets the timer again.
  mutating func markDurable(
    at now: NIODeadline, _ age: TimeAmount, _ timer: (NIODeadline) -> Scheduled<Void>
  ) throws(LogError) {
    marking = nil
    guard writer.hasUnmarkedBatches else { return }
    if now < unmarkedSince + age {
      marking = timer(unmarkedSince + age)
    } else {
      try writer.markDurable()
    }
  }

  // MARK: The end

  /// Refuses what waits for a job, because the writer has failed. Returns the documents whose long work waited
  /// for one: it ends here.
  mutating func fail(_ error: LogError) -> [DocumentID] {
    attachments.refuseWaiting(ProtocolError(error))
    forgettings.sealed(error)
    return longWork.staged.filter { $0 != scheduler.current?.document }
  }

  /// Abandons the running job and all that waits. Returns the long work, which the caller refuses.
  mutating func abandon() -> [LongWork] {
    resting?.cancel()
    marking?.cancel()
    (resting, marking) = (nil, nil)
    _ = scheduler.end()
    attachments.end(.failure(Ingest.stopping))
    attachments.refuseWaiting(Ingest.stopping)
    forgettings.sealed()
    return longWork.endAll()
  }

  // MARK: Invariants

  /// What is wrong with its state, if anything is: a mistake of the program, whatever the data.
  ///
  /// - A job of attachments runs if and only if the bytes of one are taken: `prepare` takes them, and each end
  ///   of a job ends them.
  /// - Staged entries have a job, which waits or runs: `append` adds it, and its end ends the long work.
  /// - An attachment that waits has a job that waits: `attach` adds it, and `prepare` adds the next one.
  func invariantViolation() -> String? {
    if let violation = scheduler.invariantViolation() ?? forgettings.invariantViolation() {
      return violation
    }
    let kind = scheduler.current?.kind
    if attachments.isRunning != (kind == .attach) {
      return
        "the running job is \(kind.map { "\($0)" } ?? "none"), and an attachment waits for its end"
    }
    for document in longWork.staged where !scheduler.has(.append, document) {
      return "staged entries have no job"
    }
    for document in attachments.documents where !scheduler.has(.attach, document) {
      return "an attachment has no job"
    }
    return nil
  }
}
