import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOConcurrencyHelpers
package import NIOCore
import Replay
import TextState

/// The one place where edits enter a store: it owns the writer, and the newest version of each
/// document.
///
/// Requests wait in an inbox. Whatever waits when the loop comes round is checked against the
/// live states and staged, written as one batch with one flush, and only then acknowledged.
/// While one batch is being flushed the next gathers, so a flush carries the more the higher
/// the load. The actor runs on an event loop of its own, which may block in the flush.
package actor Ingest {
  package nonisolated let unownedExecutor: UnownedSerialExecutor
  nonisolated let loop: any EventLoop
  private nonisolated let inbox = NIOLockedValueBox(Inbox())

  let writer: StoreWriter
  let clock: any WallClock
  nonisolated let options: IngestOptions
  let logger: Logger
  /// Called once when the writer may not go on: the process ends, and a restart recovers.
  private let onFailure: @Sendable (LogError) -> Void
  /// The writer's failure. No request is taken after it.
  private(set) var failure: LogError?
  var documents = LiveDocuments()
  /// Documents whose last acknowledged edits may be lost with a journal, which is not accepted. A
  /// client has to name the version it goes on from.
  var doubtful: Set<DocumentID> = []
  var editors: [EditorKey: LSPSession] = [:]
  /// Which request of a session has to be sent again before later ones are taken.
  var turns = SessionTurns()
  /// From a write that had no room to the next that has.
  var shortage: Shortage?
  private var resting: Scheduled<Void>?
  /// The next writing of the durable mark.
  private var marking: Scheduled<Void>?
  var scheduler: JobScheduler
  var longWork = LongWorkTable()
  /// Continuations to resume when no job and no long work is under way. No long work begins meanwhile,
  /// and no job but those of long work that has begun.
  var whenIdle: [CheckedContinuation<Void, Never>] = []
  private(set) var phase = Phase.running
  let started: Timestamp

  /// How far the end has come.
  enum Phase: Equatable {
    case running
    /// No more requests are taken; those that wait are finished.
    case closing(by: NIODeadline)
    /// All requests are answered, and what the journals have is being sealed.
    case sealing
    /// Nothing more is begun: the writer is closed, or about to be. A drain may come after it, with
    /// nothing to do.
    case closed
  }

  private struct Inbox {
    var requests = FairQueue<IngestRequest>()
    var isDraining = false
    var isClosed = false
    /// True once nothing is to run on the loop any more.
    var isGone = false
  }

  /// Opens the store, recovering it where the last run ended hard. Called on `loop`.
  init(
    on loop: any EventLoop, options: IngestOptions, fileSystem: any FileSystem = PosixFileSystem(),
    clock: any WallClock = SystemClock(), random: any RandomBytes = SystemRandomBytes(),
    logger: Logger, onFailure: @escaping @Sendable (LogError) -> Void
  ) throws(LogError) {
    self.loop = loop
    unownedExecutor = loop.executor.asUnownedSerialExecutor()
    (self.clock, self.options, self.logger) = (clock, options, logger)
    self.onFailure = onFailure
    started = clock.now()
    writer = try StoreWriter(
      at: options.store, fileSystem: fileSystem, clock: clock, random: random,
      options: options.sizes)
    scheduler = JobScheduler(documents: writer.documentIDs, unsealed: writer.unsealedCounts)
    if writer.losses.contains(where: \.mayConcernAnyDocument) {
      doubtful = Set(writer.documentIDs)
    }
  }

  /// About as many requests become one batch: many where few connections send, so that a flush
  /// carries much; fewer where many do, so that none waits long for the others.
  private static func batchCount(ofSources count: Int) -> Int { count > 8 ? 256 : 2_048 }

  /// Hands a request of a source in; its reply is called once, on the ingest loop. Those of one
  /// source stay in their order. Never blocks.
  nonisolated func submit(_ request: IngestRequest, from source: Int = 0) {
    let (isAccepted, startsDrain) = inbox.withLockedValue { inbox in
      guard !inbox.isClosed else { return (false, false) }
      inbox.requests.add(request, from: source)
      defer { inbox.isDraining = true }
      return (true, !inbox.isDraining)
    }
    guard isAccepted else { return request.refuse(Self.stopping) }
    if startsDrain { loop.execute { self.assumeIsolated { $0.drain() } } }
  }

  /// Takes no more requests, finishes those that wait, seals what is in the journal and lets go
  /// of the store. To close again does nothing: the loop may be gone by then.
  ///
  /// - Parameter time: The time for that; any if nil. When it is over, requests that wait are refused
  ///   with `overloaded`, and jobs under way are given up: what they were to do, the next start does.
  package nonisolated func close(within time: TimeAmount? = nil) async {
    let wasClosed = inbox.withLockedValue { inbox in
      defer { inbox.isClosed = true }
      return inbox.isClosed
    }
    guard !wasClosed else { return }
    await finish(by: time.map { .now() + $0 } ?? .distantFuture)
    inbox.withLockedValue { $0.isGone = true }
  }

  /// Runs `body` on the loop, from another thread. Nothing runs once the ingest is closed: a job
  /// that was given up may end after its loop.
  nonisolated func onLoopLater(_ body: @escaping @Sendable (isolated Ingest) -> Void) {
    inbox.withLockedValue { inbox in
      guard !inbox.isGone else { return }
      loop.execute { self.assumeIsolated(body) }
    }
  }

  static let stopping = ProtocolError(
    .overloaded, "editlogd is stopping; send this again when it is back")

  func drain() {
    guard phase != .closed else { return }
    // If a job holds the requests up, `goOn` drains them when it ends.
    while !isHeldUp, !isLate, let turns = takeTurns() {
      var batch = IngestBatch()
      for turn in turns { stage(turn, &batch) }
      commit(batch)
      for document in documents.trim() { writer.rest(document) }
    }
    guard !isHeldUp, phase == .running, resting == nil else { return }
    resting = loop.scheduleTask(in: .milliseconds(options.idleMilliseconds)) {
      self.assumeIsolated { $0.rest() }
    }
  }

  /// True if the time to close is over.
  private var isLate: Bool {
    if case .closing(let deadline) = phase { NIODeadline.now() >= deadline } else { false }
  }

  private nonisolated func takeTurns() -> [FairQueue<IngestRequest>.Turn]? {
    inbox.withLockedValue { inbox in
      if inbox.requests.isEmpty {
        inbox.isDraining = false
        return nil
      }
      return inbox.requests.take(Self.batchCount(ofSources: inbox.requests.sourceCount))
    }
  }

  /// Holds a source back until long work ends, and puts taken requests of it back.
  nonisolated func hold(_ source: Int, with requests: [IngestRequest]) {
    inbox.withLockedValue { $0.requests.hold(source, with: requests) }
  }

  /// Puts taken requests of a source back before those that wait. If `isNext`, the source takes its
  /// turn before the others.
  nonisolated func putBack(_ requests: [IngestRequest], from source: Int, isNext: Bool = false) {
    inbox.withLockedValue { $0.requests.putBack(requests, from: source, isNext: isNext) }
  }

  /// Continues after a job or long work has ended: the next job, and the requests that waited.
  func goOn() {
    startJob()
    releaseSources()
    drain()
    guard !isBusy, !whenIdle.isEmpty else { return }
    let waiting = whenIdle
    whenIdle = []
    for continuation in waiting { continuation.resume() }
    // Begins the long work that was postponed for `whenIdle`.
    loop.execute { self.assumeIsolated { $0.goOn() } }
  }

  private func releaseSources() {
    inbox.withLockedValue { inbox in
      inbox.requests.release(served: longWork.servedLast)
      inbox.isDraining = true
    }
  }

  /// Commits what is staged so far, and continues with an empty batch that keeps the cost.
  func flush(_ batch: inout IngestBatch) {
    commit(batch)
    batch = IngestBatch(cost: batch.cost)
  }

  /// Writes and flushes what was staged, and only then tells anyone.
  private func commit(_ batch: IngestBatch) {
    guard !batch.isEmpty else { return batch.succeed([]) }
    endRest()
    let appends = batch.appends
    do throws(LogError) {
      let receipts = try writer.append(
        appends.map { ($0.document, $0.entries) }, renaming: batch.renames)
      noteRenames(batch.newNames)
      batch.succeed(receipts)
      noteRoom()
      for append in appends {
        scheduler.noteAppended(append.entries.count, to: append.document)
      }
    } catch {
      // The live states ran ahead of the log: read them anew.
      for append in appends { documents[append.document] = nil }
      for name in batch.newNames.keys { documents[name] = nil }
      batch.restore(&editors)
      note(error)
      return batch.fail(refusal(error))
    }
    scheduleMark()
    seal(from: options.sealAfter)
  }

  /// Brings the durable mark up to date soon, whatever else comes in: a flush of its own, after
  /// the answers.
  func scheduleMark() {
    guard marking == nil else { return }
    marking = loop.scheduleTask(in: .milliseconds(options.idleMilliseconds)) {
      self.assumeIsolated { $0.markDurable() }
    }
  }

  private func markDurable() {
    marking = nil
    guard failure == nil, phase != .closed, writer.hasUnmarkedBatches else { return }
    do { try writer.markDurable() } catch { note(error) }
  }

  /// Something is written. Questions do not disturb the rest: what is to be done then would never
  /// be done beside a client that asks every second.
  func endRest() {
    resting?.cancel()
    resting = nil
    scheduler.isAtRest = false
  }

  /// Nothing was written for a while: prove the last batch durable, and seal what is worth a block.
  private func rest() {
    guard failure == nil, phase != .closed else { return }
    do { try writer.confirm() } catch { return note(error) }
    scheduler.isAtRest = true
    scheduler.addLeftovers()
    seal(from: max(1, options.sealAfter / 4))
    resting = loop.scheduleTask(in: .seconds(options.restSeconds)) {
      self.assumeIsolated { $0.restLong() }
    }
  }

  /// Nothing was written for long: what is in the journal becomes small, and quick to open.
  private func restLong() {
    guard failure == nil, phase != .closed else { return }
    seal(from: 1)
    Allocator.trim()
  }

  /// Moves the counts and jobs of renamed documents to their new names.
  private func noteRenames(_ names: [DocumentID: DocumentID]) {
    guard !names.isEmpty else { return }
    let doubts = names.keys.filter { doubtful.remove($0) != nil }
    doubtful.formUnion(doubts.compactMap { names[$0] })
    scheduler.rename(names)
  }

  private func finish(by deadline: NIODeadline) async {
    // Whatever is held up by a job is taken when it is done.
    phase = .closing(by: deadline)
    let timer =
      deadline == .distantFuture
      ? nil : loop.scheduleTask(deadline: deadline) { self.assumeIsolated { $0.giveUp() } }
    repeat {
      while isBusy { await nextIdle() }
      releaseSources()
      drain()
    } while isBusy
    if phase != .closed { await sealRest() }
    timer?.cancel()
    giveUp()
    // A failure to close cleanly is what recovery is for.
    do { try writer.close() } catch { note(error) }
  }

  /// Seals all there is, and stores the checkpoints that are due.
  private func sealRest() async {
    phase = .sealing
    for document in writer.unsealedCounts.keys { scheduler.add(.seal, document) }
    startJob()
    while isBusy { await nextIdle() }
  }

  /// Begins nothing more, and refuses the requests that wait. Jobs and long work under way run on, and
  /// come to nothing.
  private func giveUp() {
    guard phase != .closed else { return }
    phase = .closed
    endRest()
    marking?.cancel()
    let isEarly = isBusy
    for id in longWork.all.keys { endLongWork(on: id, .failure(Self.stopping)) }
    _ = scheduler.end()
    let waiting = inbox.withLockedValue { inbox in
      inbox.requests.release()
      return inbox.requests.take(.max)
    }
    for request in waiting.flatMap(\.elements) { request.refuse(Self.stopping) }
    if isEarly || !waiting.isEmpty {
      logger.notice("the time to stop is over; the next start does what is left")
    }
    for continuation in whenIdle { continuation.resume() }
    whenIdle = []
  }

  /// A full disk passes, and a document that is damaged or refused is its own trouble; anything
  /// else ends the writer.
  func note(_ error: LogError) {
    switch error {
    case .noSpace: return noteShortage(of: writer.refusedSize)
    case .damaged:
      return logger.error("\(error)")
    case .refused(_, let what):
      // Its path may be a document's name.
      return logger.error("a request was refused: \(what)")
    default: break
    }
    guard failure == nil else { return }
    failure = error
    logger.critical("the log's writer failed: \(error)")
    // No further job starts.
    for (id, work) in longWork.all
    where work.staged != nil && scheduler.current?.document != id {
      endLongWork(on: id, error)
    }
    onFailure(error)
  }
}
