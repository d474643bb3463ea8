import ArgumentParser
import EditModel
import EditProtocol
import EditQueries
import Interchange

struct ExportCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a document's whole history, or its text at a point, as a file.",
    discussion: withExamples(
      """
      Formats of a history, from the version --from to the version --at:
        html              a page that replays it, for a browser; see below
        jsonl             all entries, a line each; nothing but the contents of attachments is lost
        trace             a keystroke trace for `import trace`; text and times only
        git               a new repository with commits by step, save or session, and those that `import git` found
        asciicast         a terminal recording (version 2), for `asciinema play`
        patch             what differs, for `git apply` and `patch -p1`; a file's path is from the working directory
        svg               a picture of when the document was worked on

      Formats of a version:
        html-text         a page: paragraphs and styles, for a browser
        markdown          CommonMark; marks in the text are escaped
        xml               elements by a rule, see below; nothing but the bytes of attachments is lost
        attributed-json   text and attribute runs; nothing but the bytes of attachments is lost; with --ids
                          the paragraphs that have text too, by their identifiers

      The page of html is one file that asks for no other: the text with a time slider, play with speed and \
      without pauses, search in all versions, blame, the undo tree, authors, and what deletions cost. \
      `essay.html#1234` opens at a version, `#t=2026-11-20T15:04:05Z` at a time, `#mark:draft` at a mark; \
      `?` in the page lists the keys. It shows text without attributes. Times are rounded to 10 ms, unless \
      --exact-times is given.

      `import jsonl` reads jsonl and makes the same history of it, `import trace` reads trace, `import git` a file of the repository of git. `project sqlite` writes a history as tables of a \
      database, `trace --format svg` plots what deletions cost, `blame --format svg` who wrote what, `render --format svg` a version with its styles, \
      and `log --json` prints the entries as jsonl has them.

      `import` reads each format of a version. HTML and Markdown carry these attributes: bold, italic, underline, \
      strikethrough, highlight and inline-code, which are true; link and picture, the address, with link-title and \
      picture-title; on all of a paragraph heading, list-item or ordered-item, the level from 1, code-block, true or \
      the language, or markdown, for a line that stays as it is written (front-matter, table, html, link-definition or \
      rule), and beside each of them quote, the number of quotes around it. `import` sets paragraph to \
      true on paragraphs without any of these, so that they are shown with space between them; no file has it. \
      Paragraphs that came from Markdown are \
      written as they were there until they are edited. In Markdown a highlight \
      is ==text== if a reader takes that for one, else <mark>, as in HTML. Of an attachment they \
      have the name. What a file does not carry is listed on standard error. Elements for other text, scripts and addresses that a \
      browser would run are never written.

      A rule is a JSON file that says which attributes are which elements:

        {"root": "document", "default": "p", "other": "run", "unit": "unit",
         "styles": [{"tag": "h2", "attributes": {"heading": 2}, "block": true},
                    {"tag": "b", "attributes": {"bold": true}},
                    {"tag": "a", "parameter": {"name": "href", "attribute": "link"}}]}

      Text is verbatim. A block style closes the default element, and the next text opens it again. \
      Attributes that no style names are JSON in the element "other", units that XML cannot have, such \
      as control characters, are "unit" with their code. With null for "other", "unit" or "root", these \
      are left out.
      """))

  static var jsonLines: [JSONLine] {
    [.init("with --format attributed-json, a version", AttributedJSON.codec)]
  }

  static let examples = [
    Example(
      "editlog export essay --format html --output essay.html",
      "a page that replays the history in a browser"),
    Example(
      "editlog export essay --format html --from session:-1 --output today.html",
      "the same for the last session alone"),
    Example(
      "editlog export essay --format jsonl --output essay.jsonl",
      "the whole history, for `import jsonl`"),
    Example(
      "editlog export essay --format git --per save --output essay.git",
      "a git repository with a commit for each save"),
    Example(
      "editlog export essay --format patch --from mark:draft > changes.patch",
      "what changed since a mark, for `git apply`"),
    Example(
      "editlog export essay --format markdown --at yesterday",
      "the text as it was a day ago, as Markdown"),
  ]

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp(
      "The version to write; of a history the last one. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @Option(
    help: ArgumentHelp(
      "Of a history: the version that it starts with. (default: 0)", valueName: "point"),
    completion: .points)
  var from: String?
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "html, jsonl, trace, git, asciicast, patch, svg, html-text, markdown, xml or attributed-json. (required)",
      valueName: "format"),
    completion: .list(Format.allValueStrings), transform: Format.init(named:))
  var format: Format
  @Flag(help: "Keep the times of html to the nanosecond.") var exactTimes = false
  @Option(
    help: ArgumentHelp(
      "The commits of git: step, save or session. (default: save)", valueName: "unit"))
  var per: CommitUnit?
  @Option(
    help: ArgumentHelp("The rule for the elements of xml. (default: see above)", valueName: "file"),
    completion: .file())
  var rule: String?
  @Flag(help: "Write the identifiers of paragraphs too, in attributed-json.") var ids = false
  @Option(
    help: ArgumentHelp("Write to this new file. (default: standard output)", valueName: "file"),
    completion: .file())
  var output: String?
  @OptionGroup var steps: StepOptions
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isTable: Bool { false }

  /// A form of the file.
  enum Format: Equatable {
    case version(ExportRequest.Format)
    case history(HistoryFormat)

    /// The format of this name.
    ///
    /// - Throws: `ValidationError` with the names.
    init(named name: String) throws {
      if let format = ExportRequest.Format(rawValue: name) {
        self = .version(format)
      } else if let format = HistoryFormat(rawValue: name) {
        self = .history(format)
      } else if name == "sqlite" {
        throw ValidationError("`editlog project sqlite` writes histories as tables of a database")
      } else {
        let hint = name.contains { "./".contains($0) } ? "; --output names the file" : ""
        throw ValidationError(
          "the formats are \(Self.allValueStrings.joined(separator: ", "))\(hint)")
      }
    }

    /// The name on the command line.
    var name: String {
      switch self {
      case .version(let format): format.rawValue
      case .history(let format): format.rawValue
      }
    }

    static var allValueStrings: [String] {
      HistoryFormat.allCases.map(\.rawValue) + ExportRequest.Format.allCases.map(\.rawValue)
    }
  }

  func validate() throws {
    if rule != nil, format != .version(.xml) { throw ValidationError("--rule needs --format xml.") }
    if ids, format != .version(.attributedJSON) {
      throw ValidationError("--ids needs --format attributed-json.")
    }
    guard !common.json || format == .version(.attributedJSON) else {
      throw ValidationError(
        "--json excludes --format \(format.name); --format attributed-json writes JSON.")
    }
    if output == "-" {
      throw ValidationError(
        "--output takes the path of a new file (./- for one of this name); without it, standard output is written."
      )
    }
    if exactTimes, format != .history(.html) {
      throw ValidationError("--exact-times needs --format html.")
    }
    if per != nil, format != .history(.git) { throw ValidationError("--per needs --format git.") }
    guard case .history(let format) = format else {
      if from != nil { throw ValidationError("--from needs the format of a history.") }
      return
    }
    if steps.step != nil { throw ValidationError("--step needs the format of a version.") }
    if format == .git, output == nil {
      throw ValidationError("--format git needs --output, the folder of the new repository.")
    }
  }

  func run(in session: Session) async throws {
    switch format {
    case .version(let format): try await export(format, session)
    case .history(let format): try await export(format, session)
    }
  }

  private func export(_ format: ExportRequest.Format, _ session: Session) async throws {
    let rule = try XMLRuleOption.rule(self.rule)
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    let (text, sequence) = try await session.attributedText(of: name, at: point, reading)
    if steps.step == nil { try await session.noteVersion(of: atOrLatest, sequence, name, reading) }
    let identifiers = ids ? try await session.identifierRuns(of: name, at: sequence, reading) : nil
    let (bytes, losses) = FileWriter.file(
      text, format, rule: rule, title: name, identifiers: identifiers)
    for loss in losses.lines { session.note("editlog: \(Excerpt.line(loss, width: nil))") }
    guard let output else {
      if format == .attributedJSON { return try session.write(json: bytes) }
      return try session.writeText(UTF16Text(String(decoding: bytes, as: UTF8.self)))
    }
    let file = try NewFile(output, option: "--output")
    try file.write(bytes)
    try file.close()
    session.note("Wrote version \(sequence) to \(output.shown).")
  }
}

