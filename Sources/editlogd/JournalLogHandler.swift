import Glibc
import Logging
import Synchronization

/// Log lines on standard error. Under systemd each carries its priority, as sd-daemon(3) has it;
/// elsewhere, the level in words.
struct JournalLogHandler: LogHandler {
  private static let sharedLevel = Mutex(Logger.Level.notice)
  /// The least severe messages that all handlers log.
  static var level: Logger.Level {
    get { sharedLevel.withLock { $0 } }
    set { sharedLevel.withLock { $0 = newValue } }
  }

  /// That of all handlers, so that it can change while the daemon runs. Setting it has no effect.
  var logLevel: Logger.Level {
    get { Self.level }
    set {}
  }
  var metadata: Logger.Metadata = [:]
  private let isJournal = getenv("JOURNAL_STREAM") != nil

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let level = event.level
    let values = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let suffix = values.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    let prefix = isJournal ? "<\(level.priority)>" : "editlogd: \(level.word)"
    var line = Array("\(prefix)\(event.message)\(suffix)\n".utf8)
    // One write a line, so that lines of several threads do not mix.
    line.withUnsafeMutableBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Logger.Level {
  /// The priority by syslog(3).
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// How a line on a terminal begins; the ordinary ones need no word.
  fileprivate var word: String {
    switch self {
    case .trace, .debug: "debug: "
    case .info, .notice: ""
    case .warning: "warning: "
    case .error, .critical: "error: "
    }
  }
}
