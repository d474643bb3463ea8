import EditIngest
import EditProtocol
import EditQueries

/// A backend that is opened for each question, and closed after it. So a daemon that cannot be reached is
/// an error of the question, and each answer is of the daemon or the files as they are then.
struct LateBackend: Backend {
  private let location: Location

  init(_ location: Location) { self.location = location }

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

  private func withBackend<Answer>(
    _ body: (any Backend) async throws -> Answer
  ) async throws -> Answer {
    let backend = try await location.open()
    do {
      let answer = try await body(backend)
      await backend.close()
      return answer
    } catch {
      await backend.close()
      throw error
    }
  }
}
