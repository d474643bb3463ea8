public import EditClient
import EditIngest
import EditModel
import EditProtocol
import EditQueries
import Synchronization

/// Answers questions and performs changes, through the daemon or on a store's files.
protocol Backend: Sendable {
  /// The answer to a question.
  ///
  /// - Throws: `ProtocolError`.
  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer

  /// As `ask(_:)`. `progress` gets the part of the answer that is done, 0 to 1, if it takes long.
  func ask<Q: Question>(
    _ question: Q, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Q.Answer

  /// Performs a change. Returns when it is durable.
  ///
  /// - Throws: `ProtocolError`.
  func perform<C: Change>(_ change: C) async throws -> C.Answer

  /// A writer that does not wait for one request's acknowledgement before it takes the next.
  /// `report` is called when a request ends, in the order of the requests; it must not block. With
  /// `waitsForEditors`, requests for a document that an editor has open wait until it is closed there.
  ///
  /// - Throws: `ProtocolError`.
  func appender(
    waitsForEditors: Bool, report: @escaping AppendReport
  ) async throws -> any EditAppender

  /// Tells which client makes the changes from now on.
  ///
  /// - Throws: `ProtocolError`.
  func introduce(_ identity: ClientIdentity) async throws

  /// The daemon's socket. Nil on files.
  var socket: String? { get }

  /// Closes the connection, or releases the files.
  func close() async
}

/// Called when a request ends, with its number and its result.
typealias AppendReport = ResilientAppender.Report

/// A writer of edits. Requests are logged in the order in which they are given.
protocol EditAppender: Sendable {
  /// Takes a request; waits while too much is under way, not for the acknowledgement. Returns
  /// the request's number: 1, 2, 3, …
  ///
  /// - Throws: `ProtocolError`: the first request's failure.
  @discardableResult
  func append(_ request: AppendRequest) async throws(ProtocolError) -> UInt64

  /// Waits until every request so far has ended.
  ///
  /// - Throws: `ProtocolError`: the first failure of any request.
  func flush() async throws(ProtocolError)

  /// Ends the writer. Requests that have not ended yet may be lost.
  func close() async
}

extension ResilientAppender: EditAppender {}

extension Backend {
  var socket: String? { nil }

  /// Reports no progress.
  func ask<Q: Question>(
    _ question: Q, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Q.Answer {
    try await ask(question)
  }

  /// Does nothing.
  func introduce(_ identity: ClientIdentity) async throws {}

  /// A writer that performs one request after the other.
  func appender(
    waitsForEditors: Bool, report: @escaping AppendReport
  ) async throws -> any EditAppender {
    CallAppender(backend: self, report: report)
  }
}

/// A writer that makes one call for each request. One caller at a time.
private final class CallAppender: EditAppender {
  private struct State {
    var counter: UInt64 = 0
    var failure: ProtocolError?
  }
  private let backend: any Backend
  private let report: AppendReport
  private let state = Mutex(State())

  init(backend: any Backend, report: @escaping AppendReport) {
    (self.backend, self.report) = (backend, report)
  }

  func append(_ request: AppendRequest) async throws(ProtocolError) -> UInt64 {
    let (counter, failure) = state.withLock { state in
      state.counter += 1
      return (state.counter, state.failure)
    }
    if let failure { throw failure }
    let result: Result<AppendResult, ProtocolError>
    do {
      result = .success(try await backend.perform(request))
    } catch { result = .failure(ProtocolError(any: error)) }
    if case .failure(let error) = result { state.withLock { $0.failure = error } }
    report(counter, result)
    return counter
  }

  func flush() async throws(ProtocolError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  func close() async {}
}

extension ProtocolError {
  /// `error` itself if it is a `ProtocolError`, else an `internalError` with its description.
  init(any error: any Error) {
    switch error {
    case let error as ProtocolError: self = error
    default: self.init(.internalError, "\(error)")
    }
  }
}
