import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct DiffCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what changed between two points of a document's history.",
    discussion: withExamples(
      """
      Prints a unified diff with the local times of the versions. Then lists the ranges of the \
      newer version, in UTF-16 units, that have the same text but other attributes. --words marks \
      the changed words: [-removed-] and {+added+}, or by colour. --stat prints the numbers of \
      lines only. --paragraphs lists the paragraphs that differ by their identifiers: added, \
      removed, edited, moved (a new paragraph with the text of a removed one), and those of which \
      only attributes changed. Exit status: 0 text and attributes are equal, 1 they differ.
      """))

  static var jsonLines: [JSONLine] {
    [
      .init("two versions", DiffAnswer.codec), .init("with --stat", DiffSummary.codec),
      .init("with --paragraphs", ShownParagraphDifference.codec),
    ]
  }

  static let examples = [
    Example("editlog diff essay --from save:-1", "what changed since the last save"),
    Example(
      "editlog diff essay --from '1h ago' --words",
      "the words that changed in the last hour"),
    Example(
      "editlog diff essay --from 120 --to 340 --stat",
      "how many lines changed between two versions"),
  ]

  @Argument(
    help: "The document, or DOCUMENT@POINT with the older version.", completion: .documents)
  var name: String
  @Option(
    help: ArgumentHelp("The older version. (required)", valueName: "point"), completion: .points)
  var from: String?
  @Option(help: ArgumentHelp("The newer version.", valueName: "point"), completion: .points)
  var to = "latest"
  @Option(
    help: ArgumentHelp("Number of equal lines around each change.", valueName: "lines"))
  var context = 3
  @Flag(help: "Mark the changed words instead of lines.") var words = false
  @Flag(help: "Print the numbers of inserted and deleted lines only.") var stat = false
  @Flag(help: "List the paragraphs that differ, by their identifiers.") var paragraphs = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isTable: Bool { stat || paragraphs }

  /// `DOCUMENT@POINT` gives the older version.
  var at: String? {
    get { from }
    set { from = newValue }
  }

  private static let missingFrom = ValidationError("Missing expected argument '--from <point>'")

  func validate() throws {
    guard mayHavePoint else { throw Self.missingFrom }
    guard (0...DiffRequest.contextMax).contains(context) else {
      throw ValidationError("--context takes a number from 0 to 1000000.")
    }
    guard [words, stat, paragraphs].count(where: { $0 }) <= 1 else {
      throw ValidationError("--words, --stat and --paragraphs exclude each other.")
    }
    guard !(words && common.json) else {
      throw ValidationError("--words is for people; --json prints the lines that differ.")
    }
  }

  func run(in session: Session) async throws {
    guard let from else { throw Self.missingFrom }
    let (older, newer) = (try session.point(from), try session.point(to))
    if paragraphs { return try await listParagraphs(from: older, to: newer, in: session) }
    if common.json, !stat {
      let diff = try await session.ask(name, reading) {
        DiffRequest($0, from: older, to: newer, context: context)
      }
      try session.printJSON(diff, DiffAnswer.codec)
      if diff.isDifferent { throw ExitCode(1) }
      return
    }
    var (lines, marked) = (LineCount(), WordDiff(session.style))
    // Lines around changes are not counted.
    let (first, last) = try await session.forEachDiffPart(
      of: name, from: older, to: newer, context: stat ? 0 : context, reading
    ) { part, number in
      var unified = session.shown(part.unified)
      if stat { return lines.add(unified, hasHeader: number == 0) }
      if number == 0 { unified = Self.timed(unified, part, session) }
      try session.output.write(
        words ? marked.take(unified) : Self.paint(unified, session.style, hasHeader: number == 0))
    }
    if stat {
      try printStat(lines, first, last, session)
    } else {
      if words { try session.output.write(marked.finish()) }
      try session.output.write(Self.attributeLines(last, session.style))
    }
    if first.isDifferent || last.isDifferent { throw ExitCode(1) }
  }

  /// A line for each range that has the same text but other attributes.
  static func attributeLines(_ diff: DiffAnswer, _ style: Style) -> String {
    diff.attributeChanges.map { range in
      style.paint("attributes of \(range) differ", .hunk) + "\n"
    }.joined()
  }

  /// The diff with the time of each version after its name, in the form of `diff -u`.
  private static func timed(_ unified: String, _ diff: DiffAnswer, _ session: Session) -> String {
    var rest = unified[...]
    return [diff.fromTime, diff.toTime].reduce(into: "") { header, time in
      guard let end = rest.unicodeScalars.firstIndex(of: "\n") else { return }
      header += rest[..<end] + (time.map { "\t" + session.fileTime($0) } ?? "") + "\n"
      rest = rest[rest.unicodeScalars.index(after: end)...]
    } + rest
  }

  /// The diff, or a part of it, in git's colours.
  static func paint(_ unified: String, _ style: Style, hasHeader: Bool = true) -> String {
    guard style.isColoured else { return unified }
    var (result, isInHeader) = ("", hasHeader)
    // Lines end with LF alone: a CR before it is part of the text.
    for line in unified.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("@@") { isInHeader = false }
      result += style.paint(text, role(of: text, isInHeader)) + "\n"
    }
    // The split returns one line more than there are line feeds.
    return String(result.unicodeScalars.dropLast())
  }

  private static func role(of line: String, _ isInHeader: Bool) -> Style.Role {
    if isInHeader { return .header }
    switch line.utf8.first {
    case UInt8(ascii: "@"): return .hunk
    case UInt8(ascii: "+"): return .added
    case UInt8(ascii: "-"): return .removed
    case UInt8(ascii: "\\"): return .faint
    default: return .plain
    }
  }
}

extension DiffAnswer {
  /// True if text or attributes differ.
  fileprivate var isDifferent: Bool { !unified.isEmpty || !attributeChanges.isEmpty }
}
