import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import EditQueries

struct GrepCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "grep",
    abstract: "Search all text that ever existed: when it appeared, when it went, who did it.",
    discussion: withExamples(
      """
      Searches every version of the documents, of all documents if no NAME is given. The matches of a \
      version are the leftmost ones that do not overlap. A match lives as long as its characters \
      match: one that was typed letter by letter, or joined by a deletion, counts; one that vanishes \
      and comes back is printed twice. Each match is printed with the line around it: of one that \
      vanished, in the last version that had it, else when it appeared. They are in the order in which \
      they appeared. + marks a match that lives in the latest version, - one that vanished.

      PATTERN is a regular expression in the syntax of Swift's Regex, or a string with -F. A regular \
      expression is matched with each line by itself: ^ and $ are its ends, and a match lies within \
      it. A line is a paragraph: LF, CR LF, CR and U+2029 end it. Empty matches are left out. Look \
      around, references to groups and other constructs that cannot be searched for in bounded time are \
      refused, and so are line breaks, which a string may hold. A . matches one code point. Of Unicode's \
      properties, \\p{L}, \\p{Lu}, \\p{Ll}, \\p{N}, \\p{P}, \\p{S} and \\p{Whitespace} are known.

      --since and --until keep the matches that appeared or vanished in that part of the history, both \
      points included; whether a match lives is always that of the latest version.

      Exit status: 0 there are matches, 1 there are none, 64 the pattern is wrong.
      """))

  static let examples = [
    Example(
      "editlog grep 'colou?r' essay",
      "when each match appeared in the text, and when it went"),
    Example(
      "editlog grep -F 'a lost sentence' --deleted",
      "text that was deleted, in all documents"),
    Example("editlog grep -i todo essay --living", "only what is in the text now"),
  ]

  static var jsonLines: [JSONLine] { [.init("a match", DocumentMatch.codec)] }

  @Argument(help: "A regular expression, or a string with -F.") var pattern: String
  @Argument(help: "The documents. (default: all)", completion: .documents) var names: [String] = []
  @Flag(name: [.customShort("i"), .long], help: "Ignore the case of letters.")
  var ignoreCase = false
  @Flag(name: [.customShort("F"), .customLong("fixed")], help: "The pattern is a string.")
  var isFixed = false
  @Flag(help: "Only matches that vanished.") var deleted = false
  @Flag(help: "Only matches that live in the latest version.") var living = false
  @Option(
    name: [.customShort("S", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Only matches that appeared or vanished from this point on. (default: all)",
      valueName: "point"), completion: .points)
  var since: String?
  @Option(
    name: [.customShort("U", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Only matches that appeared or vanished up to this point. (default: all)", valueName: "point"),
    completion: .points
  )
  var until: String?
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard !(deleted && living) else {
      throw ValidationError("--deleted and --living exclude each other.")
    }
  }

  func run(in session: Session) async throws {
    // A wrong pattern is refused even if there is no document.
    try GrepRequest.check(pattern, isFixed: isFixed, ignoresCase: ignoreCase)
    var tally = Tally()
    var documents: [DocumentID] = []
    if names.isEmpty {
      let answer = try await session.backend.ask(DocumentsRequest())
      session.warn(of: answer.reservation)
      documents = answer.documents.map(\.document)
      try await searchAll(documents, session, &tally)
    } else {
      for name in names { try await search(name, in: session, &tally) }
    }
    let others =
      tally.count == 0 && tally.failure == nil
      ? await countIgnoringCase(documents, session) : 0
    noteSummary(tally, others, session)
    if let failure = tally.failure { throw ExitCode(failure.code.exitStatus) }
    if tally.count == 0 { throw ExitCode(1) }
  }

  /// What was found so far.
  private struct Tally {
    /// The matches, and those of them that live.
    var (count, livingCount) = (0, 0)
    /// The documents with matches.
    var documentCount = 0
    /// The first error about one of all documents.
    var failure: ProtocolError?
  }

  /// Searches all documents. After an error of one, the others are searched too.
  private func searchAll(
    _ documents: [DocumentID], _ session: Session, _ tally: inout Tally
  ) async throws {
    let request = try manyRequest(session, ignoresCase: ignoreCase)
    try await session.askMany(documents, request) { document, part in
      do {
        session.documents[document.exactArgument] = document
        try await search(document.exactArgument, from: part, in: session, &tally)
      } catch let error as ProtocolError where error.isOfOneDocument {
        session.note("editlog: \(error)")
        tally.failure = tally.failure ?? error
      }
    }
  }

  /// The question about several documents; nil if the options ask for something of each document.
  private func manyRequest(
    _ session: Session, ignoresCase: Bool
  ) throws -> (@Sendable ([DocumentID]) -> GrepManyRequest)? {
    guard let range = try session.sharedRange(since: since, until: until, reading) else {
      return nil
    }
    return { [pattern, isFixed, fate, isVerified = reading.isVerified] documents in
      GrepManyRequest(
        documents, isVerified: isVerified, pattern, isFixed: isFixed, ignoresCase: ignoresCase,
        fate: fate, after: range.after, through: range.through)
    }
  }

  /// The matches with `-i` in the named documents and in `documents`, of a search without it that found nothing;
  /// 0 if they cannot be counted.
  private func countIgnoringCase(_ documents: [DocumentID], _ session: Session) async -> Int {
    guard !ignoreCase, !common.json, pattern.contains(where: \.isCased) else { return 0 }
    var count = 0
    do {
      for name in names { count += try await countIgnoringCase(in: name, session) }
      let request = try manyRequest(session, ignoresCase: true)
      try await session.askMany(documents, request) { document, part in
        if let part {
          count += part.count
        } else {
          count += try await countIgnoringCase(in: document.exactArgument, session)
        }
      }
    } catch { return 0 }
    return count
  }

  private func countIgnoringCase(in name: String, _ session: Session) async throws -> Int {
    let range = try await session.range(since: since, until: until, of: name, reading)
    return try await session.ask(name, reading.afterFirstPart) {
      GrepRequest(
        $0, at: .latest, pattern, isFixed: isFixed, ignoresCase: true, fate: fate,
        after: range.after, through: range.through, skip: 0)
    }.count
  }

  /// Which matches are asked for; nil for all.
  private var fate: GrepRequest.Fate? { deleted ? .deleted : living ? .living : nil }

  /// Prints the matches in a document, and counts them. `first` is the first part of the answer, if it is
  /// there already.
  private func search(
    _ name: String, from first: GrepAnswer? = nil, in session: Session, _ tally: inout Tally
  ) async throws {
    var (part, options) = (first, reading)
    var (at, skip) = (PointExpression.latest, 0)
    var range: (after: SequenceNumber?, through: SequenceNumber?)?
    while true {
      if part == nil {
        let (point, start) = (at, skip)
        if range == nil {
          range = try await session.range(since: since, until: until, of: name, reading)
        }
        let (after, through) = (range?.after, range?.through)
        part = try await session.ask(name, options) {
          GrepRequest(
            $0, at: point, pattern, isFixed: isFixed, ignoresCase: ignoreCase, fate: fate,
            after: after, through: through, skip: start)
        }
      }
      guard let shown = part else { return }
      let document = session.documents[name]
      if skip == 0, shown.count > 0 {
        tally.count += shown.count
        tally.documentCount += 1
        if !common.json {
          let title = Excerpt.cutFront((document?.argument ?? name).shown, to: session.width)
          try session.output.writeLine(
            (tally.documentCount == 1 ? "" : "\n") + session.style.paint(title, .header))
        }
      }
      try print(shown.matches, document: document?.name ?? name, session)
      tally.livingCount += shown.matches.count { $0.vanished == nil }
      guard let next = shown.next else { return }
      (at, skip, options) = (.sequence(shown.sequence), next, reading.afterFirstPart)
      part = nil
    }
  }

  private func print(_ matches: [ShownMatch], document: String, _ session: Session) throws {
    guard common.json else {
      for match in matches { try session.output.writeLine(match.line(session)) }
      return
    }
    for match in matches {
      try session.printJSON(DocumentMatch(document: document, match: match), DocumentMatch.codec)
    }
  }

  private func noteSummary(_ tally: Tally, _ countIgnoringCase: Int, _ session: Session) {
    let (count, livingCount, documentCount) = (
      tally.count, tally.livingCount, tally.documentCount
    )
    let kind = deleted ? "deleted " : living ? "living " : ""
    guard count > 0 else {
      let hint = countIgnoringCase > 0 ? "; with -i: \(Numbers.grouped(countIgnoringCase))" : ""
      return session.note("no \(kind)matches\(hint)")
    }
    let matches =
      count == 1 ? "1 \(kind)match" : "\(Numbers.grouped(count)) \(kind)matches"
    let documents =
      documentCount == 1 ? "1 document" : "\(Numbers.grouped(documentCount)) documents"
    // The other matches were not counted.
    guard !deleted, !living else { return session.note("\(matches) in \(documents)") }
    session.note(
      """
      \(matches) in \(documents): \(Numbers.grouped(livingCount)) living, \
      \(Numbers.grouped(count - livingCount)) deleted
      """)
  }
}

extension ProtocolError {
  /// True if other documents can still be searched.
  var isOfOneDocument: Bool {
    [.damagedLog, .tooLarge, .unknownDocument, .unknownPoint, .beyondRetention].contains(code)
  }
}

extension ShownMatch {
  /// `+ 12        2026-11-20 15:04:05 ann  …line with the [match]…`: what became of it, where, when and
  /// by whom, and the line around it.
  fileprivate func line(_ session: Session) -> String {
    let style = session.style
    let isLiving = vanished == nil
    var head = [style.paint(isLiving ? "+" : "-", isLiving ? .good : .bad)]
    var room = session.width.map { $0 - 2 }
    /// Adds a column, unless it would leave too little room for the line of the document.
    func add(_ text: String, _ role: Style.Role) {
      let cost = 1 + text.displayWidth
      guard room.map({ $0 - cost >= Self.excerptMin }) ?? true else { return }
      head.append(style.paint(text, role))
      room = room.map { $0 - cost }
    }
    let numbers =
      vanished.map { "\(appeared.sequence)..\($0.sequence)" } ?? "\(appeared.sequence).."
    add(numbers.padded(to: 13), .sequence)
    add(Self.moment(appeared, session), .time)
    add(vanished.map { Self.moment($0, session) } ?? Self.blank, .time)
    return head.joined(separator: " ") + " " + excerpt(session, room)
  }

  /// The minimum width of the excerpt, if the terminal has it.
  private static let excerptMin = 14
  private static let momentWidth = 23
  private static let blank = String(repeating: " ", count: momentWidth)

  /// The local time and the author. On a narrow terminal the seconds are left out.
  private static func moment(_ stamp: ShownStamp, _ session: Session) -> String {
    let isNarrow = session.width.map { $0 < 110 } ?? false
    let time = session.localTime(stamp.time)
    let shown = isNarrow ? String(time.prefix("2026-11-20 15:04".count)) : time
    let author = stamp.author.map { Excerpt.name($0, width: isNarrow ? 6 : 12) } ?? ""
    return [shown, author].filter { !$0.isEmpty }.joined(separator: " ").padded(to: momentWidth)
  }

  /// The line around the match, cut to `room` columns so that the match shows: of one that vanished, the last one.
  private func excerpt(_ session: Session, _ room: Int?) -> String {
    let units = lastContext.units
    func shown(_ range: Range<Int>) -> String {
      Excerpt.line(String(UTF16Text(units: Array(units[range]))), width: nil)
    }
    // The answer may come from anything that listens at the socket.
    let start = min(last?.contextLocation ?? contextLocation, units.count)
    let end = min(start + text.count, units.count)
    let isColoured = session.style.isColoured
    let marksWidth = isColoured ? 0 : vanished == nil ? "[]".count : "[--]".count
    let room = room.map { max(1, $0 - marksWidth) }
    let match = Excerpt.line(shown(start..<end), width: room)
    let rest = room.map { max(0, $0 - match.displayWidth) }
    let after =
      rest == 0 ? "" : Excerpt.cut(shown(end..<units.count), to: rest.map { max(1, $0 / 2) })
    let left = rest.map { $0 - after.displayWidth }
    let before = left == 0 ? "" : Excerpt.cutFront(shown(0..<start), to: left)
    let marked =
      isColoured
      ? session.style.paint(match, vanished == nil ? .added : .removed)
      : vanished == nil ? "[\(match)]" : "[-\(match)-]"
    return before + marked + after
  }
}

/// A match in a document.
struct DocumentMatch: Hashable, Sendable {
  /// The document's name.
  var document: String
  var match: ShownMatch

  /// A match that lives has the member `vanished` too.
  static let codec = Codec<Self>(
    {
      DocumentMatch(
        document: $0,
        match: ShownMatch(
          text: $1, paragraph: $2, appeared: $3, vanished: $4, location: $5, livingLocation: $6,
          context: $7, contextLocation: $8, last: $9))
    },
    .required("document", \.document, .string), .required("text", \.match.text, .text),
    .required("paragraph", \.match.paragraph, .paragraph),
    .required("appeared", \.match.appeared, ShownStamp.codec),
    .nullable("vanished", \.match.vanished, ShownStamp.codec),
    .required("location", \.match.location, .count),
    .optional("livingLocation", \.match.livingLocation, .count),
    .required("context", \.match.context, .text),
    .required("contextLocation", \.match.contextLocation, .count),
    .optional("last", \.match.last, ShownMatch.Place.codec))
}

extension GrepRequest {
  /// Checks a pattern before a history is read.
  ///
  /// - Throws: `CommandError` (64) if it cannot be used.
  static func check(
    _ pattern: String, isFixed: Bool = false, ignoresCase: Bool = false
  ) throws(CommandError) {
    if let problem = problem(of: pattern, isFixed: isFixed, ignoresCase: ignoresCase) {
      throw .usage("the pattern \(Excerpt.quoted(pattern, width: 60)) cannot be used: \(problem)")
    }
  }
}
