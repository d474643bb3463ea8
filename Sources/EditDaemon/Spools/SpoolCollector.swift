import EditIngest
import EditModel
import EditProtocol
import EditSpool
import EditorSync
import FileWatch
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Delivers the spools of bridges that have ended: their messages are logged as if the bridges had sent
/// them. The next bridge would do the same, but the next editor may start much later.
///
/// It looks into the folder when the daemon starts, when the connection of a bridge ends, and when
/// inotify says that a file was closed or got its name. Between these it has no timer and no thread. The
/// lock of the file decides which process delivers it.
actor SpoolCollector {
  private let folder: SpoolFolder
  private let socket: String
  private let store: String
  private let ingest: Ingest
  private let logger: Logger
  /// The number of connections of each bridge.
  private nonisolated let connections = Mutex<[SessionID: Int]>([:])

  private let group: any EventLoopGroup
  private var signal: FolderSignal?
  /// Reads the changes of the folder.
  private var channel: (any Channel)?
  private var isEnded = false
  /// The delivery that is under way.
  private var work: Task<Void, Never>?
  /// True if something has changed since the folder was last read.
  private var mustLook = false
  /// The number of times that the folder was read again because a file was still locked.
  private var waits = 0
  private var timer: Task<Void, Never>?
  /// The pause before the next attempt to deliver a spool that the daemon could not log.
  private var pause = pauseMin
  private static let (pauseMin, pauseMax) = (Duration.seconds(1), Duration.seconds(60))
  /// Why spools were not delivered, by their paths.
  private var undelivered: [ExactString: String] = [:]
  /// What was not logged of the spools that were set aside, by their new paths.
  private var kept: [ExactString: String] = [:]
  /// The refused spools that are shown.
  private var shown: [RefusedSpool] = []

  /// A collector of the spools in a folder that are for the daemon at `socket` of the store at `store`.
  init(
    folder: String, socket: String, store: String, ingest: Ingest, group: any EventLoopGroup,
    logger: Logger
  ) {
    self.group = group
    self.folder = SpoolFolder(path: folder)
    self.socket = SpoolHeader.name(ofSocket: socket)
    self.store = SpoolHeader.name(ofStore: store)
    (self.ingest, self.logger) = (ingest, logger)
  }

  /// Begins to watch the folder, and to deliver what is in it. When this returns, requests about the
  /// documents of the spools wait for them.
  func start() async {
    await watch()
    let spools = await claim()
    begin(spools)
  }

  /// Ends the delivery that is under way. The rest is left to the next start.
  func end() async {
    isEnded = true
    timer?.cancel()
    await work?.value
    try? await channel?.close()
  }

  /// Records that a bridge has connected: its spool is its own.
  nonisolated func connected(_ session: SessionID) {
    connections.withLock { $0[session, default: 0] += 1 }
  }

  /// Records that the messages of a connection of a bridge are logged, and the connection has ended.
  nonisolated func disconnected(_ session: SessionID) {
    connections.withLock { connections in
      let count = connections[session] ?? 1
      connections[session] = count > 1 ? count - 1 : nil
    }
    Task(executorPreference: WorkerThreads.shared) { await self.changed() }
  }

  // MARK: Looking

  /// Watches the folder, and creates it if it does not exist.
  private func watch() async {
    try? await channel?.close()
    channel = nil
    do {
      try folder.prepare()
      let signal = try FolderSignal(path: folder.path)
      self.signal = signal
      channel = try await NIOPipeBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              FolderSignalHandler { [weak self] in
                guard let self else { return }
                Task(executorPreference: WorkerThreads.shared) {
                  await self.folderHasChanged()
                }
              })
          }
        }
        .takingOwnershipOfDescriptor(input: signal.descriptor).get()
      undelivered[folder.path] = nil
    } catch {
      undelivered[folder.path] =
        "cannot watch the folder of the spools: \(error); the next editor that starts delivers them"
    }
  }

  private func folderHasChanged() async {
    guard !isEnded else { return }
    if signal?.isCurrent != true { await watch() }
    changed()
  }

  /// Looks into the folder, because something has changed.
  private func changed() {
    waits = 0
    look()
  }

  private func look() {
    guard !isEnded else { return }
    mustLook = true
    if work == nil { begin([]) }
  }

  /// Delivers these spools, then those that are left meanwhile.
  private func begin(_ spools: [LeftSpool]) {
    work = Task(executorPreference: WorkerThreads.shared) { await self.deliverAll(spools) }
  }

  private func deliverAll(_ spools: [LeftSpool]) async {
    var spools = spools
    while true {
      await deliver(spools)
      guard mustLook, !isEnded else { break }
      mustLook = false
      spools = await claim()
    }
    work = nil
  }

  /// Locks the spools of bridges that have ended, in the order of their last writes, and lets requests
  /// about their documents wait.
  private func claim() async -> [LeftSpool] {
    var (found, refused, isHeld): ([LeftSpool], [ExactString: String], Bool) = ([], [:], false)
    var isLinked = false
    let damaged = folder.damaged
    let damagedPaths = Set(exact: damaged)
    kept = kept.filter { damagedPaths.contains($0.key) }
    for path in damaged {
      refused[path] = """
        a part of this spool was not logged (\(kept[path] ?? "the log of that day says what")); the file is \
        kept: compare the document with the editor's text, then remove the file
        """
    }
    for path in folder.spools {
      switch SpoolFile.find(at: path, for: socket, of: store) {
      case .left(let file):
        do throws(SpoolError) {
          if let spool = try LeftSpool(file) {
            if !isConnected(spool.header.session) { found.append(spool) }
          } else {
            setAside(file, because: "it has no valid header")
          }
        } catch { refused[path] = "\(error); it is left where it is" }
      case .held: isHeld = true
      case .other: undelivered[path] = nil
      case .refused(let reason): refused[path] = reason
      case .linked(let count):
        refused[path] = """
          it has \(count) names (hard links), so another program may change it, and it is not delivered; \
          remove the other names; it is left where it is
          """
        isLinked = true
      }
    }
    await show(refused.merging(undelivered) { $1 })
    if isHeld { lookAgain() }
    // The end of a name elsewhere is not a change of the folder.
    if isLinked, timer == nil { look(after: Self.pauseMax) }
    for spool in found { await ingest.hold(spool.documents) }
    return found.sorted { $0.file.modified < $1.file.modified }
  }

  private nonisolated func isConnected(_ session: SessionID) -> Bool {
    connections.withLock { $0[session] != nil }
  }

  /// Looks again after a moment: a process that ends closes its files before it unlocks them. A file
  /// that is still locked then belongs to a bridge that runs; its end is another change.
  private func lookAgain() {
    guard waits < 4, timer == nil else { return }
    waits += 1
    look(after: .milliseconds(5 << (2 * waits)))
  }

  private func look(after pause: Duration) {
    timer?.cancel()
    timer = Task(executorPreference: WorkerThreads.shared) { await self.lookWhenOver(pause) }
  }

  private func lookWhenOver(_ pause: Duration) async {
    guard (try? await WorkerThreads.sleep(for: pause)) != nil else { return }
    timer = nil
    look()
  }

  private func show(_ refused: [ExactString: String]) async {
    let new = refused.map { RefusedSpool(path: $0.string, message: $1) }
      .sorted { $0.path.precedesExactly($1.path) }
    guard new != shown else { return }
    for spool in new where !shown.contains(spool) {
      logger.warning("\(spool.path): \(spool.message)")
    }
    shown = new
    await ingest.show(refusedSpools: new)
  }

  // MARK: Delivering

  private func deliver(_ spools: [LeftSpool]) async {
    for spool in spools {
      if !isEnded { await deliver(spool) }
      await ingest.release(spool.documents)
    }
  }

  private func deliver(_ spool: LeftSpool) async {
    let path = spool.file.path
    var delivery = SpoolDelivery(spool, ingest, logger)
    do {
      let faults = try await delivery.run { await self.isEnded }
      if faults.isEmpty {
        spool.file.remove()
      } else {
        setAside(spool.file, because: "\(faults)")
      }
      undelivered[path] = nil
      pause = Self.pauseMin
      logger.notice("logged \(delivery.count) messages that an editor's bridge left when it ended")
    } catch {
      guard !isEnded else { return }
      undelivered[path] = "cannot be logged now (\(error)); it is kept, and tried again"
      await show(undelivered)
      look(after: pause)
      pause = min(pause * 2, Self.pauseMax)
    }
  }
}

extension SpoolCollector {
  /// Keeps a file that was not logged as a whole. The new name is a change, after which it is shown.
  private func setAside(_ file: SpoolFile, because reason: String) {
    kept[file.setAside()] = reason
  }
}

/// Calls a closure after each change of a folder.
private final class FolderSignalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let onChange: @Sendable () -> Void

  init(_ onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

  func channelReadComplete(context: ChannelHandlerContext) { onChange() }
}
