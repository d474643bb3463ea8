import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct HistoryCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show every version of some paragraphs: what changed, when, by whom.",
    discussion: withExamples(
      """
      Follows the paragraphs back through splits, merges, and cut and paste: a paragraph pasted with \
      the text of one removed at most 5 minutes before is its continuation. Newest first. Edits that \
      one undo would take back together (a transaction, or a run of typing without a pause of 5 \
      seconds) are one version; edits of other paragraphs are left out. [-removed-] and {+added+} mark \
      what changed; unchanged lines are left out. On a terminal, long lines are cut around the changes. \
      `--json` prints an object for each version, with the whole text.

      --range and --lines are places in the version of --at; all paragraphs that they touch are \
      followed. `editlog paragraphs` and `editlog inspect` print identifiers.
      """))

  static let examples = [
    Example("editlog history essay --paragraph 12.0", "every version of a paragraph"),
    Example("editlog history essay --lines 3,5 -n 10", "the last 10 versions of some lines"),
  ]

  static var jsonLines: [JSONLine] {
    [.init("a version of a paragraph", ShownParagraphVersion.codec)]
  }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The newest version to look at. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @Option(
    help: ArgumentHelp("The paragraph of this identifier, living or removed.", valueName: "id"))
  var paragraph: String?
  @Option(
    help: ArgumentHelp(
      "The paragraphs that this range touches, in UTF-16 units.", valueName: "location,length"))
  var range: String?
  @Option(
    help: ArgumentHelp(
      "The paragraphs of these lines, counted from 1.", valueName: "first,last"))
  var lines: String?
  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("count")],
    help: ArgumentHelp(
      "Print at most this number of versions, the newest. (default: all)", valueName: "count"))
  var count: Int?
  @Option(
    name: [.customShort("S", allowingJoined: true), .long],
    help: ArgumentHelp("Versions from this point on. (default: all)", valueName: "point"),
    completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U", allowingJoined: true), .long],
    help: ArgumentHelp("Versions up to this point. (default: that of --at)", valueName: "point"),
    completion: .points)
  var until: String?
  @Flag(name: [.short, .customLong("reverse")], help: "Print the oldest first.") var reverse = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isTable: Bool { false }

  /// The maximum number of versions in one call.
  private static let partCount = 1_000

  func validate() throws {
    let given: [Bool] = [paragraph != nil, range != nil, lines != nil]
    guard given.count(where: { $0 }) == 1 else {
      throw ValidationError("Give one of --paragraph, --range and --lines.")
    }
    guard (count ?? 0) >= 0 else {
      throw ValidationError("--count (-n) takes a number of at least 0.")
    }
  }

  private func place() throws(CommandError) -> PlaceReference {
    var place = PlaceReference()
    if let paragraph { place.paragraph = try PlaceArguments.paragraph(paragraph) }
    if let range { place.range = try PlaceArguments.range(range) }
    if let lines { place.lines = try PlaceArguments.lines(lines) }
    return place
  }

  func run(in session: Session) async throws {
    let place = try place()
    var point = try session.point(atOrLatest)
    var after: SequenceNumber = 0
    if let since { after = try await session.sequence(before: since, of: name, reading) }
    var (rest, before, options) = (count ?? .max, SequenceNumber?.none, reading)
    if let until {
      let last = try await session.sequence(at: until, of: name, reading)
      before = last == .max ? nil : last + 1
    }
    var isFirst = true
    var turned: [[ShownParagraphVersion]] = []
    while rest > 0 {
      let part = try await session.ask(name, options) {
        ParagraphHistoryRequest(
          $0, at: point, place, before: before, after: after, limit: min(rest, Self.partCount))
      }
      if isFirst { try await session.noteVersion(of: atOrLatest, part.sequence, name, reading) }
      isFirst = false
      if reverse { turned.append(part.versions) } else { try print(part.versions, session) }
      rest -= part.versions.count
      guard let next = part.next else { break }
      (point, before, options) = (.sequence(part.sequence), next, reading.afterFirstPart)
    }
    for versions in turned.reversed() { try print(versions.reversed(), session) }
  }

  private func print(_ versions: [ShownParagraphVersion], _ session: Session) throws {
    if common.json {
      return try session.printJSON(each: versions, ShownParagraphVersion.codec)
    }
    for version in versions {
      try session.output.writeLine(version.header(session))
      try session.output.write(MarkedText(version, session).lines)
      try session.output.write("\n")
    }
  }
}

