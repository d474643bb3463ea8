import EditLog
package import EditProtocol
package import EditQueries
package import Logging
import NIOCore
import NIOPosix

/// A daemon without a socket, inside the caller's process: what writes to a store while no
/// `editlogd` runs. The store is locked as long as it is open.
package struct LocalDaemon: Sendable {
  private let services: DaemonServices
  private let group: MultiThreadedEventLoopGroup

  /// Opens the store at `path`, making it where there is none.
  ///
  /// - Throws: `ProtocolError` where it cannot be opened, or another process writes to it.
  package static func open(store path: String, logger: Logger) async throws(ProtocolError)
    -> LocalDaemon
  {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let ingest = try await loop.submit {
        try Ingest(on: loop, options: IngestOptions(store: path), logger: logger) { _ in }
      }.get()
      await ingest.reportRecovery()
      return LocalDaemon(
        services: DaemonServices(ingest: ingest, limits: DaemonLimits()), group: group)
    } catch {
      try? await group.shutdownGracefully()
      throw ProtocolError(reading: error)
    }
  }

  /// Answers a question, as over the socket.
  package func ask<Q: Question>(_ question: Q) async throws(ProtocolError) -> Q.Answer {
    try await services.engine.answer(question)
  }

  /// Performs a change, as over the socket.
  package func perform<C: Change>(_ change: C) async throws(ProtocolError) -> C.Answer {
    try await change.perform(services: services)
  }

  /// Seals what was written and lets the store go.
  package func close() async {
    await services.ingest.close()
    try? await group.shutdownGracefully()
  }
}
