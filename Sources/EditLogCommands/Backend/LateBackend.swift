import EditIngest
import EditModel
import EditProtocol
import EditQueries

/// A backend that is opened for each question, and closed after it. So a daemon that cannot be reached is
/// an error of the question, and each answer is of the daemon or the files as they are then.
struct LateBackend: Backend {
  private let location: Location
  private let terms: DaemonTerms

  /// The time that a daemon has for an answer; nil: as long as it lives.
  private let limit: Duration?

  init(
    _ location: Location, _ terms: DaemonTerms = DaemonTerms(), limit: Duration? = nil
  ) {
    (self.location, self.terms, self.limit) = (location, terms, limit)
  }

  func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    try await withBackend { try await $0.ask(question) }
  }

  func ask<Q: Question>(
    _ question: Q, progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Q.Answer {
    try await withBackend { try await $0.ask(question, progress: progress) }
  }

  func perform<C: Change>(_ change: C) async throws -> C.Answer {
    try await withBackend { try await $0.perform(change) }
  }

  func close() async {}

  private func withBackend<Answer: Sendable>(
    _ body: @escaping @Sendable (any Backend) async throws -> Answer
  ) async throws -> Answer {
    let backend = try await location.open(terms)
    do {
      let limit = backend.socket == nil ? nil : limit
      let answer =
        if let limit { try await withTimeLimit(limit) { try await body(backend) } } else {
          try await body(backend)
        }
      await backend.close()
      return answer
    } catch is TimeLimitExceeded {
      await backend.close()
      throw ProtocolError(
        .overloaded,
        "the daemon at \(backend.socket?.shown ?? "") is busy: it has not answered in \(limit?.shownSeconds ?? "")"
      )
    } catch {
      await backend.close()
      throw error
    }
  }
}
