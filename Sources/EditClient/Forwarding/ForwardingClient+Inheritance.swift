import EditJSON
import EditModel
import EditProtocol
import EditSpool
import Synchronization

// Spools of sessions that ended before the daemon had answered everything.
extension ForwardingClient {
  /// Files taken at once; the next connection, or the next process, takes the others.
  private static let fileCountMax = 64
  /// Connections without progress after which a file is left to the next process.
  static let failureCountMax = 10

  /// How long the first connection waits for spools that other processes hold. A bridge whose editor
  /// has ended gives up within `endPatience`, and leaves its spool to this process.
  private static let otherProcessPatience = Duration.seconds(2)

  /// Sends the spools of sessions that have ended, before anything of this session, because their
  /// edits are older. The process that holds a file's lock sends it; other processes skip it, but the
  /// first connection waits a moment for them.
  func sendInheritedSpools() async {
    guard !isInherited, let folder = options.spool?.folder else { return }
    let isFirst = !hasInherited
    hasInherited = true
    let deadline = ContinuousClock.now + (isFirst ? Self.otherProcessPatience : .zero)
    while true {
      await sendDeadSpools(in: folder)
      let left = folder.spools(except: session).filter { !abandonedSpools.contains($0) }
      guard !left.isEmpty, .now < deadline, !Task.isCancelled else { return }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private func sendDeadSpools(in folder: SpoolFolder) async {
    for file in folder.takeDead(except: session, limit: Self.fileCountMax)
    where !abandonedSpools.contains(file.path) {
      do {
        guard try isOurs(file) else {
          abandonedSpools.insert(file.path)
          continue
        }
        guard try await deliver(file) else { return }
      } catch {
        abandonedSpools.insert(file.path)
        // The daemon's message may quote the user's text.
        let reason = (error as? ProtocolError)?.code.name ?? "\(error)"
        note("cannot deliver \(file.path) (\(reason)); the daemon's next start tries again")
      }
    }
  }

  /// False if a file is for another daemon, or for one of another store.
  private func isOurs(_ file: SpoolFile) throws(SpoolError) -> Bool {
    try file.header()?.value.isFor(
      socket: SpoolHeader.name(ofSocket: options.socketPath), store: options.spool?.store) ?? true
  }

  /// Sends the requests in a file, and removes it; false if the task is cancelled before.
  ///
  /// - Throws: why it cannot be sent now. The file is as it was.
  private func deliver(_ file: SpoolFile) async throws -> Bool {
    guard let header = try file.header() else {
      setAside(file, because: "it has no valid header")
      return true
    }
    let (queue, readFaults) = try RequestQueue.inherited(from: file, header)
    let refusedCount = Mutex(0)
    let sender = ForwardingClient(
      options, session: header.value.session, queue: queue, inherited: file,
      initialize: header.value.initialize, note: note
    ) { [note] ended in
      guard case .failure(let error) = ended.outcome else { return }
      refusedCount.withLock { $0 += 1 }
      note("message \(ended.counter) of \(file.path) is not logged (\(error.code.name))")
    }
    await sender.run()
    guard await sender.queue.isEmpty else {
      if Task.isCancelled { return false }
      throw await sender.lastError
    }
    var faults = readFaults
    faults.refusedCount = refusedCount.withLock(\.self)
    if faults.isEmpty { file.remove() } else { setAside(file, because: "\(faults)") }
    return true
  }

  /// Renames a file of which a part is not logged, so that it is kept and not tried again.
  private func setAside(_ file: SpoolFile, because reason: String) {
    note("a part of \(file.path) is not logged (\(reason)); it is kept as \(file.setAside())")
  }
}

extension RequestQueue {
  /// The requests in a file, and what of it is none. They are numbered from 1 on, and keep their
  /// tickets.
  fileprivate static func inherited(
    from file: SpoolFile, _ header: (value: SpoolHeader, end: Int)
  ) throws(SpoolError) -> (RequestQueue, SpoolFaults) {
    var (faults, counters) = (SpoolFaults(), SpoolCounters())
    var open = OpenDocuments(header.value.open)
    var queue = RequestQueue(openDocuments: open)
    var offset = header.end
    while true {
      let reading = try file.read(at: offset)
      guard case .record(let payload, let next) = reading else {
        faults.isDamaged = reading == .damaged
        return (queue, faults)
      }
      if let json = try? JSON.parse(payload, limits: .message),
        let request = try? ForwardRequest(json: json),
        request.ticket.session == header.value.session
      {
        faults.missingCount += counters.note(request.ticket.counter)
        let effect = open.effect(of: request.method, request.params)
        if let effect { open.apply(effect) }
        queue.appendSpooled(size: payload.count, at: offset, effect)
      } else {
        faults.unreadCount += 1
        counters.noteUnread()
      }
      offset = next
    }
  }
}
