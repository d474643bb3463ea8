import EditIngest
import EditLog
import EditModel
import EditProtocol
package import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The daemon as one service. It opens the store and listens at the socket until shutdown. Then it takes
/// no more requests, finishes the waiting ones, seals, unlocks the store and removes the socket. The next
/// start does the work that would take longer than a moment.
package struct DaemonServer: Service {
  private let options: DaemonOptions
  private let logger: Logger
  private let hangUps: AsyncStream<Void>
  private let reload: @Sendable (_ use: (DaemonOptions) -> Void) -> Void

  /// A daemon that calls `reload` for each element of `hangUps` while it listens, to read its settings
  /// again. `reload` calls `use` if it has read any: the daemon then uses their limits.
  package init(
    _ options: DaemonOptions, logger: Logger, hangUps: AsyncStream<Void> = .init { $0.finish() },
    reload: @escaping @Sendable (_ use: (DaemonOptions) -> Void) -> Void = { _ in }
  ) {
    (self.options, self.logger) = (options, logger)
    (self.hangUps, self.reload) = (hangUps, reload)
  }

  /// Checks the path of the socket as a start does, as far as that changes nothing.
  package static func checkSocket(of options: DaemonOptions) throws(DaemonError) {
    guard (try? PassedSocket.current()) == nil else { return }
    try SocketPath(path: options.socket).check()
  }

  /// Runs until a graceful shutdown.
  ///
  /// - Throws: `DaemonError` if the daemon cannot start, or must end because the store's writer failed.
  package func run() async throws {
    Allocator.configure()
    // Before threads are created, because they need descriptors too.
    let limits = try fitted(options.limits)
    let passed = try PassedSocket.current()
    let path = SocketPath(path: passed?.path ?? options.socket)
    if passed == nil { try path.prepare() }
    let failure = NIOLockedValueBox<LogError?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let metrics = MetricsRegistry()
    let store: WritableStore
    do {
      var ingest = options.ingest
      ingest.metrics = metrics
      store = try await WritableStore.open(ingest, logger: logger) { error in
        failure.withLockedValue { $0 = error }
        end.finish()
      }
    } catch let error as LogError {
      throw DaemonError.store(error)
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    do {
      let spools =
        options.spool.isEmpty
        ? nil
        : SpoolCollector(
          folder: options.spool, socket: path.path, store: store.path, ingest: store.ingest,
          group: group, logger: logger)
      let services = DaemonServices(
        store: store, limits: limits, metrics: metrics, spools: spools)
      try await serve(services, at: path, passed, group) {
        await withGracefulShutdownHandler {
          for await _ in ended {}
        } onGracefulShutdown: {
          end.finish()
        }
      }
    } catch {
      await stop(group, store, limits)
      throw error
    }
    await stop(group, store, limits)
    if let error = failure.withLockedValue({ $0 }) { throw DaemonError.store(error) }
    logger.notice("stopped")
  }

  /// Ends the connections, then their threads, then the thread of the store.
  private func stop(
    _ group: MultiThreadedEventLoopGroup, _ store: WritableStore, _ limits: DaemonLimits
  ) async {
    await store.ingest.close(within: .milliseconds(limits.stopMilliseconds))
    try? await group.shutdownGracefully()
    await store.close()
  }

  /// Listens until `untilEnd` returns, and closes the store.
  private func serve(
    _ services: DaemonServices, at path: SocketPath, _ passed: PassedSocket?,
    _ group: MultiThreadedEventLoopGroup, untilEnd: () async -> Void
  ) async throws {
    // Before a client can change a document of a spool.
    await services.spools?.start()
    let channel: any Channel
    do {
      channel = try await listen(at: path, passed, group, services)
    } catch {
      await services.spools?.end()
      throw error
    }
    let manager = ServiceManager()
    let status = "listening at \(path.path.shown)"
    manager.ready(status: status)
    ProgramText.releaseLater()
    logger.notice("\(status), store \(services.store.path.shown)")
    await withDiscardingTaskGroup { tasks in
      tasks.addTask { await Self.reportAlive(services.store.ingest, to: manager) }
      tasks.addTask { [self] in
        for await _ in hangUps {
          manager.reloading()
          reload { use($0, in: services) }
          manager.ready(status: status)
        }
      }
      await untilEnd()
      tasks.cancelAll()
    }
    manager.stopping()
    try? await channel.close()
    services.liveSubscriptions.endAll()
    await services.spools?.end()
    await services.store.ingest.close(
      within: .milliseconds(services.limits.stopMilliseconds))
    // Of a socket that was passed, the manager has the other end.
    if passed == nil { path.remove() }
  }

  /// The limits that the process's limit of open files allows.
  private func fitted(_ limits: DaemonLimits) throws(DaemonError) -> DaemonLimits {
    var fitted = limits
    try Descriptors.fit(&fitted)
    if fitted.connectionCountMax < limits.connectionCountMax {
      logger.warning(
        """
        at most \(fitted.connectionCountMax) connections are admitted, because the process may open \
        few files; raise `ulimit -Hn` for \(limits.connectionCountMax)
        """)
    }
    return fitted
  }

  /// Uses the limits of new options.
  private func use(_ options: DaemonOptions, in services: DaemonServices) {
    services.store.ingest.use(options.ingest)
    do throws(DaemonError) {
      services.use(try fitted(options.limits))
    } catch { logger.error("\(error)") }
  }

  /// Resets the manager's watchdog as long as the ingest takes its turns.
  private static func reportAlive(_ ingest: Ingest, to manager: ServiceManager) async {
    guard let interval = manager.aliveInterval else { return }
    while (try? await WorkerThreads.sleep(for: interval)) != nil {
      await ingest.takeTurn()
      manager.alive()
    }
  }

  private func listen(
    at path: SocketPath, _ passed: PassedSocket?, _ group: MultiThreadedEventLoopGroup,
    _ services: DaemonServices
  ) async throws -> any Channel {
    let admission = ConnectionAdmission(services: services, logger: logger)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelInitializer { [logger] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
        }
      }
      // Nothing is read before the user is checked.
      .childChannelOption(.autoRead, value: false)
      // A client that sends no more may still wait for answers.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // Bytes that are read but not charged to the connection yet are few.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(
          minimum: 1 << 10, initial: 2 << 10, maximum: 64 << 10)
      )
      // Bounds the kernel's memory for a client that does not read.
      .childChannelOption(.socketOption(.so_sndbuf), value: 32 << 10)
      .childChannelInitializer { admission.receive($0) }
    let channel: any Channel
    do {
      if let passed {
        return try await bootstrap.withBoundSocket(passed.descriptor).get()
      }
      channel = try await bootstrap.bind(to: path.address).get()
    } catch let error as IOError {
      throw DaemonError.io(what: "listen at \(path.path.shown)", errno: error.errnoCode)
    }
    try path.makePrivate()
    return channel
  }
}

extension Ingest {
  /// Returns when the loop of the ingest has reached this call: it does not hang.
  fileprivate func takeTurn() {}
}
