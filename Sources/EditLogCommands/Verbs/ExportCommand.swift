import ArgumentParser
import EditModel
import EditProtocol
import EditQueries
import Interchange

struct ExportCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a document at a point of its history as HTML, Markdown, XML or JSON.",
    discussion: """
      The formats:
        html-text         a page: paragraphs and styles, for a browser
        markdown          CommonMark; the text is literal, so its own marks are escaped
        xml               elements by a rule, see below; nothing is lost
        attributed-json   text and attribute runs; nothing is lost

      `import` reads each of them. HTML and Markdown carry these attributes: bold, italic, underline, \
      strikethrough, highlight and inline-code, which are true; link, the address; on all of a \
      paragraph heading, quote, list-item and ordered-item, the level from 1, and code-block, true or \
      the language. What a file does not carry is listed on standard error. Elements for other text, scripts and addresses that a \
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
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The version to write.", valueName: "point")) var at = "latest"
  @Option(help: "html-text, markdown, xml or attributed-json. (required)")
  var format: Format
  @Option(
    help: ArgumentHelp("The rule for the elements of xml. (default: see above)", valueName: "file"),
    completion: .file())
  var rule: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write to this new file. (default: standard output)", valueName: "file"),
    completion: .file())
  var output: String?
  @OptionGroup var steps: StepOptions
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  /// A form of the file.
  struct Format: ExpressibleByArgument {
    let format: ExportRequest.Format

    init?(argument: String) {
      guard let format = ExportRequest.Format(rawValue: argument) else { return nil }
      self.format = format
    }

    static var allValueStrings: [String] { ExportRequest.Format.allCases.map(\.rawValue) }
  }

  func validate() throws {
    if rule != nil, format.format != .xml { throw ValidationError("--rule needs --format xml.") }
    guard !common.json || format.format == .attributedJSON else {
      throw ValidationError(
        """
        --json excludes --format \(format.format.rawValue); --format attributed-json writes JSON.
        """)
    }
  }

  func run(in session: Session) async throws {
    let rule = try XMLRuleOption.rule(self.rule)
    let point = try await session.point(at, steps, of: name, reading)
    let (text, sequence) = try await session.attributedText(of: name, at: point, reading)
    if steps.step == nil { try await session.noteVersion(of: at, sequence, name, reading) }
    let (bytes, losses) = FileWriter.file(text, format.format, rule: rule, title: name)
    for loss in losses.lines { session.note("editlog: \(Excerpt.line(loss, width: nil))") }
    guard let output else {
      if format.format == .attributedJSON { return try session.write(json: bytes) }
      return try session.writeText(UTF16Text(String(decoding: bytes, as: UTF8.self)))
    }
    let file = try NewFile(output, option: "--output")
    try file.write(bytes)
    try file.close()
    session.note("Wrote version \(sequence) to \(output.shown).")
  }
}

extension Session {
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
