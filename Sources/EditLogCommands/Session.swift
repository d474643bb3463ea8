import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import Synchronization

/// What a verb works with: the backend, where its output goes and how it looks, and the clock.
/// Tests make one of their own.
struct Session: Sendable {
  /// Where the histories are.
  let backend: any Backend
  /// Data; nothing else.
  let output: Output
  /// Everything else.
  let diagnostics: Output
  /// Colours of the data.
  let style: Style
  /// Columns of the terminal that shows the data; nil where there is none, and then nothing is cut.
  let width: Int?
  /// True where someone watches the diagnostics on a terminal.
  let isWatched: Bool
  /// The clock.
  let now: Timestamp
  /// The folder of the editors' spools; nil if there is none to look into.
  var spoolFolder: String?
  /// The warnings that were given.
  let warnings = Warnings()
  /// The documents that arguments turned out to mean.
  let documents = FoundDocuments()
  /// Seconds that local time is ahead of UTC, at a moment in seconds since 1970 UTC.
  let utcOffset: @Sendable (Int64) -> Int

  /// A session with everything given.
  init(
    backend: any Backend, output: Output, diagnostics: Output,
    style: Style = Style(isColoured: false), width: Int? = nil, isWatched: Bool = false,
    now: Timestamp, utcOffset: @escaping @Sendable (Int64) -> Int
  ) {
    (self.backend, self.output, self.diagnostics) = (backend, output, diagnostics)
    (self.style, self.width, self.isWatched) = (style, width, isWatched)
    (self.now, self.utcOffset) = (now, utcOffset)
  }

  /// Runs `body` with the session that the options and the environment ask for, and ends it.
  static func run(
    _ options: CommonOptions, isPaged: Bool, _ body: (Session) async throws -> Void
  ) async throws {
    let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
    let pages = isPaged && isTerminal && !options.noPager && Terminal.environment("TERM") != "dumb"
    let output = Output(
      descriptor: STDOUT_FILENO, pagerCommand: pages ? Pager.command(Terminal.environment) : nil)
    var session = Session(
      backend: try await options.location().open(), output: output,
      diagnostics: Output(descriptor: STDERR_FILENO),
      style: Style(isColoured: Terminal.isColoured(options.color, isTerminal: isTerminal)),
      width: Terminal.width(STDOUT_FILENO), isWatched: Terminal.isTerminal(STDERR_FILENO),
      now: SystemTime.now, utcOffset: SystemTime.utcOffset)
    session.spoolFolder = StandardPlaces(environment: Terminal.environment).spool
    do {
      try await body(session)
    } catch {
      // What was printed so far is still true.
      try? output.finish()
      await session.backend.close()
      throw error
    }
    await session.backend.close()
    try output.finish()
    if let problem = output.pagerProblem {
      session.note("editlog: warning: \(problem); set EDITLOG_PAGER, or give --no-pager")
    }
    if session.warnings.isIncomplete { throw ExitCode(65) }
  }

  /// Says something that is no data.
  func note(_ line: String) {
    // If standard error cannot be written, there is no other place to report to.
    try? diagnostics.writeLine(line)
    try? diagnostics.flush()
  }
}

/// The documents that arguments turned out to mean.
final class FoundDocuments: Sendable {
  private let found = Mutex<[String: DocumentID]>([:])

  /// The document of an argument; nil if it is not known yet.
  subscript(argument: String) -> DocumentID? {
    get { found.withLock { $0[argument] } }
    set { found.withLock { $0[argument] = newValue } }
  }
}

/// The warnings printed so far, each once.
final class Warnings: Sendable {
  private let lines = Mutex<Set<String>>([])
  private let incomplete = Mutex(false)

  /// True if an answer may lack edits that were acknowledged.
  var isIncomplete: Bool { incomplete.withLock { $0 } }
  func noteIncomplete() { incomplete.withLock { $0 = true } }

  /// Records a line; returns true if it is new.
  func insert(_ line: String) -> Bool { lines.withLock { $0.insert(line).inserted } }
}
