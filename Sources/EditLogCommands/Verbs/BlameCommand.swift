import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct BlameCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Show who wrote each piece of a text, and when.",
    discussion: withExamples(
      """
      Each row is a line of the text, or a part of it with one author, session and origin: the numbers \
      of the edits that wrote it, the author, the time, the origin, the client (if there are several), \
      the number of the line, and the text. Only LF ends a line.

      Text that is cut and pasted within 5 minutes, and text that an undo or a redo brings back, keeps \
      its first writer. With --last, the writer is the edit that inserted the text last: the paste, the \
      undo or the redo. --no-moves is the same.

      --reverse shows what became of the text of an old version: `now LOCATION` for text that is in the \
      newest version, else the edit that took it away, with its author and time.

      --format svg prints a picture: a strip of the text in the colours of its authors, what of it was \
      written when, and each author's share in UTF-16 units. An agent is the author of edits of origin \
      `program`. Of more than 8 authors, those with the least text share a colour.

      --json (the same as --format json) prints an object for each piece: a range of units that one edit wrote, as long as possible. \
      --porcelain prints an entry for each part of a piece on a line:
        SEQUENCE LINE LOCATION LENGTH   numbers; LENGTH counts the LF that ends the line
        author NAME                     these five in the first entry of an edit, if known
        time TIME
        origin ORIGIN
        session ID
        client NAME
        <TAB>TEXT                       the text of the part, without the LF

      The part ends its line if LENGTH is one more than the UTF-16 units of TEXT. With --reverse the \
      first line is `now LOCATION-NOW LINE LOCATION LENGTH` or `vanished SEQUENCE LINE LOCATION LENGTH`, \
      without session and client.
      """))

  static let examples = [
    Example("editlog blame essay", "who wrote each line, and when"),
    Example(
      "editlog blame essay --lines 3,5 --at mark:draft",
      "some lines, as they were at a mark"),
    Example("editlog blame essay --format svg > authors.svg", "who wrote what, as a picture"),
    Example("editlog blame essay --reverse --at 1234", "what became of the text of an old version"),
  ]

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, svg
  }

  static var jsonLines: [JSONLine] {
    [
      .init("a piece of the text", ShownBlamePiece.codec),
      .init("with --reverse, what became of a piece", ShownPieceFate.codec),
    ]
  }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to show. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @Option(
    help: ArgumentHelp("Only these lines, counted from 1.", valueName: "first,last"))
  var lines: String?
  @Flag(help: "Name the edit that inserted each unit last.") var last = false
  @Flag(help: "As --last: name the edit that inserted each unit, whatever it was moved from.")
  var noMoves = false
  @Flag(help: "Show what became of the text of the version --at.") var reverse = false
  @Flag(help: "Print entries for programs.") var porcelain = false
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Form of the output: text, json or svg.", valueName: "format"))
  var format = Format.text
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { style == .table }

  func validate() throws {
    guard !reverse || mayHavePoint else { throw Self.reverseNeedsPoint }
    guard !reverse || !last && !noMoves else {
      throw ValidationError("--reverse excludes --last and --no-moves.")
    }
    guard !porcelain || !common.json else {
      throw ValidationError("--porcelain and --json exclude each other.")
    }
    guard !porcelain || format == .text else {
      throw ValidationError("--porcelain excludes --format \(format.rawValue).")
    }
    guard format != .svg || !common.json else {
      throw ValidationError("--json excludes --format svg.")
    }
    guard format != .svg || !reverse else {
      throw ValidationError("--reverse excludes --format svg.")
    }
  }

  func run(in session: Session) async throws {
    guard !reverse || at != nil else { throw Self.reverseNeedsPoint }
    var part = BlamePart(limit: BlamePart.limitMax)
    part.at = try session.point(at ?? "latest")
    part.lines = try lines.map { (text) throws(CommandError) in try PlaceArguments.lines(text) }
    var printer = BlamePrinter(session, style, from: part.lines?.lowerBound ?? 1)
    if reverse {
      try await printFates(part, &printer, session)
    } else {
      try await printWriters(part, &printer, session)
    }
    try printer.finish()
  }

  private static let reverseNeedsPoint = ValidationError(
    "--reverse shows what became of an old version: give it with --at.")

  private var style: BlamePrinter.Style {
    if porcelain { return .porcelain }
    if common.json { return .json }
    return switch format {
    case .text: .table
    case .json: .json
    case .svg: .picture
    }
  }

  private func printWriters(
    _ part: BlamePart, _ printer: inout BlamePrinter, _ session: Session
  ) async throws {
    var (part, options, joiner) = (part, reading, PieceJoiner<ShownBlamePiece>())
    while true {
      let answer = try await session.ask(name, options) {
        BlameRequest($0, part, last: last, noMoves: noMoves)
      }
      if part.offset == 0 {
        try await note(answer.sequence, session)
        printer.picture(of: name, answer.sequence)
      }
      try printer.print(joiner.append(answer.pieces))
      guard let next = answer.next else { break }
      (part.at, part.offset) = (.sequence(answer.sequence), next)
      options = reading.afterFirstPart
    }
    try printer.print(joiner.finish())
  }

  private func printFates(
    _ part: BlamePart, _ printer: inout BlamePrinter, _ session: Session
  ) async throws {
    var (part, options, joiner) = (part, reading, PieceJoiner<ShownPieceFate>())
    var to = PointExpression.latest
    while true {
      let answer = try await session.ask(name, options) {
        BlameReverseRequest($0, part, to: to)
      }
      if part.offset == 0 { try await note(answer.sequence, session) }
      try printer.print(joiner.append(answer.pieces))
      guard let next = answer.next else { break }
      (part.at, part.offset) = (.sequence(answer.sequence), next)
      (to, options) = (.sequence(answer.to), reading.afterFirstPart)
    }
    try printer.print(joiner.finish())
  }

  private func note(_ sequence: SequenceNumber, _ session: Session) async throws {
    if let at { try await session.noteVersion(of: at, sequence, name, reading) }
  }
}

