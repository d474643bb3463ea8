package import EditLog
package import EditProtocol
package import EditQueries
package import Logging
package import NIOCore
import NIOPosix

/// A store that this process has open for writing. It is locked until `close`.
package struct WritableStore: Sendable {
  package let ingest: Ingest
  package var engine: QueryEngine
  private let group: MultiThreadedEventLoopGroup
  /// The client that makes the changes, if it has described itself.
  package var client: ClientIdentity?

  /// The path of the store's folder.
  package var path: String { ingest.path }

  /// Opens a store, and creates it if it does not exist.
  ///
  /// - Parameter onFailure: Called once if the writer fails. No request is taken after it.
  /// - Throws: `LogError` if the store cannot be opened, or another process writes to it.
  package static func open(
    _ options: IngestOptions, logger: Logger,
    onFailure: @escaping @Sendable (LogError) -> Void = { _ in }
  ) async throws -> WritableStore {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let ingest = try await loop.submit {
        try Ingest(on: loop, options: options, logger: logger, onFailure: onFailure)
      }.get()
      await ingest.reportRecovery()
      return WritableStore(
        ingest: ingest,
        engine: QueryEngine(
          IngestHistories(ingest: ingest),
          timer: { time, body in
            MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(time), body)
          }), group: group)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  /// Answers a question. `work` cancels the work on it, and gets its progress.
  package func ask<Q: Question>(
    _ question: Q, _ work: QuestionWork? = nil
  ) async throws(ProtocolError) -> Q.Answer {
    try await engine.answer(question, work)
  }

  /// Performs a change. Returns when it is durable.
  package func perform<C: Change>(_ change: C) async throws(ProtocolError) -> C.Answer {
    try await change.perform(in: self)
  }

  /// Closes the ingest, and unlocks the store. A second call does nothing.
  ///
  /// - Parameter time: As for `Ingest.close`.
  package func close(within time: TimeAmount? = nil) async {
    await ingest.close(within: time)
    try? await group.shutdownGracefully()
  }
}
