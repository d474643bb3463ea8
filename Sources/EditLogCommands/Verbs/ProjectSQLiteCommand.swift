import ArgumentParser
import EditClient
import EditJSON
import EditModel
import EditProtocol
import SQLiteProjection

struct ProjectSQLiteCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "sqlite",
    abstract: "Write histories as tables of an SQLite file.",
    discussion: """
      Creates FILE, or brings it up to date: only what it does not have yet is written. The tables are \
      documents, sessions, edits, paragraphs (living and removed ones), paragraph_history, undo_steps, \
      marks, events, deletions, and paragraph_search for full-text search. The article Schema of \
      SQLiteProjection describes them, with queries. For example:

        sqlite3 FILE "SELECT document, id, p.text FROM paragraph_search s JOIN paragraphs p \
      ON p.row = s.rowid WHERE paragraph_search MATCH 'keystroke'"

      The rows of a document are always those of one version, however often this command is killed. A \
      document that was renamed gets its new name in FILE; one that was forgotten is removed from FILE.

      With -f, what is logged from then on is written too, until SIGINT or SIGTERM. If the daemon is \
      stopped meanwhile, this waits for it.
      """)

  @Option(
    help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
  var output: String
  @Option(
    help: ArgumentHelp(
      "Only documents whose names match this shell pattern.", valueName: "glob"))
  var documents = "*"
  @Option(
    help: ArgumentHelp(
      "Write the versions at this point, not newer ones. (default: latest)", valueName: "point"))
  var at: String?
  @Flag(name: .shortAndLong, help: "Write what is logged from now on too.") var follow = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !follow || at == nil else { throw ValidationError("-f excludes --at.") }
    guard !output.isEmpty else { throw ValidationError("--output takes the path of a file.") }
  }

  func run(in session: Session) async throws {
    guard !follow || session.backend.socket != nil else {
      throw ProtocolError(
        .unreachable,
        """
        -f needs the daemon, which tells what is logged; start editlogd, or leave out --store
        """)
    }
    let point = try at.map { try session.point($0) }
    let store = try await session.backend.ask(StatusRequest()).store
    do {
      let file = try ProjectionFile(at: output, store: store)
      let isComplete = try await run(
        ProjectionUpdate(session, file, documents: documents, at: point), session)
      try file.close()
      guard isComplete else { throw ExitCode(65) }
    } catch let error as SQLiteProjectionError { throw CommandError(error) }
  }

  /// Returns false if a document could not be read.
  private func run(_ update: ProjectionUpdate, _ session: Session) async throws -> Bool {
    var running = update
    guard follow, let socket = session.backend.socket else {
      let report = try await running.run()
      try print(report, session)
      return report.failureCount == 0
    }
    let task = Task { [running] in
      var running = running
      let signals = LogSignals(at: socket, note: { session.note("editlog: \($0)") })
      try await running.follow(signals) { report in
        guard report.isChange else { return }
        try print(report, session)
        try session.output.flush()
      }
    }
    let stop = StopSignals(interrupt: true) { task.cancel() }
    defer { withExtendedLifetime(stop) {} }
    do { try await task.value } catch is CancellationError {}
    return true
  }

  private func print(_ report: ProjectionUpdate.Report, _ session: Session) throws {
    if common.json { return try session.printJSON(report.json(output)) }
    try session.output.writeLine(report.line(output))
  }
}
