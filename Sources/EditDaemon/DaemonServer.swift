import EditLog
import EditProtocol
public import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// The daemon as one service: opens the store, listens at the socket until shutdown, then takes
/// no more, finishes what waits, seals, and lets go of both.
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
    let place = SocketPlace(path: options.socket)
    try place.prepare()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let writerGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      try await serve(at: place, group, writerGroup.next())
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
    at place: SocketPlace, _ group: MultiThreadedEventLoopGroup, _ writerLoop: any EventLoop
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
    let services = DaemonServices(ingest: ingest, limits: options.limits)
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
    await ingest.close()
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
      // Nothing is read before the peer is known.
      .childChannelOption(.autoRead, value: false)
      // A client that sends no more may still wait for answers.
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { doorkeeper.receive($0) }
    let channel: any Channel
    do {
      channel = try await bootstrap.bind(unixDomainSocketPath: place.path).get()
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

  /// A daemon with its store in the folder `store`, listening at the path `socket`. A document
  /// is sealed when `sealAfter` of its edits are in the journal.
  public init(store: String, socket: String, sealAfter: Int? = nil) {
    self.socket = socket
    ingest = IngestOptions(store: store)
    if let sealAfter { ingest.sealAfter = sealAfter }
  }
}

/// Receives connections: counts them, checks who is there, and only then lets them be read.
private final class Doorkeeper: Sendable {
  private let services: DaemonServices
  private let logger: Logger
  private let peers = PeerCheck()
  private let counts = NIOLockedValueBox((next: 1, open: 0))

  init(services: DaemonServices, logger: Logger) {
    (self.services, self.logger) = (services, logger)
  }

  func receive(_ channel: any Channel) -> EventLoopFuture<Void> {
    let (number, isRoom) = counts.withLockedValue { counts in
      counts.next += 1
      counts.open += 1
      return (counts.next - 1, counts.open <= services.limits.connectionCountMax)
    }
    channel.closeFuture.whenComplete { [counts] _ in counts.withLockedValue { $0.open -= 1 } }
    guard isRoom else { return refuse(channel, .overloaded(retryAfterMillis: 1_000)) }
    return peers.admit(channel).flatMap { [self] (isAdmitted: Bool) in
      guard isAdmitted else {
        logger.warning("refused a connection of another user")
        return refuse(channel, peers.refusal)
      }
      return admit(channel, number)
    }
  }

  private func admit(_ channel: any Channel, _ number: Int) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      let decoder = ByteToMessageHandler(
        FrameDecoder(frameSizeMax: services.limits.frameSizeMax))
      try channel.pipeline.syncOperations.addHandlers(
        decoder, ConnectionHandler(number: number, services: services, logger: logger))
    }.flatMap { channel.setOption(.autoRead, value: true) }
  }

  private func refuse(_ channel: any Channel, _ error: ProtocolError) -> EventLoopFuture<Void> {
    let message = RPCMessage.failure(id: nil, error).frame
    // Not chained: the channel is written to once it is set up.
    channel.eventLoop.execute {
      channel.writeAndFlush(message).whenComplete { _ in channel.close(promise: nil) }
    }
    return channel.eventLoop.makeSucceededVoidFuture()
  }
}
