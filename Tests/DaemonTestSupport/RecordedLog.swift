package import Logging
import Synchronization

/// Keeps the messages that are logged.
package final class RecordedLog: Sendable {
  /// Messages of the level notice and above, as they come.
  package let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private let kept = Mutex<[String]>([])
  private let said = Mutex<[String]>([])
  private let level: Logger.Level

  package init(level: Logger.Level = .notice) {
    self.level = level
    (lines, continuation) = AsyncStream.makeStream()
  }

  /// All messages so far, with their metadata.
  package var everything: [String] { said.withLock { $0 } }

  /// Warnings and worse.
  package var complaints: [String] { kept.withLock { $0 } }
  package func forgetComplaints() { kept.withLock { $0 = [] } }
  package func finish() { continuation.finish() }

  package var logger: Logger {
    Logger(label: "test") { [self] _ in Handler(log: self, logLevel: level) }
  }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.continuation.yield("\(event.message)")
      log.said.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
      guard event.level >= .warning else { return }
      log.kept.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