extension Session {
  /// The paragraphs of a version that have units.
  ///
  /// - Throws: `ProtocolError`.
  fileprivate func identifierRuns(
    of name: String, at version: SequenceNumber, _ reading: ReadingOptions
  ) async throws -> [IdentifierRun] {
    var (runs, next): ([IdentifierRun], Int?) = ([], 0)
    while let offset = next {
      let part = VersionPart(at: .sequence(version), offset: offset, limit: 10_000)
      let answer = try await ask(name, reading.afterFirstPart) { ParagraphsRequest($0, part) }
      for paragraph in answer.paragraphs where !paragraph.range.isEmpty {
        runs.append(IdentifierRun(id: paragraph.id, range: paragraph.range))
      }
      next = answer.next
    }
    return runs
  }

  /// The text and the attributes of a version, and its number.
  ///
  /// - Throws: `ProtocolError`.
  func attributedText(
    of name: String, at point: PointExpression, _ reading: ReadingOptions
  ) async throws -> (text: AttributedText, sequence: SequenceNumber) {
    var part = try await ask(name, reading) {
      StateRequest($0, VersionPart(at: point, limit: ShowCommand.partLength))
    }
    let version = PointExpression.sequence(part.sequence)
    var text = try AttributedText(part.text, runs: part.attributeRuns)
    while let next = part.next {
      part = try await ask(name, reading.afterFirstPart) {
        StateRequest($0, VersionPart(at: version, offset: next, limit: ShowCommand.partLength))
      }
      text.append(try AttributedText(part.text, runs: part.attributeRuns))
    }
    return (text, part.sequence)
  }
}
