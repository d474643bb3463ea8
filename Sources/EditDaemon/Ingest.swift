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
  let options: IngestOptions
  let logger: Logger
  /// Called once when the writer may not go on: the process ends, and a restart recovers.
  private let onFailure: @Sendable (LogError) -> Void
  /// The writer's failure. No request is taken after it.
  private var failure: LogError?
  var documents: [DocumentID: LiveDocument] = [:]
  var editors: [EditorKey: LSPSession] = [:]
  private var resting: Scheduled<Void>?
  let started: Timestamp

  private struct Inbox {
    var requests: [IngestRequest] = []
    var isDraining = false
    var isClosed = false
  }

  /// Opens the store, recovering it where the last run ended hard. Called on `loop`.
  package init(
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
  /// of the store.
  package nonisolated func close() async {
    inbox.withLockedValue { $0.isClosed = true }
    await finish()
  }

  static let stopping = ProtocolError(
    .overloaded, "editlogd is stopping; send this again when it is back")

  private func drain() {
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

  /// Writes and flushes what was staged, and only then tells anyone.
  private func commit(_ batch: StagedBatch) {
    guard !batch.isEmpty else { return batch.succeed([:]) }
    do {
      let receipts = try writer.append(batch.appends)
      let heads = Dictionary(receipts.map { ($0.document, $0.head) }) { _, last in last }
      batch.succeed(heads)
      sealWhereDue()
    } catch {
      // The live states ran ahead of the log: read them anew.
      for append in batch.appends { documents[append.document] = nil }
      batch.fail(ProtocolError(error))
      note(error)
    }
  }

  /// Nothing came in for a while: prove the last batch durable, and seal.
  private func rest() {
    guard failure == nil else { return }
    do throws(LogError) {
      try writer.confirm()
      for (document, count) in writer.unsealedCounts where count >= options.sealAfter / 4 {
        try seal(document)
      }
    } catch {
      note(error)
    }
  }

  private func sealWhereDue() {
    do throws(LogError) {
      for (document, count) in writer.unsealedCounts where count >= options.sealAfter {
        try seal(document)
      }
    } catch {
      note(error)
    }
  }

  /// Moves a document's edits from the journal into its segment; where enough came since the
  /// last checkpoint, stores the newest state too.
  private func seal(_ document: DocumentID) throws(LogError) {
    try writer.seal(document)
    guard let state = documents[document]?.state else { return }
    let last = writer.lastCheckpoint(of: document) ?? 0
    if state.sequence - last >= UInt64(options.checkpointAfter) {
      try writer.writeCheckpoint(
        document, at: state.sequence, bytes: CheckpointCodec.encode(state))
    }
  }

  private func finish() {
    drain()
    resting?.cancel()
    if failure == nil {
      do throws(LogError) {
        if options.sealAfter < .max {
          for document in writer.unsealedCounts.keys { try seal(document) }
        }
        try writer.confirm()
      } catch {
        note(error)
      }
    }
    writer.close()
  }

  /// A full disk passes, anything else ends the writer.
  private func note(_ error: LogError) {
    if case .noSpace = error {
      logger.warning("no space for the store; edits are refused until there is", metadata: nil)
      return
    }
    guard failure == nil else { return }
    failure = error
    logger.critical("the log's writer failed: \(error)")
    onFailure(error)
  }
}
