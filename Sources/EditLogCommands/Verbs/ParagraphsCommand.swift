import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct ParagraphsCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "paragraphs",
    abstract: "List a document's paragraphs with their stable identifiers.",
    discussion: withExamples(
      """
      An identifier is the number of the edit that created the paragraph, and the index of the \
      paragraph among those the edit created. It never changes. Ranges are {location, length} in \
      UTF-16 units.

      --life and --lineage add columns: BORN and LAST EDITED are numbers of edits, TIME is the time of \
      the last edit. --dead adds the removed paragraphs, in order of removal: DIED is the edit that \
      removed them, TIME its time, TEXT their last text. `--json` has all times. A removed paragraph whose text was pasted again \
      within 5 minutes was moved: its continuation is in MOVED. A paragraph that an undo or a redo \
      brings back is a new one: REVIVAL links it to the removed one.

      --range lists the paragraphs that a range touches, as pieces. If the last of them ends with a \
      terminator, an empty piece comes after it: --ranges keep lists it, drop leaves it out, merge \
      lists the next paragraph in its place. At the end of the text, where the empty piece is a \
      paragraph, all three list it.
      """))

  static let examples = [
    Example(
      "editlog paragraphs essay --life --dead",
      "all paragraphs that ever were, with their births and ends"),
    Example("editlog paragraphs essay --at mark:draft", "the paragraphs at a mark"),
    Example(
      "editlog paragraphs essay --range 0,120 --ranges drop --json",
      "those that a range touches, for a program"),
  ]

  /// The treatments of the empty piece after a range.
  enum Ranges: String, CaseIterable, ExpressibleByArgument {
    case keep, drop, merge
  }

  static var jsonLines: [JSONLine] {
    [
      .init("a paragraph", ShownParagraph.codec),
      .init("with --dead, a removed paragraph", DeadParagraph.codec),
    ]
  }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to show. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var steps: StepOptions
  @Flag(help: "List the removed paragraphs too, with their last text.") var dead = false
  @Flag(help: "Show splits, merges, moves and what undo brought back.") var lineage = false
  @Flag(help: "Show birth, last edit, number of edits and authors.") var life = false
  @Flag(help: "Show the identifiers by position, as the reference storage has them.")
  var positional = false
  @Option(
    help: ArgumentHelp("Only the paragraphs that this range touches.", valueName: "location,length")
  )
  var range: String?
  @Option(
    help: ArgumentHelp(
      "The empty piece after the range: keep, drop or merge.", valueName: "treatment"))
  var ranges = Ranges.keep
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// The maximum number of paragraphs in one call.
  private static let partCount = 4_096

  func run(in session: Session) async throws {
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    let range = try range.map { (text) throws(CommandError) in try PlaceArguments.range(text) }
    var part = try await session.ask(name, reading) {
      request($0, VersionPart(at: point, limit: Self.partCount), range)
    }
    if steps.step == nil {
      try await session.noteVersion(of: atOrLatest, part.sequence, name, reading)
    }
    var table = session.table(columns)
    try print(part, &table, session)
    while let next = part.next {
      let version = PointExpression.sequence(part.sequence)
      part = try await session.ask(name, reading.afterFirstPart) {
        request($0, VersionPart(at: version, offset: next, limit: Self.partCount), range)
      }
      try print(part, &table, session)
    }
  }

  private func request(
    _ history: HistoryReference, _ part: VersionPart, _ range: UTF16Range?
  ) -> ParagraphsRequest {
    var details = ParagraphsRequest.Details()
    (details.dead, details.lineage) = (dead, lineage)
    (details.life, details.positional) = (life, positional)
    let treatment: ParagraphsRequest.Ranges =
      switch ranges {
      case .keep: .keep
      case .drop: .drop
      case .merge: .merge
      }
    return ParagraphsRequest(history, part, details: details, range: range, ranges: treatment)
  }

  private var columns: [Table.Column] {
    var columns: [Table.Column] = [
      .init(title: "PARAGRAPH"), .init(title: "POSITIONAL"), .init(title: "RANGE", rank: 3),
    ]
    if life {
      columns += [
        .init(title: "BORN", isRight: true), .init(title: "LAST EDITED", isRight: true),
        .init(title: "EDITS", isRight: true), .init(title: "AUTHORS", rank: 2, widthMax: 24),
      ]
    }
    if lineage {
      columns += [
        .init(title: "SPLIT FROM"), .init(title: "MERGED INTO"), .init(title: "MOVED"),
        .init(title: "REVIVAL"),
      ]
    }
    return columns + [
      .init(title: "DIED", isRight: true), .init(title: "TIME", rank: 1),
      .init(title: "TEXT", cutWidth: 12),
    ]
  }

  private func print(
    _ part: ParagraphsAnswer, _ table: inout Table, _ session: Session
  ) throws {
    if common.json {
      try session.printJSON(each: part.paragraphs, ShownParagraph.codec)
      return try session.printJSON(each: part.dead, DeadParagraph.codec)
    }
    for paragraph in part.paragraphs {
      table.append(
        [
          .init("\(paragraph.id)", .sequence),
          .init(paragraph.details.positional.map { "\($0)" } ?? "", .sequence),
          .init("\(paragraph.range)", .range),
        ] + cells(paragraph.details) + [
          .init(""), .init(session.localTime(paragraph.details.life?.lastEdited.time), .time),
          .init(excerpt: String(paragraph.text)),
        ])
    }
    for paragraph in part.dead {
      table.append(
        [.init("\(paragraph.id)", .removed), .init(""), .init("")]
          + cells(paragraph.details) + [
            .init("\(paragraph.died.sequence)", .removed),
            .init(session.localTime(paragraph.died.time), .time),
            .init(excerpt: String(paragraph.lastText)),
          ])
    }
    try session.print(&table)
  }

  private func cells(_ details: ParagraphDetails) -> [Table.Cell] {
    var cells: [Table.Cell] = []
    if life {
      let life = details.life
      cells += [
        .init(life.map { "\($0.born.sequence)" } ?? "", .sequence),
        .init(life.map { "\($0.lastEdited.sequence)" } ?? "", .sequence),
        .init(life.map { Numbers.grouped($0.editCount) } ?? ""),
        .init(life?.authors.map(\.shown).joined(separator: ", ") ?? "", .author),
      ]
    }
    if lineage {
      let lineage = details.lineage
      let moves =
        (lineage?.movedFrom.suffix(1).map { "from \($0)" } ?? [])
        + (lineage?.movedTo.map { ["to \($0)"] } ?? [])
      let revivals =
        (lineage?.revivalOf.map { ["of \($0)"] } ?? [])
        + (lineage?.revivedAs.map { ["as \($0)"] } ?? [])
      cells += [
        .init(lineage?.splitFrom.map { "\($0)" } ?? "", .sequence),
        .init(lineage?.mergedInto.map { "\($0)" } ?? "", .sequence),
        .init(moves.joined(separator: " "), .sequence),
        .init(revivals.joined(separator: " "), .sequence),
      ]
    }
    return cells
  }
}
