import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import NIOCore

struct ForgetCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a document and its whole history from the store, for good.",
    discussion: withExamples(
      """
      Every byte of its texts, labels, attributes, authors, sessions and names is overwritten and \
      removed, in journals, segments, checkpoints and quarantine. Other documents are not changed. \
      This cannot be undone. A receipt is printed.

      `editlog backup` erases the document from a backup at its next run. \
      Solid-state disks, copy-on-write file systems, snapshots and other copies may keep old \
      blocks, also of files that were removed earlier. Edits that an editor's bridge keeps while the \
      daemon is not running are not in the store, and are not removed.
      """))

  static let examples = [
    Example("editlog forget essay", "remove a document for good; asks first"),
    Example("editlog forget name:essay --yes", "the same in a script; the name is exact"),
  ]

  static var jsonLines: [JSONLine] { [.init("what was removed", ForgetAnswer.codec)] }

  @Argument(help: "The document.", completion: .documents) var name: String?
  @Option(
    help: """
      The number of the document, if its name cannot be an argument; `editlog documents --json` \
      prints the numbers.
      """)
  var number: UInt64?
  @Option(
    help: ArgumentHelp(
      "Remove it only if it has no edit after this one. (default: no condition)",
      valueName: "edit"))
  var upTo: SequenceNumber?
  @Flag(help: "Do not ask. Needed if standard input is not a terminal.") var yes = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard (name == nil) != (number == nil) else {
      throw ValidationError("give the name of a document, or its --number")
    }
  }

  func run(in session: Session) async throws {
    try await run(
      in: session, isAsked: Terminal.isTerminal(STDIN_FILENO),
      input: LineReader(descriptor: STDIN_FILENO, sizeMax: DocumentID.sizeMax))
  }

  /// Forgets the document. Without `yes` it asks first, which needs `isAsked`: `input` is a
  /// terminal.
  func run(in session: Session, isAsked: Bool, input: LineReader) async throws {
    guard yes || isAsked else {
      throw CommandError.usage(
        "forget needs --yes if standard input is not a terminal; nothing was removed")
    }
    let (target, document) = try await target(session)
    if !yes { try await confirm(document, session, input) }
    let receipt = try await session.backend.perform(ForgetRequest(target, upTo: upTo))
    if common.json {
      try session.printJSON(receipt, ForgetAnswer.codec)
    } else {
      try print(receipt, session)
    }
    // The entries of a journal name a document by a number. If the record with its name is damaged,
    // entries of the document may be left.
    for file in receipt.erased where file.hasSuffix(".journal") {
      session.note(
        "editlog: warning: \(file.shown) may hold more of the document, because names in it may be "
          + "damaged; remove the file to erase that too")
    }
  }

  /// The document's name or number for the call, and its name.
  private func target(
    _ session: Session
  ) async throws -> (ForgetRequest.Target, DocumentID) {
    guard let number else {
      let document = try await session.exactDocument(name ?? "", isLasting: true)
      return (.name(document), document)
    }
    let documents = try await session.backend.ask(DocumentsRequest()).documents
    guard let document = documents.first(where: { $0.number == number }) else {
      throw ProtocolError(
        .unknownDocument,
        "there is no document number \(number); `editlog documents --json` prints the numbers")
    }
    return (.number(number), document.document)
  }

  private func confirm(
    _ document: DocumentID, _ session: Session, _ input: LineReader
  ) async throws {
    var input = input
    let what = number == nil ? "name" : "number"
    let shown = document.argument
    session.note(
      "This removes \(shown.shown) and its whole history for good.\n"
        + "Type the \(what) to forget it:")
    let answer = try await input.next().map { String(buffer: $0) }
    let expected = number.map { ["\($0)"] } ?? [name, shown, document.name].compactMap(\.self)
    guard let answer, expected.contains(answer) else {
      throw CommandError.usage("that is not the \(what); nothing was removed")
    }
  }

  private func print(_ receipt: ForgetAnswer, _ session: Session) throws {
    var table = session.table(
      [.init(isRight: true), .init(isWrapped: true)], hasHeader: false)
    var rows = [
      ("forgotten", receipt.document.argument.shown), ("edits", Numbers.grouped(receipt.editCount)),
      ("events", Numbers.grouped(receipt.eventCount)),
      ("files removed", "\(Numbers.grouped(receipt.fileCount)), \(Numbers.size(receipt.size))"),
      ("journals replaced", Numbers.grouped(receipt.journalCount)),
      ("documents sealed", Numbers.grouped(receipt.sealedDocumentCount)),
    ]
    if !receipt.erased.isEmpty {
      rows.append(("erased in", receipt.erased.map(\.shown).joined(separator: ", ")))
      rows.append(("unreadable bytes erased", Numbers.grouped(receipt.unreadableSize)))
    }
    for (label, value) in rows { table.append([.init(label + ":", .header), .init(value)]) }
    try session.output.write(table.takeLines())
  }
}
