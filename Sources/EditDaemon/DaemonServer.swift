import EditLog
import EditProtocol
public import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// The daemon as one service: opens the store, listens at the socket until shutdown, then takes
/// no more, finishes what waits, seals, and lets go of both. What takes longer than a moment is left
/// to the next start.
public struct DaemonServer: Service {
  private let options: DaemonOptions
  private let logger: Logger

  /// A daemon with these options.
  public init(_ options: DaemonOptions, logger: Logger) {
    (self.options, self.logger) = (options, logger)
  }

  /// Runs until a graceful shutdown.
  ///
  /// - Throws: `DaemonError` where the daemon cannot start, or must end because the log's writer
  ///   failed.
  public func run() async throws {
    Allocator.keepLittle()
    // Before threads are made: they need descriptors too.
    var limits = options.limits
    try Descriptors.fit(&limits)
    let place = SocketPlace(path: options.socket)
    try place.prepare()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let writerGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      try await serve(at: place, group, writerGroup.next(), limits)
    } catch {
      await stop(group, writerGroup)
      throw error
    }
    await stop(group, writerGroup)
  }

  private func stop(_ groups: MultiThreadedEventLoopGroup...) async {
    for group in groups { try? await group.shutdownGracefully() }
  }

  private func serve(
    at place: SocketPlace, _ group: MultiThreadedEventLoopGroup, _ writerLoop: any EventLoop,
    _ limits: DaemonLimits
  ) async throws {
    let failure = NIOLockedValueBox<LogError?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let ingest: Ingest
    do {
      ingest = try await writerLoop.submit { [options, logger] in
        try Ingest(on: writerLoop, options: options.ingest, logger: logger) { error in
          failure.withLockedValue { $0 = error }
          end.finish()
        }
      }.get()
    } catch let error as LogError {
      throw DaemonError.store(error)
    }
    await ingest.reportRecovery()
    let services = DaemonServices(ingest: ingest, limits: limits)
    let channel = try await listen(at: place, group, services)
    let manager = ServiceManager()
    manager.ready(status: "listening at \(place.path)")
    logger.notice("listening at \(place.path), store \(options.ingest.store)")
    await withGracefulShutdownHandler {
      for await _ in ended {}
    } onGracefulShutdown: {
      end.finish()
    }
    manager.stopping()
    try? await channel.close()
    await ingest.close(within: .milliseconds(limits.stopMilliseconds))
    place.remove()
    if let error = failure.withLockedValue({ $0 }) { throw DaemonError.store(error) }
    logger.notice("stopped")
  }

  private func listen(
    at place: SocketPlace, _ group: MultiThreadedEventLoopGroup, _ services: DaemonServices
  ) async throws -> any Channel {
    let doorkeeper = Doorkeeper(services: services, logger: logger)
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelInitializer { [logger] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPause(logger: logger))
        }
      }
      // Nothing is read before the peer is known.
      .childChannelOption(.autoRead, value: false)
      // A client that sends no more may still wait for answers.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      // What is read and not yet asked for is not charged to anyone: it is little.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(
          minimum: 1 << 10, initial: 2 << 10, maximum: 64 << 10)
      )
      // What a client that does not read keeps in the kernel.
      .childChannelOption(.socketOption(.so_sndbuf), value: 32 << 10)
      .childChannelInitializer { doorkeeper.receive($0) }
    let channel: any Channel
    do {
      channel = try await bootstrap.bind(to: place.address).get()
    } catch let error as IOError {
      throw DaemonError.io(what: "listen at \(place.path)", errno: error.errnoCode)
    }
    try place.makePrivate()
    return channel
  }
}

/// What can be set about a daemon.
public struct DaemonOptions: Sendable {
  package var socket: String
  package var ingest: IngestOptions
  package var limits = DaemonLimits()

  /// Bytes in the longest path of the socket: 107 on Linux.
  public static let socketPathSizeMax = SocketPlace.pathSizeMax

  /// Bytes in flight of all connections, and of one.
  public var bytesInFlightMax: (all: Int, connection: Int) {
    get { (limits.bytesInFlightMax, limits.connectionBytesMax) }
    set { (limits.bytesInFlightMax, limits.connectionBytesMax) = newValue }
  }

  /// Connections at a time.
  public var connectionCountMax: Int {
    get { limits.connectionCountMax }
    set { limits.connectionCountMax = newValue }
  }

  /// A daemon with its store in the folder `store`, listening at the path `socket`. A document
  /// is sealed when `sealAfter` of its edits are in the journal.
  public init(store: String, socket: String, sealAfter: Int? = nil) {
    self.socket = socket
    ingest = IngestOptions(store: store)
    if let sealAfter { ingest.sealAfter = sealAfter }
  }
}
