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

  package init(_ options: DaemonOptions, logger: Logger) {
    (self.options, self.logger) = (options, logger)
  }

  /// Runs until a graceful shutdown.
  ///
  /// - Throws: `DaemonError` if the daemon cannot start, or must end because the store's writer failed.
  package func run() async throws {
    Allocator.configure()
    // Before threads are created, because they need descriptors too.
    var limits = options.limits
    try Descriptors.fit(&limits)
    let path = SocketPath(path: options.socket)
    try path.prepare()
    let failure = NIOLockedValueBox<LogError?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let store: WritableStore
    do {
      store = try await WritableStore.open(options.ingest, logger: logger) { error in
        failure.withLockedValue { $0 = error }
        end.finish()
      }
    } catch let error as LogError {
      throw DaemonError.store(error)
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    do {
      try await serve(DaemonServices(store: store, limits: limits), at: path, group) {
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
    _ services: DaemonServices, at path: SocketPath, _ group: MultiThreadedEventLoopGroup,
    untilEnd: () async -> Void
  ) async throws {
    let channel = try await listen(at: path, group, services)
    let manager = ServiceManager()
    manager.ready(status: "listening at \(path.path.shown)")
    logger.notice("listening at \(path.path.shown), store \(services.store.path.shown)")
    await untilEnd()
    manager.stopping()
    try? await channel.close()
    await services.store.ingest.close(
      within: .milliseconds(services.limits.stopMilliseconds))
    path.remove()
  }

  private func listen(
    at path: SocketPath, _ group: MultiThreadedEventLoopGroup, _ services: DaemonServices
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
      channel = try await bootstrap.bind(to: path.address).get()
    } catch let error as IOError {
      throw DaemonError.io(what: "listen at \(path.path.shown)", errno: error.errnoCode)
    }
    try path.makePrivate()
    return channel
  }
}
