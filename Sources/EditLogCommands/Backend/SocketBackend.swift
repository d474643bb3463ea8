import EditClient
import EditIngest
import EditModel
import EditProtocol
import EditQueries

/// The daemon at a socket. If the connection is lost, questions are asked again over a new one.
/// Changes are not sent again, because the daemon may have performed them.
actor SocketBackend: Backend {
  private let path: String
  private var client: EditLogClient

  /// How long to wait for a daemon that was connected before to listen again.
  private static let patience = Duration.seconds(20)

  /// Connects to the socket at `path`.
  ///
  /// - Throws: `ProtocolError`: `unreachable` if no daemon answers.
  init(path: String) async throws(ProtocolError) {
    (self.path, client) = (path, try await EditLogClient.connect(to: path))
  }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    let client = client
    do {
      return try await client.call(question)
    } catch let error as ProtocolError where error.code == .unreachable {
      return try await reconnected(insteadOf: client).call(question)
    }
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer {
    try await client.call(change)
  }

  nonisolated func appender(
    waitsForEditors: Bool, report: @escaping AppendReport
  ) async throws -> any EditAppender {
    var options = ResilientAppender.Options()
    options.waitsForEditors = waitsForEditors
    if waitsForEditors { options.patience = .seconds(.max / 2) }
    return try await ResilientAppender.connect(
      to: path, session: Self.newSession(), options: options, report: report)
  }

  nonisolated var socket: String? { path }

  func close() async { await client.close() }

  private func reconnected(insteadOf lost: EditLogClient) async throws -> EditLogClient {
    let deadline = ContinuousClock.now + Self.patience
    while client === lost {
      do {
        client = try await EditLogClient.connect(to: path)
      } catch {
        guard error.code == .unreachable, ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return client
  }

  /// A name for this run, unique by 64 random bits and the time.
  private static func newSession() throws(ProtocolError) -> SessionID {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    guard let session = SessionID("editlog-\(random)-\(SystemTime.now.nanoseconds)") else {
      throw ProtocolError(.internalError, "no name for this run")
    }
    return session
  }
}
