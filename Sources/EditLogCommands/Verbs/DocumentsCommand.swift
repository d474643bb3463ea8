import ArgumentParser
import EditModel
import EditProtocol

struct DocumentsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "documents", abstract: "List all documents.",
    discussion: withExamples(
      """
      LOG is the size of what is logged: the segments, and the entries that are in none yet. It changes \
      when a daemon seals these. The files of the store take more, because of checkpoints, attachments \
      and journals: `editlog du`.

      Exit status 65 if a document is found damaged; the others are listed too. Missing and \
      truncated files are always found, other damage only in a store of up to 1,000 documents. \
      `editlog verify` reads every byte.
      """))

  static let examples = [
    Example("editlog documents", "all documents, with their edits, times and sizes"),
    Example("editlog documents --json", "the same for a program, with the exact names"),
  ]

  static var jsonLines: [JSONLine] { [.init("a document", ListedDocument.codec)] }

  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let answer = try await session.backend.ask(DocumentsRequest())
    session.warn(of: answer.reservation)
    try print(answer.documents, session)
    let damagedCount = answer.documents.count { $0.problem != nil }
    guard damagedCount > 0 else { return }
    let are = damagedCount == 1 ? "document is" : "documents are"
    session.note("\(damagedCount) \(are) damaged; see `editlog verify`")
    throw ExitCode(65)
  }

  private func print(_ documents: [ListedDocument], _ session: Session) throws {
    if common.json { return try session.printJSON(each: documents, ListedDocument.codec) }
    guard !documents.isEmpty else { return session.note("There are no documents yet.") }
    var table = session.table(
      [
        .init(title: "EDITS", isRight: true, rank: 3), .init(title: "FIRST", rank: 1),
        .init(title: "LAST", rank: 4), .init(title: "LOG", isRight: true, rank: 2),
        .init(title: "DOCUMENT", cutWidth: 24),
      ])
    for document in documents {
      table.append([
        .init(Numbers.grouped(document.sequence), .sequence),
        .init(session.localTime(document.firstTime), .time),
        .init(session.localTime(document.lastTime), .time),
        .init(Numbers.size(document.size)),
        .init(path: document.document.argument.shown, document.problem == nil ? .plain : .bad),
      ])
    }
    try session.print(&table)
    for document in documents where document.document.name.utf8.contains(0) {
      session.note(
        """
        \(document.document.shown) cannot be given as an argument; `editlog forget --number \
        \(document.number)` removes it
        """)
    }
  }
}
