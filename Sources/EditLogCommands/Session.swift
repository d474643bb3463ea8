import ArgumentParser
package import EditClient
import EditModel
package import EditProtocol
package import EditQueries
import Glibc
import Synchronization

/// The environment of a verb: the backend, the output and its style, and the clock. Tests make
/// their own.
package struct Session: Sendable {
  let backend: any Backend
  /// Standard output, for data only.
  package let output: Output
  /// Standard error, for notes, warnings and progress.
  let diagnostics: Output
  /// Colours of the data.
  let style: Style
  /// Columns of the terminal that shows the data. Nil if there is no terminal: then nothing is cut.
  var width: Int?
  /// True if the diagnostics go to a terminal.
  let isWatched: Bool
  /// The time at which the run started. Relative times are resolved against it.
  let now: Timestamp
  /// The folder of the editors' spools; nil if the environment names none.
  var spoolFolder: String?
  /// How long a daemon is waited for that sends nothing.
  package var silence = SilenceLimits()
  /// True if the backend is told which client makes the changes.
  var isIdentified = false
  /// The warnings that were printed.
  package let warnings = Warnings()
  /// The documents found for the arguments.
  let documents = FoundDocuments()
  /// Seconds by which local time is ahead of UTC, at a time in seconds since 1970 UTC.
  let utcOffset: @Sendable (Int64) -> Int

  init(
    backend: any Backend, output: Output, diagnostics: Output,
    style: Style = Style(isColoured: false), width: Int? = nil, isWatched: Bool = false,
    now: Timestamp, utcOffset: @escaping @Sendable (Int64) -> Int
  ) {
    (self.backend, self.output, self.diagnostics) = (backend, output, diagnostics)
    (self.style, self.width, self.isWatched) = (style, width, isWatched)
    (self.now, self.utcOffset) = (now, utcOffset)
  }

  /// Runs `body` with a session made from the options and the environment, and closes the session.
  static func run(
    _ options: CommonOptions, isPaged: Bool, isTable: Bool = true,
    _ openBackend: () async throws -> any Backend,
    _ body: (Session) async throws -> Void
  ) async throws {
    let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
    let pages = isPaged && isTerminal && !options.noPager && Terminal.environment("TERM") != "dumb"
    let output = Output(
      descriptor: STDOUT_FILENO,
      pagerCommand: pages ? Pager.command(cutsLines: isTable, Terminal.variable) : nil)
    var session = Session(
      backend: try await openBackend(), output: output,
      diagnostics: Output(descriptor: STDERR_FILENO),
      style: Style(isColoured: Terminal.isColoured(options.color, isTerminal: isTerminal)),
      width: Terminal.width(STDOUT_FILENO), isWatched: Terminal.isTerminal(STDERR_FILENO),
      now: SystemTime.now, utcOffset: options.utcOffset)
    session.isIdentified = true
    session.silence = options.waiting.silence
    session.spoolFolder = StandardPlaces(environment: Terminal.environment).spool
    do {
      try await body(session)
    } catch {
      await session.backend.close()
      // Output that was printed before the error is valid, so it is flushed.
      do { try output.finish() } catch let failure as CommandError where error is ExitCode {
        // The status says what was printed, such as that texts differ. It was not printed.
        throw failure
      } catch {}
      throw error
    }
    await session.backend.close()
    try output.finish()
    if let problem = output.pagerProblem {
      session.note("editlog: warning: \(problem); set EDITLOG_PAGER, or give --no-pager")
    }
    if session.warnings.isIncomplete { throw ExitCode(65) }
  }

  /// The answer to a question.
  ///
  /// - Throws: `ProtocolError`.
  package func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
    try await backend.ask(question)
  }

  /// The daemon's socket. Nil on files.
  package var socket: String? { backend.socket }

  /// Prints a line on standard error.
  package func note(_ line: String) {
    // If standard error cannot be written, there is no other place to report to.
    try? diagnostics.writeLine(line)
    try? diagnostics.flush()
  }
}

/// The documents found for the arguments.
final class FoundDocuments: Sendable {
  private let found = Mutex<[ExactString: DocumentID]>([:])

  /// The document of an argument; nil if it is not known yet.
  subscript(argument: String) -> DocumentID? {
    get { found.withLock { $0[argument] } }
    set { found.withLock { $0[argument] = newValue } }
  }
}

/// The warnings printed so far, each once.
package final class Warnings: Sendable {
  private let lines = Mutex<Set<ExactString>>([])
  private let incomplete = Mutex(false)

  /// True if an answer may lack edits that were acknowledged.
  var isIncomplete: Bool { incomplete.withLock { $0 } }
  func noteIncomplete() { incomplete.withLock { $0 = true } }

  /// Records a line; returns true if it is new.
  package func insert(_ line: String) -> Bool { lines.withLock { $0.insert(line) } }
}
