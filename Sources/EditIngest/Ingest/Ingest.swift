import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Logging
package import NIOCore
import Replay
import Synchronization
import TextState

/// Owns the writer of a store and the newest version of each document. All edits enter the store here.
///
/// It owns the rooms, which are values with private state of their own, and moves values between them. Requests
/// wait in `Intake`. The ingest takes the waiting ones, checks them against the newest versions, writes them as
/// one batch with one flush, and only then acknowledges them. Requests that arrive during a flush form the next
/// batch, so batches grow with the load. The actor runs on its own event loop, or for a few requests on that
/// of their connection; both may block in the flush.
package actor Ingest {
  package nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let executor: IngestExecutor
  /// The requests that wait.
  nonisolated let intake: Intake
  /// What is counted and measured of the work.
  var meters: Meters
  /// What is known of editors.
  var desk: EditorDesk
  /// The jobs, and all work that takes long.
  var upkeep: Upkeep

  let writer: StoreWriter
  nonisolated let clock: any WallClock
  private(set) var options: IngestOptions
  /// The path of the store's folder.
  nonisolated let path: String
  /// Tells what was logged.
  package nonisolated let feed = CommitFeed()
  /// What edits cost as they happened, and which ones are measured.
  package nonisolated let traces: LiveTraces
  nonisolated let tracing: LiveTracing
  let logger: Logger
  /// Called once when the writer fails: the process must end, and the next start recovers.
  private let onFailure: @Sendable (LogError) -> Void
  /// The writer's failure. No request is taken after it.
  private(set) var failure: LogError?
  var documents: LiveDocuments
  /// Documents whose last acknowledged edits may be lost with a journal, and the loss is not accepted
  /// yet. The next append to one of them must name its base version.
  var doubtful: Set<DocumentID> = []
  /// The requests that must be resent before later requests of their sessions are taken.
  var turns = SessionTurns()
  /// The imports in parts that are under way.
  var imports = RunningImports()
  private(set) var phase = IngestPhase.running

  /// Opens the store, and recovers it if the last run did not close it. Must be called on `loop`.
  init(
    on loop: any EventLoop, options: IngestOptions, fileSystem: any FileSystem = PosixFileSystem(),
    clock: any WallClock = SystemClock(), random: any RandomBytes = SystemRandomBytes(),
    logger: Logger, onFailure: @escaping @Sendable (LogError) -> Void
  ) throws(LogError) {
    executor = IngestExecutor(loop)
    unownedExecutor = executor.asUnownedSerialExecutor()
    (self.clock, self.options, self.logger) = (clock, options, logger)
    intake = Intake(clock)
    (path, documents) = (options.store, LiveDocuments(options))
    traces = LiveTraces(bytesMax: options.traceBytesMax)
    tracing = LiveTracing(bounds: options.traceBounds, clock: clock)
    self.onFailure = onFailure
    (meters, desk) = (Meters(options, clock, traces), EditorDesk(logger))
    writer = try StoreWriter(
      at: options.store, fileSystem: fileSystem, clock: clock, random: random,
      options: options.sizes)
    upkeep = Upkeep(writer, traces, SpaceWatch(options.store, clock, logger))
    if writer.losses.contains(where: \.mayConcernAnyDocument) {
      doubtful = Set(writer.documentIDs)
    }
  }

  /// Adds a request to those that wait. Its reply is called once, on the ingest loop, or here if the ingest is
  /// closed. Requests of one source keep their order. Never blocks.
  package nonisolated func submit(_ request: IngestRequest, from source: Int = 0) {
    submit([request], from: source)
  }

  /// As `submit` of each of the requests.
  package nonisolated func submit(_ requests: [IngestRequest], from source: Int) {
    switch intake.add(requests, from: source) {
    case .refused: requests.forEach { $0.refuse(Self.stopping) }
    case .waits: break
    case .starts(here: false): later { $0.drain() }
    case .starts(here: true): executor.runHere { self.assumeIsolated { $0.drain() } }
    }
  }

  /// The time by the clock that never goes back.
  package nonisolated var ticks: NIODeadline { clock.ticks }

  /// Uses other options, but for the store and its sizes, once the requests before are done.
  package nonisolated func use(_ new: IngestOptions) {
    onLoopLater { ingest in
      var new = new
      (new.store, new.sizes) = (ingest.options.store, ingest.options.sizes)
      ingest.options = new
      ingest.documents.countMax = new.liveCountMax
      ingest.documents.lengthMax = new.liveLengthMax
    }
  }

  /// Takes no more requests, finishes those that wait, seals the entries in the journals, and unlocks
  /// the store. A second call does nothing.
  ///
  /// - Parameter time: The time for that; unlimited if nil. After it, waiting requests are refused with
  ///   `overloaded`, and running jobs are abandoned: the next start does their work.
  package nonisolated func close(within time: TimeAmount? = nil) async {
    guard intake.close() else { return }
    await finish(by: time.map { .now() + $0 } ?? .distantFuture)
    intake.end()
  }

  /// Runs `body` on the loop, from another thread. Does nothing once the ingest is closed: an abandoned
  /// job may end after its loop.
  nonisolated func onLoopLater(_ body: @escaping @Sendable (isolated Ingest) -> Void) {
    intake.whileThere { later(body) }
  }

  /// Runs `body` on the loop, after what waits there.
  nonisolated func later(_ body: @escaping @Sendable (isolated Ingest) -> Void) {
    executor.runLater { self.assumeIsolated(body) }
  }

  /// Runs `body` on the loop after a time.
  @discardableResult
  nonisolated func after(
    _ time: TimeAmount, _ body: @escaping @Sendable (isolated Ingest) -> Void
  ) -> Scheduled<Void> {
    at(executor.loop.now + time, body)
  }

  /// Runs `body` on the loop at a time.
  nonisolated func at(
    _ time: NIODeadline, _ body: @escaping @Sendable (isolated Ingest) -> Void
  ) -> Scheduled<Void> {
    executor.run(at: time) { self.assumeIsolated(body) }
  }

  static let stopping = ProtocolError(
    .overloaded, "editlogd is stopping; send this again when it is back")

  /// What is wrong with the state of a room, if anything is. Debug builds ask at the end of each turn.
  func invariantViolation() -> String? {
    meters.invariantViolation() ?? upkeep.invariantViolation() ?? desk.invariantViolation()
      ?? intake.invariantViolation()
  }

  /// Starts the next job, and takes the requests that waited. Called when a job or long work ends.
  func resumeWork() {
    startJob()
    intake.release()
    drain()
    guard let first = upkeep.nextIdleWork() else { return }
    first(self)
    while let next = upkeep.nextIdleWork() { next(self) }
    // Long work could not begin while something waited.
    later { $0.resumeWork() }
  }

  /// Commits the batch, and continues with an empty one of the same cost.
  func flush(_ batch: inout IngestBatch) {
    commit(batch)
    batch = IngestBatch(cost: batch.cost, arrival: batch.arrival)
  }

  /// Writes and flushes the batch, then replies to its requests.
  func commit(_ batch: IngestBatch) {
    guard !batch.isEmpty else { return batch.succeed([]) }
    upkeep.endRest(in: phase, at: executor.loop.now)
    let appends = batch.appends
    do throws(LogError) {
      let start = ticks
      // The only reading of the clock for each batch that no other part needs.
      var flush = start
      let receipts = try writer.append(encoded: appends, renaming: batch.renames) { flush = ticks }
      let now = ticks
      intake.noteWritten(in: now - start)
      noteRenames(batch.newNames)
      feed.tell(
        CommitFeed.Commit(
          documents: appends.map { .init($0.document, $0.entries) }, newNames: batch.newNames))
      meters.trace(
        batch, appends, arrival: batch.arrival ?? start, start: start, flush: flush, durable: now)
      batch.succeed(receipts)
      meters.note(
        appends.reduce(0) { $0 + $1.entries.count }, since: batch.arrival ?? start, at: now)
      upkeep.space.noteSpace()
      for pause in upkeep.noteWritten(appends, sealAfter: options.sealAfter) {
        intake.pause(pause.document, for: pause.time)
      }
    } catch {
      // The versions in memory have edits that the log has not: they are read again when needed.
      for append in appends { documents[append.document] = nil }
      for name in batch.newNames.keys { documents[name] = nil }
      batch.restore(&desk)
      meters.noteFailedBatch()
      handleWriterError(error)
      return batch.fail(upkeep.space.refusal(error))
    }
    scheduleMark()
    startJob()
  }

  /// Writes the durable mark after `IngestOptions.idleMilliseconds`, even if more requests come: with its
  /// own flush, after the replies.
  func scheduleMark() {
    upkeep.awaitMark(at: executor.loop.now, idleTime) { at($0) { $0.markDurable() } }
  }

  private func markDurable() {
    guard failure == nil, phase != .closed else { return }
    do throws(LogError) {
      try upkeep.markDurable(at: executor.loop.now, idleTime) { at($0) { $0.markDurable() } }
    } catch { handleWriterError(error) }
  }

  /// The time without a write after which the last batch is confirmed, and the age at which the mark names a
  /// batch.
  private var idleTime: TimeAmount { .milliseconds(options.idleMilliseconds) }

  /// When a rest begins.
  var restTimes: Upkeep.RestTimes {
    Upkeep.RestTimes(jobs: .milliseconds(options.jobPauseMilliseconds), idle: idleTime)
  }

  /// Begins the rest if nothing was written for a while, or the jobs that wait for it.
  func restIfIdle() {
    let isPutOff = upkeep.putOffRest(at: executor.loop.now, restTimes) {
      at($0) { $0.restIfIdle() }
    }
    if isPutOff { startJob() } else { rest() }
  }

  /// Confirms that the last batch is durable, and seals documents with many unsealed entries. Called
  /// when nothing was written for `IngestOptions.idleMilliseconds`.
  private func rest() {
    guard failure == nil, phase != .closed else { return }
    do { try writer.confirm() } catch { return handleWriterError(error) }
    ProgramText.releaseLater()
    upkeep.rest(sealingFrom: max(1, options.sealAfter / 4)) {
      after(.seconds(options.restSeconds)) { $0.restLong() }
    }
    startJob()
  }

  /// Seals all documents, which makes them smaller and faster to open, and drops the long texts that no
  /// editor has open. Called when nothing was written for `IngestOptions.restSeconds` more.
  private func restLong() {
    guard failure == nil, phase != .closed else { return }
    seal(from: 1)
    for id in documents.removeLong(unless: { desk.editor(of: $0) != nil }) { writer.rest(id) }
    Allocator.trim()
    ProgramText.releaseLater()
  }

  /// Moves the counts and jobs of renamed documents to their new names.
  private func noteRenames(_ names: [DocumentID: DocumentID]) {
    guard !names.isEmpty else { return }
    traces.rename(names)
    let doubts = names.keys.filter { doubtful.remove($0) != nil }
    doubtful.formUnion(doubts.compactMap { names[$0] })
    upkeep.rename(names)
  }

  private func finish(by deadline: NIODeadline) async {
    // Requests that wait for a job are taken when it ends.
    phase = .closing(by: deadline)
    upkeep.forgettings.sealed()
    for id in desk.askedDocuments { endAsked(id, Self.stopping, isDropped: false) }
    let timer =
      deadline == .distantFuture
      ? nil : at(deadline) { $0.abandonWork() }
    repeat {
      while upkeep.isBusy { await idle() }
      intake.release()
      drain()
    } while upkeep.isBusy
    if phase != .closed { await sealRest() }
    while upkeep.forgettings.isRemoving { await nextTurn() }
    timer?.cancel()
    abandonWork()
    // If the store is not closed, the next start recovers it.
    do throws(LogError) {
      while try writer.tidyNextJournal() {}
      try writer.close()
    } catch { handleWriterError(error) }
  }

  /// Seals all documents, and stores the checkpoints that are due.
  private func sealRest() async {
    phase = .sealing
    upkeep.addLastJobs()
    startJob()
    while upkeep.isBusy { await idle() }
  }

  /// Refuses the waiting requests. Nothing more begins. The results of running jobs and long work are
  /// ignored.
  private func abandonWork() {
    guard phase != .closed else { return }
    phase = .closed
    let isEarly = upkeep.isBusy
    for work in upkeep.abandon() { work.whenDone(.failure(Self.stopping)) }
    let waiting = intake.takeAll()
    for request in waiting { request.refuse(Self.stopping) }
    if isEarly || !waiting.isEmpty {
      logger.notice("the time to stop is over; the next start does the work that is left")
    }
    while let next = upkeep.nextIdleWork() { next(self) }
  }

  /// Logs an error of the writer, and stops the ingest unless it can continue: after a full disk, and after
  /// an error about one document.
  func handleWriterError(_ error: LogError) {
    switch error {
    case .noSpace: return upkeep.space.noteShortage(of: writer.refusedSize)
    case .damaged:
      return logger.error("\(error)")
    case .refused(_, let what):
      // The path of the error may be a document's name.
      return logger.error("a request was refused: \(what)")
    default: break
    }
    guard failure == nil else { return }
    failure = error
    logger.critical("the store's writer failed: \(error)")
    // No more jobs start, so the long work that waits for one ends here.
    for id in upkeep.fail(error) { endLongWork(on: id, error) }
    onFailure(error)
  }
}
