import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct ReproCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "repro",
    abstract: "Write a small history that shows a problem, for a bug report.",
    discussion: withExamples(
      """
      Writes the edits around a point, and the text before them, as JSON Lines that `append` reads. \
      `editlog append copy < FILE` makes the history again: attributes, transactions, origins and \
      authors are kept, and times are relative to the first. The first line says what the file holds: \
      "point" is the version here, "sequence" that of the copy.

      --redact replaces each letter by an x and each digit by a 0 of the same kind and width, so all \
      positions, lines and words stay as they are. Names of authors, sessions, clients, documents and \
      marks, and the values of attributes become numbers. Punctuation, symbols, positions, times and the \
      names of attributes are kept: look at the file before you send it.
      """))

  static let examples = [
    Example(
      "editlog repro essay --around 1234 --redact --output repro.jsonl",
      "the edits around a problem, without their words"),
    Example(
      "editlog repro essay --around mark:bug --before 20 --after 0",
      "fewer edits, to standard output"),
  ]

  static var jsonLines: [JSONLine] {
    [
      .init("the first line", ReproHead.codec),
      .init("without --output, an edit or an event", Codec<HistoryEntry>.entry),
    ]
  }

  @Argument(help: "The document.", completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The point with the problem. (required)", valueName: "point"),
    completion: .points)
  var around: String
  @Option(help: ArgumentHelp("The number of edits before that of the point.", valueName: "count"))
  var before = 100
  @Option(help: ArgumentHelp("The number of edits after it.", valueName: "count"))
  var after = 10
  @Flag(help: "Replace letters, digits, names and the values of attributes.") var redact = false
  @Option(
    help: ArgumentHelp("Write to this new file. (default: standard output)", valueName: "file"),
    completion: .file())
  var output: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  private static let countMax = 100_000_000
  /// The maximum number of edits by which the part is extended to the start of a transaction.
  private static let transactionMax: SequenceNumber = 1_000
  /// The maximum number of edits in one call.
  private static let pageSize = 1_000

  func validate() throws {
    guard (0...Self.countMax).contains(before), (0...Self.countMax).contains(after) else {
      throw ValidationError("--before and --after take a number from 0 to \(Self.countMax).")
    }
  }

  func run(in session: Session) async throws {
    let point = try await session.ask(name, reading) { [at = try session.point(around)] in
      VersionRequest($0, at: at)
    }.sequence
    try await session.noteVersion(of: around, point, name, reading)
    let edits = try await edits(around: point, session)
    guard edits.start < edits.last,
      let startTime = try await page(after: edits.start, through: edits.last, session).entries
        .first?.time
    else {
      throw CommandError.notFound("\(name.shown) has no edits around version \(point)")
    }
    var redaction = redact ? Redaction() : nil
    let text = try await loadEdits(to: edits.start, session)
    let numbers = ReproNumbers(
      start: edits.start, last: edits.last, loadCount: SequenceNumber(text.edits.count),
      startTime: startTime)
    let file = try output.map { try NewFile($0, option: "--output") }
    func write(_ json: JSON) throws {
      if let file { return try file.write(json.serialized() + [0x0A]) }
      try session.write(json: json.serialized())
      try session.output.write("\n")
    }
    var document = text.document
    if let name = redaction?.redacted(document) { document = name }
    let head = head(document, point, numbers, length: text.length)
    try write(.object(head.line))
    for edit in text.edits { try write((redaction?.redacted(edit) ?? edit).json) }
    try await session.forEachEntry(
      of: name, after: edits.start, through: edits.last, reading.afterFirstPart
    ) { entry in
      switch entry {
      case .edit(let edit):
        let moved = numbers.moved(edit)
        try write((redaction?.redacted(moved) ?? moved).json)
      case .event(let event):
        guard let moved = numbers.moved(event) else { return }
        try write((redaction?.redacted(moved) ?? moved).json)
      }
    }
    try file?.close()
    if file != nil, common.json { try session.printJSON(.object(head.line)) }
    note(numbers, length: text.length, session)
  }

  /// The version before the first edit, and the last edit. A transaction is not cut at its start unless
  /// it is long.
  private func edits(
    around point: SequenceNumber, _ session: Session
  ) async throws -> (start: SequenceNumber, last: SequenceNumber) {
    let newest = try await session.ask(name, reading.afterFirstPart) {
      VersionRequest($0, at: .latest)
    }.sequence
    let countBefore = SequenceNumber(before) + 1
    var start = point > countBefore ? point - countBefore : 0
    let last = min(newest, point + SequenceNumber(after))
    if start > 0, start < last {
      let first = try await page(after: start, through: start + 1, session).entries.compactMap {
        if case .edit(let edit) = $0 { edit } else { nil }
      }.first
      if let first, first.transaction <= start, start - first.transaction < Self.transactionMax {
        start = max(1, first.transaction) - 1
      }
    }
    return (start, last)
  }

  private func page(
    after start: SequenceNumber, through last: SequenceNumber, _ session: Session
  ) async throws -> LogAnswer {
    try await session.ask(name, reading.afterFirstPart) {
      LogRequest($0, HistoryPart(after: start, through: last, limit: Self.pageSize))
    }
  }

  /// Edits that make the text of a version with its attributes, in one transaction. The text is read in
  /// parts, so that no line is too long.
  private func loadEdits(
    to version: SequenceNumber, _ session: Session
  ) async throws -> (document: DocumentID, length: Int, edits: [Edit]) {
    var (edits, offset): ([Edit], Int?) = ([], 0)
    var (document, length): (DocumentID?, Int) = (nil, 0)
    while let start = offset {
      let part = try await session.ask(name, reading.afterFirstPart) {
        StateRequest(
          $0,
          VersionPart(at: .sequence(version), offset: start, limit: ShowCommand.partLength))
      }
      (document, length, offset) = (part.document, part.length, part.next)
      guard !part.text.isEmpty else { break }
      let isPlain = part.attributeRuns.allSatisfy(\.attributes.isEmpty)
      let action = try EditAction(
        range: UTF16Range(start..<start), replacement: part.text,
        attributes: isPlain ? .inherit : .set(part.attributeRuns))
      edits.append(
        Edit(
          sequence: SequenceNumber(edits.count) + 1, action: action, origin: .load,
          transaction: 1))
    }
    guard let document else { throw CommandError.internalError("no answer") }
    return (document, length, edits)
  }

  /// The first line.
  private func head(
    _ document: DocumentID, _ point: SequenceNumber, _ numbers: ReproNumbers, length: Int
  ) -> ReproHead {
    ReproHead(
      document: document, point: point, sequence: numbers[point], loadCount: numbers.loadCount,
      length: length, editCount: numbers.last - numbers.start, isRedacted: redact,
      time: redact ? nil : numbers.startTime)
  }

  private func note(_ numbers: ReproNumbers, length: Int, _ session: Session) {
    let count = numbers.last - numbers.start
    let edits = count == 1 ? "1 edit" : "\(Numbers.grouped(count)) edits"
    let place = output.map { " to \($0.shown)" } ?? ""
    session.note(
      """
      Wrote \(edits) after a text of \(Numbers.grouped(length)) UTF-16 units\(place); \
      `editlog append NAME` reads this.
      """)
    if !redact { session.note("The text is in it as it is; --redact replaces its letters.") }
  }
}

extension HistoryEntry {
  fileprivate var time: Timestamp {
    switch self {
    case .edit(let edit): edit.time
    case .event(let event): event.time
    }
  }
}
