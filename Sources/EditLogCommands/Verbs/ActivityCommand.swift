import ArgumentParser
import EditJSON
import EditModel
import EditProtocol

struct ActivityCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "activity",
    abstract: "Show when texts were worked on, how much, and by whom.",
    discussion: withExamples(
      """
      Prints a heat strip: a row for each day and a column for each hour of the local time zone, with five \
      levels, each of about twice as many edits as the one before. Then come the documents (if there are \
      several), the shares of authors, origins and agents, the longest pauses (of one document), and the \
      paragraphs from which most was removed. More than three days in a row without edits share a row.

      TIME is the time between edits that are less than 5 minutes apart. It counts for the later one. The time \
      before an undo, a redo or a restore is that of reading and does not count. Time spent on several \
      documents at once counts for each of them, and once in sums over documents, for each author; an origin has \
      its share of that. A work period begins with an edit 30 minutes or \
      more after the one before; a session in `log` is a run of a program. WORDS counts the words whose first character was inserted; not those of text \
      that was found when a document was first opened (load), or that an undo or a redo brought back. \
      + and - are UTF-16 units inserted and removed, SHARE is that of the units inserted. An agent is \
      the author of edits of origin `program`.

      --since and --until keep the edits of that part of the history, both points included.

      --json prints an object for each document: `document`, `sequence` (the last edit that counts), \
      `total` (`edits`, `words`, `inserted`, `removed`, `activeMicros`, `sessions`: work periods), `firstTime`, `lastTime`, \
      `quarters` (the same members for each quarter of an hour with edits, with the `time` at which it \
      begins in UTC), `omitted` (the number of older quarters that are left out after 20,000), `shares` \
      (the same members for each pair of `author` and `origin`), `pauses` (`after` an edit, `fromTime`, \
      `toTime`) and `paragraphs` (`id`, `index`, `edits`, `removed`, `text`).

      --format svg prints a picture of the heat strip, json is the same as --json.
      """))

  static let examples = [
    Example("editlog activity", "when all texts were worked on, in one picture"),
    Example("editlog activity essay --since yesterday", "one document, since this time yesterday"),
    Example("editlog activity essay --format svg > essay.svg", "the same as a picture"),
  ]

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, svg
  }

  static var jsonLines: [JSONLine] { [.init("a document", DocumentActivity.codec)] }

  @Argument(help: "The documents. (default: all)", completion: .documents) var names: [String] = []
  @Option(
    name: [.customShort("S", allowingJoined: true), .long],
    help: ArgumentHelp("Only edits from this point on. (default: all)", valueName: "point"),
    completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U", allowingJoined: true), .long],
    help: ArgumentHelp("Only edits up to this point. (default: all)", valueName: "point"),
    completion: .points)
  var until: String?
  @Option(
    help: ArgumentHelp(
      "The maximum number of rows of the heat strip, the newest; 0 for all.", valueName: "count"))
  var days = 60
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Form of the output: text, json or svg.", valueName: "format"))
  var format = Format.text
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { form == .text }

  private var form: Format { common.json ? .json : format }

  func validate() throws {
    guard days >= 0 else { throw ValidationError("--days takes a number from 0 on.") }
    guard !common.json || format != .svg else {
      throw ValidationError("--json excludes --format svg.")
    }
  }

  func run(in session: Session) async throws {
    var (report, failure) = (ActivityReport(), ProtocolError?.none)
    func add(_ name: String, _ answer: ActivityAnswer) throws {
      let document = session.documents[name]
      if form == .json {
        try session.printJSON(
          DocumentActivity(document: document?.name ?? name, activity: answer),
          DocumentActivity.codec)
      } else {
        report.add(answer, of: (document?.argument ?? name).shown, session)
      }
    }
    for name in names { try add(name, try await ask(name, session)) }
    if names.isEmpty {
      let answer = try await session.ask(DocumentsRequest())
      session.warn(of: answer.reservation)
      let request = try manyRequest(session)
      try await session.askMany(answer.documents.map(\.document), request) { document, activity in
        let name = document.exactArgument
        do {
          session.documents[name] = document
          if let activity {
            try add(name, activity)
          } else {
            try add(name, try await ask(name, session))
          }
        } catch let error as ProtocolError where error.isOfOneDocument {
          // The other documents are reported too.
          session.note("editlog: \(error)")
          failure = failure ?? error
        }
      }
    }
    report.finish(session)
    if form != .json { try print(report, session) }
    if let failure { throw ExitCode(failure.code.exitStatus) }
  }

  /// The question about several documents; nil if the options ask for something of each document.
  private func manyRequest(
    _ session: Session
  ) throws -> (@Sendable ([DocumentID]) -> ActivityManyRequest)? {
    guard let range = try session.sharedRange(since: since, until: until, reading) else {
      return nil
    }
    return { [isVerified = reading.isVerified, stretches = form != .json] documents in
      ActivityManyRequest(
        documents, isVerified: isVerified, after: range.after, through: range.through,
        stretches: stretches)
    }
  }

  private func ask(_ name: String, _ session: Session) async throws -> ActivityAnswer {
    var (after, through) = (SequenceNumber(0), SequenceNumber?.none)
    if let since { after = try await session.sequence(before: since, of: name, reading) }
    if let until { through = try await session.sequence(at: until, of: name, reading) }
    let (first, last) = (after, through)
    return try await session.ask(name, reading) {
      ActivityRequest($0, after: first, through: last, stretches: form != .json)
    }
  }

  private func print(_ report: ActivityReport, _ session: Session) throws {
    let title =
      report.documentCount == 1
      ? report.documents.first?.name ?? ""
      : "\(Numbers.grouped(report.documentCount)) documents"
    let countMax = days == 0 ? Int.max : days
    if form == .svg {
      try session.output.write(
        ActivityPicture(report, title: title, dayCountMax: countMax).svg)
    } else if report.documentCount > 0 {
      try ActivityText(report, session, dayCountMax: countMax).print(title: title)
    } else {
      session.note("no edits")
    }
    if report.omitted > 0 {
      session.note(
        """
        editlog: warning: the days lack the oldest \
        \(ActivityText.amount(report.omitted, "quarter")) of an hour with edits; --until shows them
        """)
    }
  }
}

/// When a document was worked on.
struct DocumentActivity: Hashable, Sendable {
  /// Its name.
  var document: String
  var activity: ActivityAnswer

  static let codec = Codec<Self>(
    { DocumentActivity(document: $0, activity: $1) }, .required("document", \.document, .string),
    .group(\.activity, ActivityAnswer.codec))
}
