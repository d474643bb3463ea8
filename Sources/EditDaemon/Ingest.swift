import EditLog
import EditModel
import EditProtocol
import EditQueries
import Logging
import NIOConcurrencyHelpers
import NIOCore
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
  private var failure: LogError?
  var documents: [DocumentID: LiveDocument] = [:]
  var editors: [EditorKey: LSPSession] = [:]
  /// Which request of a session has to be sent again before later ones are taken.
  var turns = SessionTurns()
  /// True from a write that had no room to the next that has.
  private var isFull = false
  /// Entries of each document that are in the journal alone.
  var unsealed: [DocumentID: Int] = [:]
  private var resting: Scheduled<Void>?
  /// True once the writer is closed. A drain may come after it, with nothing to do.
  private var isFinished = false
  let started: Timestamp

  private struct Inbox {
    var requests: [IngestRequest] = []
    var isDraining = false
    var isClosed = false
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
      at: options.store, fileSystem: fileSystem, clock: clock, random: random)
    unsealed = writer.unsealedCounts
  }

  /// Hands a request in; its reply is called once, on the ingest loop. Never blocks.
  nonisolated func submit(_ request: IngestRequest) {
    let (isAccepted, startsDrain) = inbox.withLockedValue { inbox in
      guard !inbox.isClosed else { return (false, false) }
      inbox.requests.append(request)
      defer { inbox.isDraining = true }
      return (true, !inbox.isDraining)
    }
    guard isAccepted else { return request.refuse(Self.stopping) }
    if startsDrain { loop.execute { self.assumeIsolated { $0.drain() } } }
  }

  /// Takes no more requests, finishes those that wait, seals what is in the journal and lets go
  /// of the store. To close again does nothing: the loop may be gone by then.
  package nonisolated func close() async {
    let wasClosed = inbox.withLockedValue { inbox in
      defer { inbox.isClosed = true }
      return inbox.isClosed
    }
    if !wasClosed { await finish() }
  }

  static let stopping = ProtocolError(
    .overloaded, "editlogd is stopping; send this again when it is back")

  private func drain() {
    guard !isFinished else { return }
    resting?.cancel()
    while let requests = takeRequests() {
      var batch = StagedBatch()
      for request in requests {
        if let failure { request.refuse(ProtocolError(failure)) } else { stage(request, &batch) }
      }
      commit(batch)
    }
    resting = loop.scheduleTask(in: .milliseconds(options.idleMilliseconds)) {
      self.assumeIsolated { $0.rest() }
    }
  }

  private nonisolated func takeRequests() -> [IngestRequest]? {
    inbox.withLockedValue { inbox in
      if inbox.requests.isEmpty {
        inbox.isDraining = false
        return nil
      }
      defer { inbox.requests.removeAll() }
      return inbox.requests
    }
  }

  /// Commits what is staged so far, and goes on with an empty batch.
  func flush(_ batch: inout StagedBatch) {
    commit(batch)
    batch = StagedBatch()
  }

  /// Writes and flushes what was staged, and only then tells anyone.
  private func commit(_ batch: StagedBatch) {
    guard !batch.isEmpty else { return batch.succeed([]) }
    do throws(LogError) {
      let receipts = try writer.append(batch.appends.map { ($0.document, $0.entries) })
      batch.succeed(receipts)
      if isFull { logger.notice("the store has room again") }
      isFull = false
      for append in batch.appends {
        unsealed[append.document, default: 0] += append.entries.count
      }
    } catch {
      // The live states ran ahead of the log: read them anew.
      for append in batch.appends { documents[append.document] = nil }
      batch.fail(ProtocolError(error))
      return note(error)
    }
    seal(from: options.sealAfter)
  }

  /// Nothing came in for a while: prove the last batch durable, and seal what is worth a block.
  private func rest() {
    guard failure == nil, !isFinished else { return }
    do { try writer.confirm() } catch { return note(error) }
    seal(from: max(1, options.sealAfter / 4))
  }

  /// Seals the documents that have at least `count` entries in the journal alone. One that
  /// cannot be sealed keeps them there, and is tried again when it has as many more.
  private func seal(from count: Int) {
    for (document, entries) in unsealed where entries >= count && failure == nil {
      unsealed[document] = nil
      do throws(LogError) {
        try writer.seal(document)
        try storeCheckpoint(of: document)
      } catch {
        note(error)
      }
    }
  }

  /// Takes the counts of `old` over to the name it has now, with the event that says so.
  func noteRename(of old: DocumentID, to new: DocumentID) {
    unsealed[new] = (unsealed.removeValue(forKey: old) ?? 0) + 1
  }

  /// Stores the newest state of a document that was just sealed, where enough edits came since
  /// the last checkpoint.
  private func storeCheckpoint(of document: DocumentID) throws(LogError) {
    guard let state = documents[document]?.state else { return }
    let last = try writer.checkpoints(of: document).last ?? 0
    guard state.sequence - last >= UInt64(options.checkpointAfter) else { return }
    try writer.writeCheckpoint(document, at: state.sequence, CheckpointCodec.encode(state))
  }

  private func finish() {
    drain()
    resting?.cancel()
    isFinished = true
    unsealed = writer.unsealedCounts
    seal(from: 1)
    // A failure to close cleanly is what recovery is for.
    do { try writer.close() } catch { note(error) }
  }

  /// A full disk passes, and a document that is damaged or refused is its own trouble; anything
  /// else ends the writer.
  func note(_ error: LogError) {
    switch error {
    case .noSpace:
      if !isFull { logger.warning("the store has no room; edits are refused until there is some") }
      isFull = true
      return
    case .damaged, .refused:
      return logger.error("\(error)")
    default: break
    }
    guard failure == nil else { return }
    failure = error
    logger.critical("the log's writer failed: \(error)")
    onFailure(error)
  }
}
