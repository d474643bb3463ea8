import EditModel
import EditProtocol
import NIOCore

/// The side towards the daemon: numbers messages, keeps them until they are acknowledged, in
/// memory, in the spool or both, and keeps a connection on which they go out in order.
///
/// Never waits for the daemon where the editor would have to wait as well; what waits is in
/// `Courier+Link`.
actor Courier {
  let configuration: LSPBridge.Configuration
  let session: SessionID
  let folder: SpoolFolder
  let note: @Sendable (String) -> Void

  var outbox = Outbox()
  /// The editor's params of `initialize`.
  var initialize: JSON = .null

  // The link.
  var wire: Wire?
  /// Where the answers on `wire` go.
  var feed: AsyncStream<Wire.Answer>.Continuation?
  var link: Task<Void, Never>?
  /// The daemon was not to be had when last asked: what comes goes to the spool at once.
  var isAway = false
  /// The connection is given up after a refusal; further ones on it mean nothing.
  var isGivenUp = false
  /// Something was acknowledged on this connection.
  var hasProgress = false
  /// The pause the daemon asked for.
  var pauseAsked: Duration?
  /// How far dead bridges' spools were delivered, by their paths.
  var deliveries: [String: SpoolDelivery] = [:]

  // The spool.
  var spool: SpoolFile?
  var spoolTimer: Task<Void, Never>?
  var syncTimer: Task<Void, Never>?
  /// What failed last in writing the spool; nil where all is well.
  var spoolFailure: SpoolError?

  private var idleWaiters = Waiters()
  private var roomWaiters = Waiters()

  init(
    _ configuration: LSPBridge.Configuration, session: SessionID,
    note: @escaping @Sendable (String) -> Void
  ) {
    (self.configuration, self.session, self.note) = (configuration, session, note)
    folder = SpoolFolder(path: configuration.spoolDirectory)
  }

  /// Starts to connect, in the name of an editor with these params of `initialize`.
  func start(_ initialize: JSON) {
    self.initialize = initialize
    startLink()
  }

  private func startLink() {
    guard link == nil else { return }
    link = Task { await self.keepConnected() }
  }

  /// Takes a notification that is to reach the daemon.
  func forward(_ method: String, _ params: JSON) {
    let ticket = RequestTicket(session: session, counter: outbox.lastCounter + 1)
    let request = ForwardRequest(ticket: ticket, method: method, params: params)
    outbox.append(request.json.serialized(), outbox.open.effect(of: method, params))
    startLink()
    pump()
    if isAway { spoolAll() } else { startSpoolTimer() }
    if outbox.memorySize > configuration.memorySizeMax, spoolAll() { outbox.forgetSpooled() }
  }

  /// Tells those who wait what has changed: messages left the outbox, or the spool did.
  func acknowledged() {
    removeSpoolWhereDone()
    if outbox.isEmpty { idleWaiters.resume(true) }
    if hasRoom { roomWaiters.resume(true) }
  }
}

// Waiting.
extension Courier {
  private var hasRoom: Bool {
    outbox.isEmpty
      || outbox.memorySize <= configuration.memorySizeMax
        && outbox.count < configuration.messageCountMax
        && spool?.size ?? 0 < configuration.spoolSizeMax
  }

  /// Waits until one more message may be taken, or the editor is ending: what is on its way then
  /// is not much, and will not be said again.
  func waitForRoom(unless isEnding: @Sendable () -> Bool) async {
    while !hasRoom, !isEnding() { await waitForRoom(atMost: configuration.pauseMax) }
  }

  private func waitForRoom(atMost patience: Duration) async {
    let key = roomWaiters.makeKey()
    let timer = after(patience) { $0.roomWaiters.giveUp(key) }
    defer { timer.cancel() }
    _ = await withCheckedContinuation { roomWaiters.add($0, key) }
  }

  /// Waits until all is acknowledged; false where it was not in time.
  func waitUntilAcknowledged(atMost patience: Duration) async -> Bool {
    if outbox.isEmpty { return true }
    let key = idleWaiters.makeKey()
    let timer = after(patience) { $0.idleWaiters.giveUp(key) }
    defer { timer.cancel() }
    return await withCheckedContinuation { idleWaiters.add($0, key) }
  }

  private func after(
    _ patience: Duration, _ act: @escaping @Sendable (isolated Courier) -> Void
  ) -> Task<Void, Never> {
    Task {
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      act(self)
    }
  }
}

/// Continuations that are resumed together, or each when its time is over.
struct Waiters {
  private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  private var nextKey = 0

  /// A key for one that will wait.
  mutating func makeKey() -> Int {
    defer { nextKey += 1 }
    return nextKey
  }

  mutating func add(_ continuation: CheckedContinuation<Bool, Never>, _ key: Int) {
    waiting[key] = continuation
  }

  /// Tells one that it waited long enough, where it still waits.
  mutating func giveUp(_ key: Int) { waiting.removeValue(forKey: key)?.resume(returning: false) }

  mutating func resume(_ value: Bool) {
    let all = waiting
    waiting = [:]
    for continuation in all.values { continuation.resume(returning: value) }
  }
}

// The end.
extension Courier {
  /// Closes the documents the editor left open, waits a while for acknowledgements, and leaves
  /// what is not acknowledged in the spool. Nothing may be handed in after this.
  ///
  /// - Throws: `ProtocolError` where the spool does not take it.
  func finish() async throws(ProtocolError) {
    for document in outbox.open.sorted {
      forward("textDocument/didClose", TextDocumentParams(uri: document).json)
    }
    let isDone = await waitForEnd()
    if isDone { try? await wire?.client.notify("exit") }
    link?.cancel()
    await link?.value
    spoolTimer?.cancel()
    syncTimer?.cancel()
    guard !outbox.isEmpty else { return }
    try leaveInSpool()
  }

  /// A daemon that is there gets its time; for one that is not, a moment is enough to see that.
  private func waitForEnd() async -> Bool {
    let first = min(configuration.shutdownPatience, configuration.endPatience)
    if await waitUntilAcknowledged(atMost: first) { return true }
    guard wire != nil else { return false }
    return await waitUntilAcknowledged(atMost: configuration.endPatience - first)
  }

  private func leaveInSpool() throws(ProtocolError) {
    spoolAll()
    if spoolFailure == nil { syncSpool() }
    if spoolFailure == nil {
      do { try folder.sync() } catch { spoolFailure = error }
    }
    let count = outbox.count == 1 ? "1 message" : "\(outbox.count) messages"
    if let spoolFailure {
      throw ProtocolError(
        .storeUnreadable,
        "\(count) of the editor did not reach the daemon at \(configuration.socketPath) and may be lost: \(spoolFailure)"
      )
    }
    note(
      "\(count) of the editor did not reach the daemon at \(configuration.socketPath); they are kept in \(configuration.spoolDirectory), and the next editor's start delivers them"
    )
  }
}
