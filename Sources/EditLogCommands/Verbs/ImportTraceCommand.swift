import ArgumentParser
import EditModel
import EditProtocol

struct ImportTraceCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Import a keystroke trace (the format of josephg/editing-traces).",
    discussion: withExamples(
      """
      Reads JSON, or JSON packed with gzip: {startContent, endContent, txns}, where each of txns \
      is {time, patches}, and each patch [position, deleted, inserted] in code points. Each patch \
      becomes one edit, each of txns one transaction. Times are kept; one that is before the time before it is \
      logged as that, since times in a history never go back. Insertions count as typed, \
      pure deletions as removals, and insertions of two lines or more, or of more than 64 UTF-16 \
      units, as pasted. At the end the text is compared with endContent. The document must be new. \
      If the import fails or the texts differ, the document is removed, unless --keep is given. An \
      import of at most 65,536 edits and 4,194,304 UTF-16 units is logged as a whole or not at all; \
      with --batch-edits, or if it is larger, it may be interrupted, and the same command goes on.
      """))

  static let examples = [
    Example(
      "editlog import trace essay.json.gz --document essay",
      "keystrokes that were recorded elsewhere")
  ]

  static var jsonLines: [JSONLine] { [ImportedHistory.jsonLine] }

  @Argument(help: "The trace; - is standard input.", completion: .file()) var file: String
  @Option(help: ArgumentHelp("The document to create.", valueName: "name")) var document: String
  @Option(
    help: ArgumentHelp(
      "Edits per request; a transaction is never split. (default: all, or 512 of a large trace)",
      valueName: "n"))
  var batchEdits: Int?
  @Flag(help: "Keep the document if the import fails or the texts differ.") var keep = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard batchEdits ?? 1 > 0 else { throw ValidationError("--batch-edits must be at least 1") }
  }

  func run(in session: Session) async throws {
    let start = SystemTime.monotonicNanoseconds
    var reader = try TraceReader(try InputFile.read(file), path: file)
    let target = try await session.targetForImport(document)
    let document = target.document
    // Its edits have their own authors, or none.
    try await session.introduce(as: "import trace", by: nil)
    let importer = try await EditImporter(
      into: target, batchEdits: batchEdits, session)
    do {
      try await send(&reader, importer)
    } catch {
      let failure = await importer.fail(error)
      throw await removed(target, importer.tally, after: failure, session)
    }
    let elapsed = SystemTime.monotonicNanoseconds - start
    session.noteImport(importer.tally, into: document, nanoseconds: elapsed)
    if common.json { try session.printImport(importer.tally, into: document) }
    do {
      try await compare(reader.endContent, document, importer.tally, session)
    } catch { throw await removed(target, importer.tally, after: error, session) }
  }

  /// Removes the imported document, unless `keep` is given, or it was there before, or it has other
  /// edits. Returns the error with the outcome added.
  private func removed(
    _ target: ImportTarget, _ tally: EditImporter.Tally, after error: any Error,
    _ session: Session
  ) async -> any Error {
    guard let error = error as? CommandError else { return error }
    let outcome: String
    do {
      guard !keep, !target.exists else { return error }
      // If others have edited the document since, it is not removed.
      _ = try await session.backend.perform(
        ForgetRequest(.name(target.document), upTo: tally.edits))
      outcome = "the document was removed; --keep keeps it"
    } catch let failure as ProtocolError where failure.code == .unknownDocument {
      return error
    } catch let failure as ProtocolError where failure.code == .sequenceConflict {
      outcome = "the document stays, because it was edited meanwhile"
    } catch {
      outcome = "the document could not be removed: \(error)"
    }
    return CommandError(exitCode: error.exitCode, "\(error.message); \(outcome)")
  }

  private func send(_ reader: inout TraceReader, _ importer: EditImporter) async throws {
    var converter = TraceConverter(path: file)
    var next = try reader.next()
    if let first = try converter.start(from: reader.startContent, before: next) {
      try await importer.add([first], progress: 0)
    }
    while let transaction = next {
      try await importer.add(converter.edits(of: transaction), progress: reader.progress)
      next = try reader.next()
    }
    try await importer.finish()
  }

  private func compare(
    _ end: [UInt16]?, _ document: DocumentID, _ tally: EditImporter.Tally, _ session: Session
  ) async throws {
    guard let end else { return session.note("The trace has no endContent to compare with.") }
    // A trace without edits creates no document.
    guard tally.edits > 0 else { return }
    let state = try await session.backend.ask(
      StateRequest(HistoryReference(document), VersionPart(at: .sequence(tally.edits))))
    let text = state.text.units
    guard text != end else { return session.note("The text equals the trace's endContent.") }
    let place = zip(text, end).prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
    throw CommandError.data(
      """
      the text of \(document.argument.shown) differs from the trace's endContent from UTF-16 unit \(place) on: \
      it has \(text.count) units, endContent \(end.count)
      """)
  }
}
