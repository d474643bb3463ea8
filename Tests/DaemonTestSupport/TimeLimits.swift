/// Fails a test.
package struct TestFailure: Error {
  package let what: String
}

extension AsyncStream where Element: Sendable {
  /// A stream that ends after five minutes, so that a test that waits for an element in vain fails and
  /// ends.
  package static func limited() -> (stream: AsyncStream, continuation: Continuation) {
    let (stream, continuation) = makeStream()
    Task {
      try? await Task.sleep(for: .seconds(300))
      continuation.finish()
    }
    return (stream, continuation)
  }
}

/// Waits until `condition` holds. Throws after two minutes.
///
/// The condition is checked after every pause, because a pause may take minutes on a busy machine.
package func until(_ condition: () async throws -> Bool) async throws {
  let start = ContinuousClock.now
  while true {
    if try await condition() { return }
    guard ContinuousClock.now - start < .seconds(120) else {
      throw TestFailure(what: "the condition did not hold after two minutes")
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}
