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
    let (params, document) = try await target(session)
    if !yes { try await confirm(document, session, input) }
    let receipt = try await session.backend.call("editlog/forget", params).asObject()
    let blanked = try Self.blanked(receipt)
    if common.json { try session.printJSON(receipt) } else { try print(receipt, document, session) }
    // Its entries go by a number there, and which name that had damage may have taken.
    for file in blanked where file.hasSuffix(".journal") {
      session.note(
        "editlog: warning: \(file.shown) may have more of it, under a name that damage took; "
          + "remove the file to be rid of that too")
    }
  }

  /// The params that name the document, and its name.
  private func target(_ session: Session) async throws -> (JSON, DocumentID) {
    guard let number else {
      let document = try await session.existingDocument(name ?? "")
      return (["document": JSON(document.name)], document)
    }
    let documents = try await session.backend.call("editlog/documents", [:]).asObject()
    for document in try documents.read(
      "documents", { (json) throws(ShapeError) in try json.asArray() })
    {
      let document = try document.asObject()
      if try document.unsigned("number") == number {
        return (["number": JSON(number)], try document.document("document"))
      }
    }
    throw ProtocolError(
      .unknownDocument,
      "there is no document of number \(number); `editlog documents --json` has the numbers")
  }

  private static func blanked(_ receipt: JSONObject) throws -> [String] {
    try receipt.array("blanked") { (json) throws(ShapeError) in try json.asString().description }
  }

  private func confirm(
    _ document: DocumentID, _ session: Session, _ input: LineReader
  ) async throws {
    var input = input
    let what = number == nil ? "name" : "number"
    session.note(
      "This removes \((name ?? document.name).shown) and its whole history for good.\n"
        + "Type the \(what) to forget it:")
    let answer = try await input.next().map { String(decoding: $0, as: UTF8.self) }
    let expected = number.map { ["\($0)"] } ?? [name, document.name].compactMap(\.self)
    guard let answer, expected.contains(answer) else {
      throw CommandError.usage("that is not the \(what); nothing was removed")
    }
  }

  private func print(
    _ receipt: JSONObject, _ document: DocumentID, _ session: Session
  ) throws {
    func number(_ member: String) throws -> String {
      Numbers.grouped(try receipt.integerIfPresent(member) ?? 0)
    }
    var table = Table([.init(isRight: true), .init()], style: session.style, hasHeader: false)
    table.append([.init("forgotten:", .header), .init(document.shown)])
    let size = Numbers.size(try receipt.integerIfPresent("bytes") ?? 0)
    var rows = [
      ("edits", try number("edits")), ("events", try number("events")),
      ("files removed", try number("files") + ", \(size)"),
      ("journals replaced", try number("journals")),
      ("documents sealed", try number("sealedDocuments")),
    ]
    let blanked = try Self.blanked(receipt)
    if !blanked.isEmpty {
      rows.append(("blanked", blanked.map(\.shown).joined(separator: ", ")))
      rows.append(("unreadable bytes blanked", try number("unreadableBytes")))
    }
    for (label, value) in rows { table.append([.init(label + ":", .header), .init(value)]) }
    try session.output.write(table.takeLines())
  }
}
