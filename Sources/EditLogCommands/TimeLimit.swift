/// A call took longer than its time limit.
struct TimeLimitExceeded: Error {}

/// The result of `body`, which is cancelled when the time is over.
///
/// - Throws: `TimeLimitExceeded`, or the error of `body`.
func withTimeLimit<Value: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    guard let first = try await group.next(), let value = first else { throw TimeLimitExceeded() }
    return value
  }
}
