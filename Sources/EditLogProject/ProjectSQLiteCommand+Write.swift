import ArgumentParser
import EditClient
import EditLogCommands
import EditModel
import EditProtocol
import Glibc
import SQLiteProjection

extension ProjectSQLiteCommand {
  /// Writes the file, and returns when it is up to date, or with `follow` at SIGINT and SIGTERM.
  ///
  /// - Throws: `ProtocolError`, `CommandError`; `ExitCode` (65) if a document could not be read.
  func write(in session: Session) async throws {
    guard !follow || session.socket != nil else {
      throw ProtocolError(
        .unreachable,
        """
        -f needs the daemon, which tells what is logged; start editlogd, or leave out --store
        """)
    }
    let point = try at.map { try session.point($0) }
    let store = try await session.ask(StatusRequest()).store
    do {
      let file = try ProjectionFile(at: output, store: store)
      if follow { try claim(file, session) }
      let isComplete = try await run(
        ProjectionUpdate(session, file, documents: documents, at: point), session)
      if follow { try file.setFollower(nil) }
      try file.close()
      guard isComplete else { throw ExitCode(65) }
    } catch let error as SQLiteProjectionError { throw CommandError(error) }
  }

  /// Says in the file that this process follows, so that its readers know that rows change.
  private func claim(_ file: ProjectionFile, _ session: Session) throws {
    if let other = try file.follower(), other != getpid() {
      session.note(
        """
        editlog: process \(other) follows \(output.shown) already; both write it, and the slower one \
        waits for the other
        """)
    }
    try file.setFollower(getpid())
  }

  /// Returns false if a document could not be read.
  private func run(_ update: ProjectionUpdate, _ session: Session) async throws -> Bool {
    var running = update
    guard follow, let socket = session.socket else {
      let report = try await running.run()
      try print(report, session)
      return report.failureCount == 0
    }
    let task = Task { [running] in
      var running = running
      let signals = LogSignals(
        at: socket, note: { session.note("editlog: \($0)") }, silence: session.silence)
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
