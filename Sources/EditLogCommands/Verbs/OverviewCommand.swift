import ArgumentParser
import EditJSON
import EditModel
import EditProtocol

/// What `editlog` does without a verb.
struct OverviewCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "overview",
    abstract: "Show what is recorded, and what to do next.",
    discussion: withExamples(
      """
      `editlog` without a verb prints this: whether the daemon answers, the number of documents, \
      those that were edited last, with time and size, and a few commands to continue with.

      Exit status 0 also if nothing is recorded yet, or if no daemon answers.
      """))

  static let examples = [
    Example("editlog", "what is recorded, and what to do next"),
    Example("editlog --store ~/history", "the same for the files of another store"),
  ]

  static var jsonLines: [JSONLine] { [.init("what is recorded", OverviewReport.codec)] }

  @OptionGroup var common: CommonOptions

  /// The number of documents that are listed.
  static let recentMax = 4

  var isPaged: Bool { false }

  /// Without a daemon and a store, a backend that reports this when it is asked.
  func openBackend() async throws -> any Backend {
    do { return try await common.open() } catch let error as ProtocolError
      where error.code == .unreachable
    {
      return LateBackend(common.location(), common.terms)
    }
  }

  func run(in session: Session) async throws {
    let answer: DocumentsAnswer
    do {
      answer = try await session.ask(DocumentsRequest())
    } catch let error as ProtocolError
      where error.code == .unreachable || error.code == .unknownDocument
    {
      return try printBeginning(error.message, session)
    }
    session.warn(of: answer.reservation)
    let recent = Self.recent(answer.documents)
    if common.json {
      return try session.printJSON(
        OverviewReport(
          hasDaemon: session.socket != nil, documentCount: answer.documents.count, recent: recent),
        OverviewReport.codec)
    }
    let state = Excerpt.cut(state(answer.documents, session), to: session.width)
    try session.output.writeLine(session.style.paint(state, .header))
    guard let first = recent.first else { return try printFirstSteps(session) }
    try printTable(recent, of: answer.documents.count, session)
    let example = recent.first { $0.problem == nil && $0.sequence > 0 } ?? first
    try print(Self.commands(for: example), session)
  }

  /// The documents that were edited last, the newest first. O(documents).
  static func recent(_ documents: [ListedDocument]) -> [ListedDocument] {
    var recent: [ListedDocument] = []
    // A name with NUL cannot be given as an argument.
    for document in documents where !document.document.name.utf8.contains(0) {
      let index =
        recent.firstIndex { $0.lastTime ?? .distantPast < document.lastTime ?? .distantPast }
        ?? recent.count
      guard index < recentMax else { continue }
      recent.insert(document, at: index)
      if recent.count > recentMax { recent.removeLast() }
    }
    return recent
  }

  private func state(_ documents: [ListedDocument], _ session: Session) -> String {
    let count =
      documents.count == 1 ? "1 document" : "\(Numbers.grouped(documents.count)) documents"
    if let socket = session.socket { return "\(count); editlogd records at \(socket.shown)" }
    switch common.location() {
    case .store(let path): return "\(count) in the files of \(path.shown)"
    case .either(let socket, let path):
      return "\(count) in the files of \(path.shown); no editlogd answers at \(socket.shown)"
    case .socket: return count
    }
  }

  private func printTable(
    _ recent: [ListedDocument], of count: Int, _ session: Session
  ) throws {
    var table = session.table(
      [
        .init(rank: 3), .init(isRight: true, rank: 2), .init(isRight: true, rank: 1),
        .init(cutWidth: 24),
      ], hasHeader: false)
    for document in recent {
      let edits = document.sequence == 1 ? "1 edit" : "\(Numbers.grouped(document.sequence)) edits"
      table.append([
        .init("  " + session.localTime(document.lastTime), .time),
        .init(Numbers.size(document.size)), .init(edits, .sequence),
        .init(path: document.document.argument.shown, document.problem == nil ? .plain : .bad),
      ])
    }
    try session.print(&table)
    if count > recent.count {
      let rest = Numbers.grouped(count - recent.count)
      try session.output.writeLine("  and \(rest) more: `editlog documents`")
    }
  }

  /// The commands that are useful first, for one document.
  private static func commands(for document: ListedDocument) -> [(command: String, what: String)] {
    let name = document.document.argument.shown.shellWord
    let middle = max(min(document.sequence, 1), document.sequence / 2)
    return [
      ("editlog log \(name)", "what happened, when, by whom"),
      (
        "editlog show \(name) --at \(middle)",
        "the text after edit \(Numbers.grouped(middle)) of \(Numbers.grouped(document.sequence))"
      ),
      ("editlog scrub \(name)", "move through the history on the whole screen"),
    ]
  }

  private func printBeginning(_ reason: String, _ session: Session) throws {
    if common.json {
      return try session.printJSON(OverviewReport(), OverviewReport.codec)
    }
    // With a socket alone, the store is the daemon's.
    let isKnown = if case .socket = common.location() { false } else { true }
    let state = isKnown ? "Nothing is recorded yet:" : "It is not known what is recorded:"
    try session.output.writeLine(
      session.style.paint(state, .header) + " "
        + Excerpt.line(reason, width: nil))
    try printFirstSteps(session)
  }

  private func printFirstSteps(_ session: Session) throws {
    let watch = ("editlog watch .", "record each save of the files in this folder")
    try print(
      session.socket == nil
        ? [
          ("editlogd", "start the daemon, which records; or by systemd, see README.md"), watch,
          ("editlog doctor", "check that everything is in place, and say what to do"),
        ]
        : [
          watch, ("editlog lsp", "record each edit: the language server to set in an editor"),
          ("editlog import git FILE", "begin with the git history of a file"),
        ], session)
  }

  private func print(
    _ commands: [(command: String, what: String)], _ session: Session
  ) throws {
    let width = min(60, commands.map(\.command.displayWidth).max() ?? 0)
    try session.output.writeLine(session.style.paint("Continue with", .header))
    for (command, what) in commands {
      let words = command.padded(to: width)
      let room = session.width.map { $0 - words.displayWidth - 4 }
      // Commands are whole, so that they can be copied; descriptions may be cut.
      let shown = room.map { $0 < 8 ? "" : Excerpt.cut(what, to: $0) } ?? what
      let line = "  \(words)  \(session.style.paint(shown, .faint))"
      try session.output.writeLine(shown.isEmpty ? "  \(command)" : line)
    }
    try session.output.writeLine("`editlog --help` lists all verbs.")
  }
}

extension Timestamp {
  /// Before all other times.
  fileprivate static var distantPast: Timestamp { Timestamp(nanoseconds: .min) }
}
