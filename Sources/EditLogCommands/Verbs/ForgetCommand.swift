import ArgumentParser
import EditModel
import EditProtocol
import Glibc

struct ForgetCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove a document and its whole history from the store, for good.",
    discussion: """
      Every byte of its texts, labels, attributes, authors, sessions and names is overwritten and \
      removed, from journals, segments, checkpoints and what was put aside. Other documents stay \
      as they are. There is no way back, and a receipt is printed.

      Solid-state disks, file systems that copy on writing, snapshots and backups may keep old \
      blocks; so does whatever was let go before. What an editor's bridge keeps until the \
      daemon is back is not in the store.
      """)

  @Argument(help: "The document.") var name: String?
  @Option(
    help: """
      The number of the document, for one that cannot be named; `editlog documents --json` has the \
      numbers.
      """)
  var number: UInt64?
  @Flag(help: "Do not ask. Needed where standard input is no terminal.") var yes = false
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

  /// Forgets the document; asks first on `input`, where someone `isAsked`.
  func run(in session: Session, isAsked: Bool, input: LineReader) async throws {
    guard yes || isAsked else {
      throw CommandError.usage(
        "forgetting needs --yes where standard input is no terminal; nothing was removed")
    }
    let (target, document) = try await target(session)
    if !yes { try await confirm(document, session, input) }
    let receipt = try await session.backend.perform(ForgetRequest(target))
    if common.json {
      try session.printJSON(receipt, ForgetAnswer.codec)
    } else {
      try print(receipt, session)
    }
    // Its entries go by a number there, and which name that had damage may have taken.
    for file in receipt.erased where file.hasSuffix(".journal") {
      session.note(
        "editlog: warning: \(file.shown) may have more of it, under a name that damage took; "
          + "remove the file to be rid of that too")
    }
  }

  /// What names the document in the call, and its name.
  private func target(
    _ session: Session
  ) async throws -> (ForgetRequest.Target, DocumentID) {
    guard let number else {
      let document = try await session.exactDocument(name ?? "")
      return (.name(document), document)
    }
    let documents = try await session.backend.ask(DocumentsRequest()).documents
    guard let document = documents.first(where: { $0.number == number }) else {
      throw ProtocolError(
        .unknownDocument,
        "there is no document of number \(number); `editlog documents --json` has the numbers")
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
    let answer = try await input.next().map { String(decoding: $0, as: UTF8.self) }
    let expected = number.map { ["\($0)"] } ?? [name, shown, document.name].compactMap(\.self)
    guard let answer, expected.contains(answer) else {
      throw CommandError.usage("that is not the \(what); nothing was removed")
    }
  }

  private func print(_ receipt: ForgetAnswer, _ session: Session) throws {
    var table = Table([.init(isRight: true), .init()], style: session.style, hasHeader: false)
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
