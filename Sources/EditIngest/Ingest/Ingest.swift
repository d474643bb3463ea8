import EditLog
import EditModel
import EditProtocol
import EditQueries
import EditorSync
import Logging
import NIOConcurrencyHelpers
package import NIOCore
import Replay
import Synchronization
import TextState

/// Owns the writer of a store and the newest version of each document. All edits enter the store here.
///
/// Requests wait in an inbox. The ingest takes the waiting requests, checks them against the newest
/// versions, writes them as one batch with one flush, and only then acknowledges them. Requests that
/// arrive during a flush form the next batch, so batches grow with the load. The actor runs on its own
/// event loop, or for a few requests on that of their connection; both may block in the flush.
package actor Ingest {
  package nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let executor: IngestExecutor
  /// True if the last batch was written fast: the threads of connections may write the next.
  private nonisolated let isFast = Atomic(true)
  private nonisolated let inbox = NIOLockedValueBox(Inbox())

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
  var meters: Meters
  var desk: EditorDesk
  var upkeep: Upkeep
  private var pace = BatchPace()
  /// The time that the writer took for the batch.
  private var writingTime = TimeAmount.zero
  /// The documents whose next requests are delayed.
  private var pauses = Pauses()
  /// The end of the first pause that a request waits for.
  private var pausing: Scheduled<Void>?
  private(set) var phase = IngestPhase.running

  private struct Inbox {
    var requests = FairQueue<IngestRequest>()
    /// When the oldest of them arrived, or later.
    var arrival: NIODeadline?
    var isDraining = false
    var isClosed = false
    /// True once the loop may be gone.
    var isGone = false
  }

  /// Opens the store, and recovers it if the last run did not close it. Must be called on `loop`.
  init(
    on loop: any EventLoop, options: IngestOptions, fileSystem: any FileSystem = PosixFileSystem(),
    clock: any WallClock = SystemClock(), random: any RandomBytes = SystemRandomBytes(),
    logger: Logger, onFailure: @escaping @Sendable (LogError) -> Void
  ) throws(LogError) {
    executor = IngestExecutor(loop)
    unownedExecutor = executor.asUnownedSerialExecutor()
    (self.clock, self.options, self.logger) = (clock, options, logger)
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

  /// The number of requests up to which the thread of their connection writes them.
  private static let countHere = 8
  /// The time up to which a batch counts as written fast.
  private static let fastTime = TimeAmount.milliseconds(1)

  /// Adds a request to the inbox. Its reply is called once, on the ingest loop, or here if the ingest is
  /// closed. Requests of one source keep their order. Never blocks.
  package nonisolated func submit(_ request: IngestRequest, from source: Int = 0) {
    submit([request], from: source)
  }

  /// As `submit` of each of the requests.
  package nonisolated func submit(_ requests: [IngestRequest], from source: Int) {
    let (isAccepted, startsDrain) = inbox.withLockedValue { inbox in
      guard !inbox.isClosed else { return (false, false) }
      inbox.requests.add(requests, from: source)
      if inbox.arrival == nil { inbox.arrival = ticks }
      defer { inbox.isDraining = true }
      return (true, !inbox.isDraining)
    }
    guard isAccepted else { return requests.forEach { $0.refuse(Self.stopping) } }
    guard startsDrain else { return }
    guard requests.count <= Self.countHere, isFast.load(ordering: .relaxed) else {
      return later { $0.drain() }
    }
    executor.runHere { self.assumeIsolated { $0.drain() } }
  }

  /// The time by the clock that never goes back.
  package nonisolated var ticks: NIODeadline { .uptimeNanoseconds(clock.monotonic()) }

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
    let wasClosed = inbox.withLockedValue { inbox in
      defer { inbox.isClosed = true }
      return inbox.isClosed
    }
    guard !wasClosed else { return }
    await finish(by: time.map { .now() + $0 } ?? .distantFuture)
    inbox.withLockedValue { $0.isGone = true }
  }

  /// Runs `body` on the loop, from another thread. Does nothing once the ingest is closed: an abandoned
  /// job may end after its loop.
  nonisolated func onLoopLater(_ body: @escaping @Sendable (isolated Ingest) -> Void) {
    inbox.withLockedValue { inbox in
      guard !inbox.isGone else { return }
      later(body)
    }
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
    at(.now() + time, body)
  }

  /// Runs `body` on the loop at a time.
  nonisolated func at(
    _ time: NIODeadline, _ body: @escaping @Sendable (isolated Ingest) -> Void
  ) -> Scheduled<Void> {
    executor.run(at: time) { self.assumeIsolated(body) }
  }

  static let stopping = ProtocolError(
    .overloaded, "editlogd is stopping; send this again when it is back")

  /// Takes the waiting requests, batch by batch.
  func drain() {
    guard phase != .closed else { return }
    defer { assert(invariantViolation() == nil, invariantViolation() ?? "") }
    // If the requests wait for a job, `resumeWork` calls this again when the job ends.
    while !upkeep.isBehind, !isLate, let (turns, arrival) = takeTurns(count: pace.count) {
      let start = ticks
      writingTime = .zero
      var batch = IngestBatch(arrival: arrival)
      for turn in turns where !isPaused(turn) { stage(turn, &batch) }
      commit(batch)
      pace.note(
        count: turns.reduce(0) { $0 + $1.elements.count },
        nanoseconds: (ticks - start - writingTime).nanoseconds)
      for document in documents.trim() { writer.rest(document) }
      // Jobs that have ended are finished before the next batch, however many requests wait.
      if phase == .running, hasRequests {
        return later { $0.drain() }
      }
    }
    guard !upkeep.isBehind, phase == .running else { return }
    upkeep.awaitRest { after(idleTime) { $0.restIfIdle() } }
  }

  /// What is wrong with the state of a room, if anything is. Debug builds ask at the end of each turn.
  private func invariantViolation() -> String? {
    meters.invariantViolation() ?? upkeep.invariantViolation() ?? desk.invariantViolation()
  }

  /// True if the next request of a source must wait, because its document has a long backlog to seal. The
  /// source is held.
  private func isPaused(_ turn: FairQueue<IngestRequest>.Turn) -> Bool {
    guard !pauses.isEmpty, phase == .running, case .appended(let next)? = turn.elements.first,
      let end = pauses.end(of: next.request.document)
    else { return false }
    hold(turn.source, with: turn.elements)
    if pausing == nil {
      pausing = at(end) { ingest in
        ingest.pausing = nil
        ingest.releaseSources()
        ingest.drain()
      }
    }
    return true
  }

  /// True after the deadline of `close`.
  private var isLate: Bool {
    if case .closing(let deadline) = phase { NIODeadline.now() >= deadline } else { false }
  }

  /// True if requests can be taken.
  private nonisolated var hasRequests: Bool {
    inbox.withLockedValue { !$0.requests.isEmpty }
  }

  private nonisolated func takeTurns(
    count: Int
  ) -> ([FairQueue<IngestRequest>.Turn], NIODeadline?)? {
    inbox.withLockedValue { inbox in
      if inbox.requests.isEmpty {
        inbox.isDraining = false
        return nil
      }
      let turns = inbox.requests.take(count)
      defer { inbox.arrival = inbox.requests.isEmpty ? nil : ticks }
      return (turns, inbox.arrival)
    }
  }

  /// Takes no requests of a source until long work ends, and puts its taken requests back.
  nonisolated func hold(_ source: Int, with requests: [IngestRequest]) {
    inbox.withLockedValue { $0.requests.hold(source, with: requests) }
  }

  /// Puts taken requests of a source back before those that wait. If `isNext`, the source takes its
  /// turn before the others.
  nonisolated func putBack(_ requests: [IngestRequest], from source: Int, isNext: Bool = false) {
    inbox.withLockedValue { $0.requests.putBack(requests, from: source, isNext: isNext) }
  }

  /// Starts the next job, and takes the requests that waited. Called when a job or long work ends.
  func resumeWork() {
    startJob()
    releaseSources()
    drain()
    guard let first = upkeep.nextIdleWork() else { return }
    first(self)
    while let next = upkeep.nextIdleWork() { next(self) }
    // Long work could not begin while something waited.
    later { $0.resumeWork() }
  }

  private func releaseSources() {
    inbox.withLockedValue { inbox in
      inbox.requests.release(served: upkeep.longWork.servedLast)
      inbox.isDraining = true
    }
  }

  /// Commits the batch, and continues with an empty one of the same cost.
  func flush(_ batch: inout IngestBatch) {
    commit(batch)
    batch = IngestBatch(cost: batch.cost, arrival: batch.arrival)
  }

  /// Writes and flushes the batch, then replies to its requests.
  private func commit(_ batch: IngestBatch) {
    guard !batch.isEmpty else { return batch.succeed([]) }
    upkeep.endRest(in: phase, idle: idleTime)
    let appends = batch.appends
    do throws(LogError) {
      let start = ticks
      // The only reading of the clock for each batch that no other part needs.
      var flush = start
      let receipts = try writer.append(encoded: appends, renaming: batch.renames) { flush = ticks }
      let now = ticks
      writingTime = writingTime + (now - start)
      isFast.store(now - start < Self.fastTime, ordering: .relaxed)
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
        pauses.add(pause.time, of: pause.document)
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

  /// Writes the durable mark soon, even if more requests come: with its own flush, after the replies.
  func scheduleMark() {
    upkeep.awaitMark { after(idleTime) { $0.markDurable() } }
  }

  private func markDurable() {
    guard failure == nil, phase != .closed else { return }
    do { try upkeep.markDurable() } catch { handleWriterError(error) }
  }

  /// The time without a write after which the last batch is confirmed.
  var idleTime: TimeAmount { .milliseconds(options.idleMilliseconds) }

  /// Begins the rest if nothing was written since the timer was set.
  private func restIfIdle() {
    if !upkeep.putOffRest({ at($0) { $0.restIfIdle() } }) { rest() }
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
    upkeep.endSeal()
    for id in desk.askedDocuments { endAsked(id, Self.stopping, isDropped: false) }
    let timer =
      deadline == .distantFuture
      ? nil : at(deadline) { $0.abandonWork() }
    repeat {
      while upkeep.isBusy { await idle() }
      releaseSources()
      drain()
    } while upkeep.isBusy
    if phase != .closed { await sealRest() }
    while upkeep.isRemoving { await nextTurn() }
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
    pausing?.cancel()
    let isEarly = upkeep.isBusy
    for work in upkeep.abandon() { work.whenDone(.failure(Self.stopping)) }
    let waiting = inbox.withLockedValue { inbox in
      inbox.requests.release()
      return inbox.requests.take(.max)
    }
    for request in waiting.flatMap(\.elements) { request.refuse(Self.stopping) }
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
