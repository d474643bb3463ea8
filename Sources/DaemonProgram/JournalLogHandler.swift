import EditDaemon
import Glibc
import Logging
import Synchronization

/// The daemon's log: entries of systemd's journal if standard error is connected to it, else lines on
/// standard error.
///
/// An entry has the fields `MESSAGE`, `PRIORITY`, `SYSLOG_IDENTIFIER`, `SYSLOG_PID`, `EDITLOG_MODULE`,
/// `CODE_FILE`, `CODE_LINE`, `CODE_FUNC`, and `EDITLOG_…` for each metadata value. If the journal does not
/// take it, it is a line with its priority, as sd-daemon(3) has it. Nothing has a word of a document.
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
  private static let stream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
  private static let isJournal = JournalSocket.isJournal(STDERR_FILENO, stream)
  private static let journal = JournalSocket(standardError: stream)

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let level = event.level
    let values = metadata.merging(event.metadata ?? [:]) { _, new in new }
      .sorted { $0.key < $1.key }
    if let journal = Self.journal, journal.send(fields(of: event, values)) { return }
    let suffix = values.map { " \($0.key)=\($0.value)" }.joined()
    let prefix = Self.isJournal ? "<\(level.priority)>" : "editlogd: \(level.word)"
    var line = Array("\(prefix)\(event.message)\(suffix)\n".utf8)
    // One write a line, so that lines of several threads do not mix.
    line.withUnsafeMutableBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private func fields(
    of event: LogEvent, _ values: [(key: String, value: Logger.Metadata.Value)]
  ) -> [(name: String, value: String)] {
    let fields = [
      ("MESSAGE", "\(event.message)"), ("PRIORITY", "\(event.level.priority)"),
      ("SYSLOG_IDENTIFIER", "editlogd"), ("SYSLOG_PID", "\(getpid())"),
      ("EDITLOG_MODULE", event.source), ("CODE_FILE", event.file), ("CODE_LINE", "\(event.line)"),
      ("CODE_FUNC", event.function),
    ]
    return fields + values.map { (JournalSocket.fieldName($0.key), "\($0.value)") }
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
