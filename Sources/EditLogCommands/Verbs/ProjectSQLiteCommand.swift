package import ArgumentParser

/// The options of `project sqlite`. The program `editlog-project` performs it, so that `editlog`
/// starts without SQLite and Foundation.
package struct ProjectSQLiteCommand: ExampleGiving, JSONPrinting {
  package static let configuration = CommandConfiguration(
    commandName: "sqlite",
    abstract: "Write histories as tables of an SQLite file.",
    discussion: withExamples(
      """
      Creates FILE, or brings it up to date: only what it does not have yet is written. The tables are \
      documents, sessions, edits, paragraphs (living and removed ones), sections, paragraph_history, undo_steps, \
      marks, events, deletions, and paragraph_search for full-text search. The article Schema of \
      SQLiteProjection describes them, with queries. For example:

        sqlite3 FILE "SELECT document, id, p.text FROM paragraph_search s JOIN paragraphs p \
      ON p.row = s.rowid WHERE paragraph_search MATCH 'keystroke'"

      The rows of a document are always those of one version, however often this command is killed. A \
      document that was renamed gets its new name in FILE; one that was forgotten is removed from FILE.

      With -f, what is logged from then on is written too, until SIGINT or SIGTERM. If the daemon is \
      stopped meanwhile, this waits for it. The column follower of the table store then has the number of \
      the process. Observers of GRDB in other processes see none of its changes; the article Following \
      of SQLiteProjection shows what works.

      A file of an older version of EditLog gets the tables of this one, and all rows are written again.
      """))

  package static let examples = [
    Example(
      "editlog project sqlite --output history.db",
      "all histories as tables; only what is new is written"),
    Example(
      "editlog project sqlite --output notes.db --documents '*.md' --follow",
      "some documents, kept up to date"),
  ]

  @Option(
    help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
  package var output: String
  @Option(
    help: ArgumentHelp(
      "Only documents whose names match this shell pattern.", valueName: "glob"))
  package var documents = "*"
  @Option(
    help: ArgumentHelp(
      "Write the versions at this point, not newer ones. (default: latest)", valueName: "point"),
    completion: .points)
  package var at: String?
  @Flag(name: .shortAndLong, help: "Write what is logged from now on too.")
  package var follow = false
  @OptionGroup package var common: CommonOptions

  package static var jsonLines: [JSONLine] {
    [.init("the state of the file after an update", ProjectedRows.codec)]
  }

  package init() {}

  package func validate() throws {
    guard !follow || at == nil else { throw ValidationError("-f excludes --at.") }
    guard !output.isEmpty else { throw ValidationError("--output takes the path of a file.") }
  }

  /// Replaces this process. Synchronous, for it must stay on the main thread: other threads block
  /// signals, and the new program would inherit that.
  /// The program that performs this verb.
  static let program = "editlog-project"

  package func run() throws { try Subprogram.become(Self.program) }

  /// Runs `body` with a session made from the options and the environment.
  func run(_ body: ProjectionWriter) async throws {
    try await Session.run(common, isPaged: false, { try await common.open() }) {
      try await body(self, $0)
    }
  }
}

/// Performs `project sqlite`.
package typealias ProjectionWriter = @Sendable (ProjectSQLiteCommand, Session) async throws -> Void
