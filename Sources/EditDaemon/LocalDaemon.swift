import EditLog
public import EditProtocol
import EditQueries
public import Logging
import NIOCore
import NIOPosix

/// A daemon without a socket, inside the caller's process: what writes to a store while no
/// `editlogd` runs. The store is locked as long as it is open.
public struct LocalDaemon: Sendable {
  private let services: DaemonServices
  private let group: MultiThreadedEventLoopGroup

  /// Opens the store at `path`, making it where there is none.
  ///
  /// - Throws: `ProtocolError` where it cannot be opened, or another process writes to it.
  public static func open(store path: String, logger: Logger) async throws(ProtocolError)
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

  /// The result of any method, as over the socket.
  public func call(_ method: String, _ params: JSON) async throws(ProtocolError) -> JSON {
    if method == "editlog/append" {
      let request = try params.params { (json) throws(ShapeError) in
        try AppendRequest(json: json)
      }
      return try await services.ingest.append(request).json
    }
    return try await services.answer(method, params).get()
  }

  /// Seals what was written and lets the store go.
  public func close() async {
    await services.ingest.close()
    try? await group.shutdownGracefully()
  }
}
