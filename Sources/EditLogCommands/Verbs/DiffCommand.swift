import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct DiffCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what changed between two points of a document's history.",
    discussion: """
      Prints a unified diff with the local times of the versions. Then lists the ranges of the \
      newer version, in UTF-16 units, that have the same text but other attributes. Exit status: 0 \
      text and attributes are equal, 1 they differ.
      """)

  @Argument(help: "The document.") var name: String
  @Option(help: ArgumentHelp("The older version.", valueName: "point")) var from: String
  @Option(help: ArgumentHelp("The newer version.", valueName: "point")) var to = "latest"
  @Option(
    name: [.customShort("U"), .long],
    help: ArgumentHelp("Number of equal lines around each change.", valueName: "lines"))
  var context = 3
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard (0...DiffRequest.contextMax).contains(context) else {
      throw ValidationError("--context takes a number from 0 to 1000000.")
    }
  }

  func run(in session: Session) async throws {
    let (older, newer) = (try session.point(from), try session.point(to))
    if common.json {
      let diff = try await session.ask(name, reading) {
        DiffRequest($0, from: older, to: newer, context: context)
      }
      try session.printJSON(diff, DiffAnswer.codec)
      if diff.isDifferent { throw ExitCode(1) }
      return
    }
    var part = try await session.ask(name, reading) {
      DiffRequest($0, from: older, to: newer, context: context, part: 0)
    }
    let (from, to) = (PointExpression.sequence(part.from), PointExpression.sequence(part.to))
    let isDifferent = part.isDifferent
    let first = Self.timed(session.shown(part.unified), part, session)
    try session.output.write(Self.paint(first, session.style))
    while let next = part.next {
      part = try await session.ask(name, reading.afterFirstPart) {
        DiffRequest($0, from: from, to: to, context: context, part: next)
      }
      let lines = session.shown(part.unified)
      try session.output.write(Self.paint(lines, session.style, hasHeader: false))
    }
    try session.output.write(Self.attributeLines(part, session.style))
    if isDifferent { throw ExitCode(1) }
  }

  /// A line for each range that has the same text but other attributes.
  private static func attributeLines(_ diff: DiffAnswer, _ style: Style) -> String {
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