extension ShownParagraphVersion {
  /// `edits 12..40  2026-11-20 15:04:05  ann  typing  split 12.0 from 3.0`.
  fileprivate func header(_ session: Session) -> String {
    let style = session.style
    let numbers =
      first == stamp.sequence ? "edit \(first)" : "edits \(first)..\(stamp.sequence)"
    let fields: [(text: String, role: Style.Role)] = [
      (numbers, .sequence), (session.localTime(stamp.time), .time),
      (stamp.author.map { Excerpt.name($0, width: 24) } ?? "", .author),
      (stamp.origin?.name ?? "", .origin),
    ]
    var (parts, room) = ([String](), session.width)
    for field in fields where !field.text.isEmpty && room.map({ $0 > 0 }) ?? true {
      let text = Excerpt.cut(field.text, to: room)
      parts.append(style.paint(text, field.role))
      room = room.map { $0 - text.displayWidth - 2 }
    }
    let shown = steps.filter { $0.kind != "edited" }
    var lines = [parts.joined(separator: "  ")]
    for step in shown.prefix(Self.stepCountMax) {
      lines.append(style.paint(Excerpt.cut("  " + step.sentence, to: session.width), .faint))
    }
    if shown.count > Self.stepCountMax {
      lines.append(style.paint("  and \(shown.count - Self.stepCountMax) more changes", .faint))
    }
    return lines.joined(separator: "\n")
  }

  private static let stepCountMax = 4
}

extension ShownParagraphVersion.Step {
  fileprivate var sentence: String {
    let related = related.map { "\($0)" } ?? ""
    switch kind {
    case "inserted": return "paragraph \(paragraph) inserted"
    case "split": return "paragraph \(paragraph) split from \(related)"
    case "merged": return "paragraph \(paragraph) merged into \(related)"
    case "moved": return "paragraph \(paragraph) moved: the text of \(related)"
    case "removed": return "paragraph \(paragraph) removed"
    case "formatted": return "attributes of paragraph \(paragraph) changed"
    default: return "paragraph \(paragraph) \(kind)"
    }
  }
}

/// The lines of a text that changed, with marks around the changes.
private struct MarkedText {
  private(set) var lines = ""
  private let session: Session
  private var line: MarkedLine

  private static let indent = "    "

  init(_ version: ShownParagraphVersion, _ session: Session) {
    self.session = session
    line = MarkedLine(session.style)
    let units = version.text.units
    var done = 0
    for change in version.changes {
      let start = min(max(change.location, done), units.count)
      add(units[done..<start], .same)
      add(change.removed.units[...], .removed)
      add(change.inserted.units[...], .inserted)
      done = min(start + change.inserted.count, units.count)
    }
    add(units[done...], .same)
    endLine()
  }

  private mutating func add(_ units: ArraySlice<UInt16>, _ kind: MarkedLine.Kind) {
    guard !units.isEmpty else { return }
    let pieces = units.split(
      separator: 0x0A, maxSplits: .max, omittingEmptySubsequences: false)
    for (index, piece) in pieces.enumerated() {
      let isLast = index == pieces.count - 1
      // A mark shows the end of a line that it holds.
      let shown =
        Excerpt.line(String(UTF16Text(units: Array(piece))), width: nil)
        + (kind != .same && !isLast ? "↵" : "")
      if !shown.isEmpty { line.append(shown, kind) }
      if !isLast { endLine() }
    }
  }

  private mutating func endLine() {
    if line.isChanged {
      let width = session.width.map { max(1, $0 - Self.indent.count) }
      lines += Self.indent + line.shown(width: width) + "\n"
    }
    line = MarkedLine(session.style)
  }
}
