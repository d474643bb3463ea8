import EditLogFormat

/// Records whether a flush failed, which ends a writer. Other failures do not.
struct FlushWatch {
  private(set) var hasFailed = false

  /// Runs `body`, which flushes.
  mutating func watch(_ body: () throws(LogError) -> Void) throws(LogError) {
    do { try body() } catch {
      hasFailed = true
      throw error
    }
  }

  /// Adds the record of another watch.
  mutating func add(_ other: FlushWatch) { hasFailed = hasFailed || other.hasFailed }
}
