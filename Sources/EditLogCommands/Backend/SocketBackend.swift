import EditClient
import EditIngest
import EditModel
import EditProtocol
import EditQueries

/// The daemon at a socket. If the connection is lost, questions are asked again over a new one.
/// Changes are not sent again, because the daemon may have performed them.
actor SocketBackend: Backend {
  private let path: String
  private let terms: DaemonTerms
  private var client: EditLogClient
  private var identity: ClientIdentity?

  /// How long to wait for a daemon that was connected before to listen again.
  private static let patience = Duration.seconds(20)

  /// Connects to the socket at `path`.
  ///
  /// - Throws: `ProtocolError`: `unreachable` or `unresponsive` if no daemon answers, `invalidParams` if it
  ///   serves another store than the one that is named.
  init(path: String, _ terms: DaemonTerms = DaemonTerms()) async throws(ProtocolError) {
    (self.path, self.terms, client) = (path, terms, try await terms.connect(to: path))
  }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    try await ask(question, onProgress: nil)
  }

  func ask<Q: Question>(
    _ question: Q, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Q.Answer {
    try await ask(question, onProgress: progress)
  }

  private func ask<Q: Question>(
    _ question: Q, onProgress: (@Sendable (Double) -> Void)?
  ) async throws -> Q.Answer {
    let client = client
    do {
      return try await client.call(question, onProgress: onProgress)
    } catch let error as ProtocolError where error.code == .unreachable {
      return try await reconnected(insteadOf: client).call(question, onProgress: onProgress)
    }
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer {
    do { return try await connected().call(change) } catch var error as ProtocolError
      where error.code == .unresponsive
    {
      error.message += "; it may still make the change when it goes on"
      throw error
    }
  }

  func introduce(_ identity: ClientIdentity) async throws {
    self.identity = identity
    try await connected().introduce(identity)
  }

  /// The connection, or a new one if it is known to be lost. For requests that were not sent yet.
  private func connected() async throws -> EditLogClient {
    client.isConnected ? client : try await reconnected(insteadOf: client)
  }

  func appender(
    waitsForEditors: Bool, report: @escaping AppendReport
  ) async throws -> any EditAppender {
    var options = ResilientAppender.Options()
    options.waitsForEditors = waitsForEditors
    options.silence = terms.silence
    if let store = terms.store {
      options.check = { [path, terms] () async throws(ProtocolError) in
        try await store.check(at: path, terms.silence)
      }
    }
    if waitsForEditors { options.patience = .seconds(.max / 2) }
    let session = identity?.session ?? SessionID.newRun(of: "editlog")
    return try await ResilientAppender.connect(
      to: path, session: session, identity: identity, options: options, report: report)
  }

  nonisolated var socket: String? { path }

  func close() async { await client.close() }

  private func reconnected(insteadOf lost: EditLogClient) async throws -> EditLogClient {
    let deadline = ContinuousClock.now + Self.patience
    while client === lost {
      do {
        client = try await terms.connect(to: path)
        if let identity { try await client.introduce(identity) }
      } catch let error as ProtocolError {
        guard error.code == .unreachable, ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return client
  }
}
