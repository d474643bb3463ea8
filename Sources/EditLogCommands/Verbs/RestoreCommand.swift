import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Glibc

struct RestoreCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring back a version of a document, or a paragraph or range of it.",
    discussion: withExamples(
      """
      A restore appends edits: nothing is lost, and it can itself be undone. All of a version comes \
      back as the undo of everything since, so its text keeps its writers. A paragraph that is \
      still there gets its old text; a removed one comes back where it stood, and no other \
      changes. Of a range, what is there now is replaced. A paragraph or range keeps its writers if \
      the edits that changed it changed nothing else; otherwise its text is inserted again, and \
      who restores is the writer. --dry-run shows what would change.

      With --to, the text is written to a new file instead, and the document stays as it is.

      An editor that has the document open is asked to make the edits in its text. If none has, only the \
      history changes, not the file: the next editor that opens the file would log its old text as an \
      edit from outside. --write also writes the file, and `write` does it later. It must have a text that \
      the history has, or be missing; otherwise nothing is changed; with --dry-run, that is checked. The file keeps its encoding, byte order mark, line ends and last newline, \
      its mode and its owner.
      """))

  static var jsonLines: [JSONLine] {
    [
      .init("what was done", RestoreAnswer.codec),
      .init("with --dry-run, what would be done", RestorePlanAnswer.codec),
      .init(
        "with --dry-run and --write, the file that would be written",
        .writtenFile(RestorePlanAnswer.codec)),
      .init("with --to or --write, the file that was written", .writtenFile(RestoreAnswer.codec)),
    ]
  }

  static let examples = [
    Example("editlog restore essay --at '1h ago'", "the whole text as it was an hour ago"),
    Example(
      "editlog restore essay --at 1234 --paragraph 12.0",
      "a removed paragraph, to its place"),
    Example(
      "editlog restore essay --at 1234 --paragraph 12.0 --dry-run", "what that would change"),
    Example(
      "editlog restore essay --at yesterday --to old.txt",
      "an old version as a new file; the document stays"),
    Example(
      "editlog restore essay.md --at '1h ago' --write",
      "the whole text, also in the file, if no editor has it open"),
  ]

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to bring back. (required)", valueName: "point"),
    completion: .points) var at: String?
  @Option(
    help: ArgumentHelp("Only this paragraph of it. (default: all)", valueName: "id"))
  var paragraph: String?
  @Option(
    help: ArgumentHelp(
      "Only this range of it, in UTF-16 units. (default: all)", valueName: "location,length"))
  var range: String?
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Write the text to this new file instead. (default: append to the history)",
      valueName: "file"))
  var file: String?
  @Flag(help: "Show what would change; change nothing.") var dryRun = false
  @OptionGroup var author: AuthorOption
  @OptionGroup var writing: WriteOption
  @OptionGroup var atRest: AtRestOption
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { dryRun && !common.json }

  private static let missingPoint = ValidationError("Missing expected argument '--at <point>'")

  func validate() throws {
    guard mayHavePoint else { throw Self.missingPoint }
    if paragraph != nil, range != nil {
      throw ValidationError("--paragraph and --range exclude each other.")
    }
    if dryRun, file != nil { throw ValidationError("--dry-run and --to exclude each other.") }
    if writing.isOn, file != nil { throw ValidationError("--write and --to exclude each other.") }
    if file == "-" {
      throw ValidationError(
        "--to takes the path of a new file (./- for one of this name); `show` prints a version.")
    }
  }

  func run(in session: Session) async throws {
    guard let at else { throw Self.missingPoint }
    let point = try session.point(at)
    let paragraph = try self.paragraph.map { try PlaceArguments.paragraph($0) }
    let range = try self.range.map { try PlaceArguments.range($0) }
    if let file {
      return try await write(to: file, from: point, paragraph, range, session)
    }
    if dryRun { return try await printPlan(point, paragraph, range, session) }
    try await session.introduce(as: "restore", by: author)
    let files = FileChange(session: session, name: name, reading: reading)
    var written: DocumentFile?
    let restored = try await session.whenAtRest(atRest) {
      if writing.isOn {
        let plan = try await session.ask(name, reading) {
          RestorePlanRequest($0, at: point, paragraph: paragraph, range: range)
        }
        let done = try await files.perform(
          plan.edits, to: plan.base, making: \.sequence, on: session
        ) {
          RestoreRequest(
            reading.reference($0), at: point, paragraph: paragraph, range: range,
            base: plan.base, atRest: true)
        }
        written = done.file
        return done.answer
      }
      return try await session.perform(name) {
        RestoreRequest(
          reading.reference($0), at: point, paragraph: paragraph, range: range,
          atRest: atRest.waits)
      }
    }
    if common.json {
      return try session.printJSON(restored, RestoreAnswer.codec, writing: written)
    }
    let (from, sequence) = (
      session.style.paint("\(restored.from)", .sequence),
      session.style.paint("\(restored.sequence)", .sequence)
    )
    guard restored.isChanged else {
      let done = written.map { "it was written to \($0.argument.shown)" }
      return session.note(
        "\(Self.noChange(paragraph, range, from: from)); \(done ?? "nothing was changed").")
    }
    let what = Self.what(paragraph, range)
    try session.output.writeLine(
      "restored \(what) \(from); now at version \(sequence)\(written.alsoIn)")
    if !writing.isOn { try await files.noteUnwritten(restored.sequence) }
  }

  private static func what(_ paragraph: ParagraphID?, _ range: UTF16Range?) -> String {
    paragraph.map { "paragraph \($0) of version" }
      ?? (range == nil ? "version" : "a range of version")
  }

  private static func noChange(
    _ paragraph: ParagraphID?, _ range: UTF16Range?, from: String
  ) -> String {
    paragraph.map { "The text of paragraph \($0) is that of version \(from) already" }
      ?? (range == nil
        ? "The text is that of version \(from) already"
        : "The text of the range is that of version \(from) already")
  }

  private func printPlan(
    _ point: PointExpression, _ paragraph: ParagraphID?, _ range: UTF16Range?, _ session: Session
  ) async throws {
    let plan = try await session.ask(name, reading) {
      RestorePlanRequest($0, at: point, paragraph: paragraph, range: range)
    }
    let files = FileChange(session: session, name: name, reading: reading)
    let planned = writing.isOn ? try await files.checkWriting(plan.edits, to: plan.base) : nil
    if common.json {
      return try session.printJSON(plan, RestorePlanAnswer.codec, writing: planned?.file)
    }
    defer { if let planned { files.note(planned) } }
    guard plan.isChanged else {
      return session.note(Self.noChange(paragraph, range, from: "\(plan.from)") + ".")
    }
    session.note("To restore \(Self.what(paragraph, range)) \(plan.from) would change:")
    let unified = session.shown(plan.unified)
    try session.output.write(DiffCommand.paint(unified, session.style, hasHeader: false))
    if unified.isEmpty { session.note("The text would be the same, with other attributes.") }
  }

  /// Writes the text to a file that does not exist.
  private func write(
    to file: String, from point: PointExpression, _ paragraph: ParagraphID?, _ range: UTF16Range?,
    _ session: Session
  ) async throws {
    var part = range
    var point = point
    if let paragraph {
      var place = PlaceReference()
      place.paragraph = paragraph
      let found = try await session.ask(name, reading) { InspectRequest($0, at: point, place) }
      guard let shown = found.paragraphs.first else {
        throw ProtocolError(
          .unknownPoint,
          "\(name.shown) has no paragraph \(paragraph) in version \(found.sequence)")
      }
      (part, point) = (shown.range, .sequence(found.sequence))
    }
    // The first part is read before the file is made, so that a wrong point leaves none.
    let end = part?.upperBound
    var (offset, text) = (part?.location ?? 0, UTF16Text())
    var sequence: SequenceNumber?
    var isFirst = true
    var output: NewFile?
    while true {
      let limit = min(ShowCommand.partLength, end.map { $0 - offset } ?? .max)
      let state = try await session.ask(name, isFirst ? reading : reading.afterFirstPart) {
        StateRequest($0, VersionPart(at: point, offset: offset, limit: limit))
      }
      if isFirst { output = try NewFile(file, option: "--to") }
      (isFirst, sequence, point) = (false, state.sequence, .sequence(state.sequence))
      text = state.text
      try output?.write(Array(String(text).utf8))
      offset += text.count
      guard let next = state.next, end.map({ next < $0 }) ?? true, text.count > 0 else { break }
    }
    try output?.close()
    if common.json {
      let answer = RestoreAnswer(
        from: sequence ?? 0, sequence: sequence ?? 0, isChanged: false,
        range: UTF16Range((part?.location ?? 0)..<offset))
      return try session.printJSON(
        WrittenFile(answer: answer, path: file), .writtenFile(RestoreAnswer.codec))
    }
    session.note("Wrote version \(sequence ?? 0) to \(file.shown).")
  }
}
