import EditLogFormat

/// Remembers whether a flush failed: that ends a writer, and other failures do not.
struct FlushWatch {
  private(set) var hasFailed = false

  /// Runs `body`, which flushes.
  mutating func watch(_ body: () throws(LogError) -> Void) throws(LogError) {
    do { try body() } catch {
      hasFailed = true
      throw error
    }
  }

  /// Remembers what another watch saw.
  mutating func add(_ other: FlushWatch) { hasFailed = hasFailed || other.hasFailed }
}