/// Prints pieces in one of four styles.
private struct BlamePrinter {
  enum Style {
    case json, porcelain, table, picture
  }

  private let session: Session
  private let style: Style
  private var table: BlameTable
  private var porcelain: BlamePorcelain
  private var (authorship, title) = (Authorship(), "")

  init(_ session: Session, _ style: Style, from line: Int) {
    (self.session, self.style) = (session, style)
    table = BlameTable(session, from: line)
    porcelain = BlamePorcelain(session, from: line)
  }

  /// Takes the document's name and the version's number for the picture.
  mutating func picture(of name: String, _ sequence: SequenceNumber) {
    title = (session.documents[name]?.argument ?? name).shown
    authorship.sequence = sequence
  }

  mutating func print(_ pieces: [ShownBlamePiece]) throws {
    switch style {
    case .json: try session.printJSON(each: pieces, ShownBlamePiece.codec)
    case .porcelain:
      for piece in pieces { try session.output.write(porcelain.entries(of: piece)) }
    case .table: for piece in pieces { table.append(piece) }
    case .picture: for piece in pieces { authorship.append(piece) }
    }
  }

  mutating func print(_ fates: [ShownPieceFate]) throws {
    switch style {
    case .json: try session.printJSON(each: fates, ShownPieceFate.codec)
    case .porcelain:
      for fate in fates { try session.output.write(porcelain.entries(of: fate)) }
    case .table: for fate in fates { table.append(fate) }
    case .picture: break
    }
  }

  /// Prints the table, whose columns are as wide as their widest cell, or the picture.
  func finish() throws {
    switch style {
    case .json, .porcelain: break
    case .table: try session.output.write(table.lines())
    case .picture:
      try session.output.write(AuthorshipPicture(authorship, title: title, session).svg)
    }
  }
}
