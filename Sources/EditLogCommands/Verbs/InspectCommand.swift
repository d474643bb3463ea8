import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct InspectCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show everything about a place: paragraph, attributes, history.",
    discussion: withExamples(
      """
      Shows line and column of the place, the attributes of the unit there and of the unit before it \
      (those that a caret has), each with the longest range that has them, and each paragraph of the \
      place: identifier, range, birth, last edit, authors, splits, merges and moves. A removed \
      paragraph is shown by its identifier. Without a place, all paragraphs are shown.

      --runs also shows the runs of the paragraphs: of each attribute, the ranges over which it has one \
      value, and the paragraphs that each touches. With --json, "runs" has them, and "identifierRuns" the \
      identifiers of the paragraphs that have text, with their ranges.

      Offsets and lengths are in UTF-16 units from 0. Indices are from 0, lines and columns from 1; \
      only LF ends a line. A place outside the text is an error (exit status 66) that names the bounds.
      """))

  static let examples = [
    Example("editlog inspect essay --line 3:1", "everything about line 3, column 1"),
    Example("editlog inspect essay --at '1h ago' --offset 120", "a place in an old version"),
    Example("editlog inspect essay --paragraph 12.0", "a paragraph, removed or not"),
    Example("editlog inspect essay --runs --json", "all runs of attributes and of identifiers"),
    Example(
      "editlog inspect essay --offset 120 --rules rules.toml",
      "links and other patterns at a place too"),
  ]

  static var jsonLines: [JSONLine] { [.init("a place", InspectReport.codec)] }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to look at. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var steps: StepOptions
  @Option(help: ArgumentHelp("The paragraph at this index.", valueName: "index")) var index: Int?
  @Option(help: ArgumentHelp("The unit at this offset.", valueName: "offset")) var offset: Int?
  @Option(help: ArgumentHelp("The unit at this line and column.", valueName: "line:column"))
  var line: String?
  @Option(
    help: ArgumentHelp("The paragraph of this identifier, living or removed.", valueName: "id"))
  var paragraph: String?
  @Option(
    help: ArgumentHelp("All paragraphs that this range touches.", valueName: "location,length"))
  var range: String?
  @Flag(help: "Also show the runs of attributes.") var runs = false
  @Option(
    help: ArgumentHelp(
      "Also show what these rules find at the caret: links, then patterns. (default: none)",
      valueName: "file"))
  var rules: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// The maximum number of paragraphs in one call.
  private static let partCount = 1_024

  func validate() throws {
    let given: [Bool] = [
      index != nil, offset != nil, line != nil, paragraph != nil, range != nil,
    ]
    guard given.count(where: { $0 }) <= 1 else {
      throw ValidationError("Give at most one of --index, --offset, --line, --paragraph, --range.")
    }
    guard (index ?? 0) >= 0, (offset ?? 0) >= 0 else {
      throw ValidationError("--index and --offset take a number of at least 0.")
    }
  }

  private func place() throws(CommandError) -> PlaceReference {
    var place = PlaceReference()
    (place.index, place.offset) = (index, offset)
    if let line { place.position = try PlaceArguments.position(line) }
    if let paragraph { place.paragraph = try PlaceArguments.paragraph(paragraph) }
    if let range { place.range = try PlaceArguments.range(range) }
    return place
  }

  func run(in session: Session) async throws {
    let place = try place()
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    var part = try await session.ask(name, reading) {
      InspectRequest($0, at: point, place, limit: Self.partCount, runs: runs)
    }
    if steps.step == nil {
      try await session.noteVersion(of: atOrLatest, part.sequence, name, reading)
    }
    var report: CaretReport?
    if let rules, let start = part.start {
      report = try await caretReport(rules, at: start.offset, of: part.sequence, session)
    }
    if common.json { return try await printJSON(&part, place, report, session) }
    try session.output.write(head(part, session))
    if let report { try session.output.write(lines(report, session)) }
    try print(part, session)
    while let next = part.next {
      let version = PointExpression.sequence(part.sequence)
      part = try await session.ask(name, reading.afterFirstPart) {
        InspectRequest($0, at: version, place, skip: next, limit: Self.partCount, runs: runs)
      }
      try print(part, session)
    }
  }

  /// One object, with the paragraphs of all parts.
  private func printJSON(
    _ part: inout InspectAnswer, _ place: PlaceReference, _ report: CaretReport?,
    _ session: Session
  ) async throws {
    var paragraphs = Array(part.paragraphs)
    while let next = part.next {
      let version = PointExpression.sequence(part.sequence)
      let more = try await session.ask(name, reading.afterFirstPart) {
        InspectRequest($0, at: version, place, skip: next, limit: Self.partCount, runs: runs)
      }
      paragraphs += more.paragraphs
      if let runs = more.runs {
        part.runs?.attributes += runs.attributes
        part.runs?.identifiers += runs.identifiers
      }
      part.next = more.next
    }
    part.paragraphs = AnswerList(paragraphs)
    try session.printJSON(InspectReport(place: part, caret: report), InspectReport.codec)
  }

  private func head(_ part: InspectAnswer, _ session: Session) -> String {
    guard let start = part.start else { return "" }
    var lines = FactLines(session)
    let (line, column) = (start.position.line, start.position.column)
    lines.add(
      "place", "offset \(start.offset) of \(part.length), line \(line), column \(column)")
    lines.add("version", "\(part.sequence)")
    if !part.selection.isEmpty { lines.add("selection", part.selection.shownAsSelection) }
    lines.add("attributes", start.attributes)
    if !start.attributes.isEmpty, let range = start.attributeRange {
      lines.add("", "all of them over \(range)")
    }
    lines.add(start.offset == 0 ? "caret" : "unit before", start.attributesBefore)
    return lines.text
  }

  private func print(_ part: InspectAnswer, _ session: Session) throws {
    for paragraph in part.paragraphs {
      var lines = FactLines(session)
      lines.title("paragraph \(paragraph.id)")
      lines.add("index", "\(paragraph.index), range \(paragraph.range)")
      lines.add(text: "text", paragraph.text)
      for fact in paragraph.details.facts(session) { lines.add(fact.label, fact.value) }
      try session.output.write(lines.text)
    }
    if let runs = part.runs?.attributes, !runs.isEmpty {
      var lines = FactLines(session)
      lines.title("runs")
      for run in runs { lines.add(run) }
      try session.output.write(lines.text)
    }
    guard let dead = part.dead else { return }
    var lines = FactLines(session)
    lines.title("paragraph \(dead.id), removed")
    lines.add("died", dead.died.sentence(session))
    lines.add("last index", "\(dead.lastIndex)")
    lines.add(text: "last text", dead.lastText)
    for fact in dead.details.facts(session) { lines.add(fact.label, fact.value) }
    try session.output.write(lines.text)
  }
}
