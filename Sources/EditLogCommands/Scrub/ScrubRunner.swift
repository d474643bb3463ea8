import EditModel
import EditProtocol
import EditQueries
import Scrubbing
import Synchronization

/// Performs what a screen asks for, by the questions and changes of the other verbs.
final class ScrubRunner: Sendable {
  let name: String
  private let author: AuthorOption
  private let location: Location
  private let terms: DaemonTerms
  private let reading: ReadingOptions
  private let session: Mutex<Session>
  /// Opens a backend for a change, if the present one answers from files as they were.
  private let backends = Mutex<[any Backend]>([])

  /// Saves and session starts that are looked up, at most.
  private static let placeCountMax = 200
  /// The length of a text that is asked for at once, in UTF-16 units.
  private static let partLength = 1 << 20
  /// Lines of a diff that are shown, at most.
  private static let diffLinesMax = 10_000

  /// A runner for the document that `name` means.
  init(
    _ name: String, _ session: Session, _ location: Location, _ author: AuthorOption,
    _ reading: ReadingOptions, _ terms: DaemonTerms = DaemonTerms()
  ) {
    (self.name, self.author, self.location, self.reading) = (name, author, location, reading)
    self.terms = terms
    self.session = Mutex(session)
  }

  /// The answer to a request, as an input for the screen.
  func perform(_ request: ScrubRequest) async -> ScrubInput {
    let session = session.withLock { $0 }
    do {
      return .answer(request, try await answer(request, session))
    } catch let error as CommandError {
      return .failure(request, error.message)
    } catch let error as ProtocolError where error.code == .unknownDocument {
      return .forgotten(request)
    } catch let error as ProtocolError {
      return .failure(request, error.message)
    } catch {
      return .failure(request, Ending(error).text)
    }
  }

  /// Closes what was opened for changes.
  func close() async {
    for backend in backends.withLock({ $0 }) { await backend.close() }
  }

  private func answer(
    _ request: ScrubRequest, _ session: Session
  ) async throws -> ScrubAnswer {
    switch request {
    case .edits(let after, let through): .edits(try await edits(after, through, session))
    case .text(let version): .text(try await text(of: version, session))
    case .removed(let edit, let range): .text(try await text(of: edit - 1, range, session))
    case .step(let from, let count, let unit):
      try await version(session) { VersionRequest($0, at: .sequence(from), step: count, by: unit) }
    case .point(let text):
      try await version(session) { [point = try session.point(text)] in
        VersionRequest($0, at: point)
      }
    case .times(let versions): .times(try await times(of: versions, session))
    case .places: try await places(session)
    case .steps: .steps(try await ask(session) { UndoStepsRequest($0) }.steps)
    case .blame(let at, let lines): .blame(try await blame(at, lines, session))
    case .origin(let at, let line):
      .version(try await blame(at, line...line, session).map(\.stamp.sequence).max() ?? 0)
    case .search(let pattern, let fate): try await search(pattern, fate, session)
    case .paragraph(let at, let offset): try await paragraph(at, offset, session)
    case .preview(let restore): try await preview(restore, session)
    case .restore(let restore, let base, let writesFile):
      try await perform(restore, base, writesFile: writesFile, session)
    case .mark(let label, let at): try await mark(label, at, session)
    case .write(let file, let at): try await write(at, to: file, session)
    case .copy, .cancel, .suspend, .redraw, .quit: .done()
    }
  }

  private func ask<Q: HistoryQuestion>(
    _ session: Session, _ question: (HistoryReference) -> Q
  ) async throws -> Q.Answer {
    try await session.ask(name, reading, question)
  }

  // MARK: - Versions

  private func version(
    _ session: Session, _ request: (HistoryReference) -> VersionRequest
  ) async throws -> ScrubAnswer {
    let found = try await ask(session, request)
    return .version(found.sequence, stepCount: found.stepCount)
  }

  private func edits(
    _ after: SequenceNumber, _ through: SequenceNumber, _ session: Session
  ) async throws -> [EditPreview] {
    try await EditWindow.edits(after: after, through: through) { part in
      try await ask(session) { LogPreviewRequest($0, part, textMax: EditWindow.textMax) }.entries
    }
  }

  private func text(
    of version: SequenceNumber, _ session: Session
  ) async throws -> UTF16Text {
    try await text(of: version, UTF16Range(0..<Int.max), session)
  }

  /// The text of a range, or of the part of it that the version has.
  private func text(
    of version: SequenceNumber, _ range: UTF16Range, _ session: Session
  ) async throws -> UTF16Text {
    var (text, offset) = (UTF16Text(), Int?.some(range.location))
    while let start = offset, start < range.upperBound {
      let limit = min(range.upperBound - start, Self.partLength)
      let part = try await ask(session) {
        StateRequest($0, VersionPart(at: .sequence(version), offset: start, limit: limit))
      }
      text.append(part.text)
      offset = part.next
    }
    return text
  }

  private func times(
    of versions: [SequenceNumber], _ session: Session
  ) async throws -> [TimeSample] {
    var samples: [TimeSample] = []
    for version in versions where version > 0 {
      let part = HistoryPart(after: version - 1, through: version, limit: 1)
      let entries = try await ask(session) { LogPreviewRequest($0, part, textMax: 0) }.entries
      for case .edit(let edit) in entries {
        samples.append(TimeSample(edit.sequence, edit.time, author: edit.author))
      }
    }
    return samples
  }

  private func places(_ session: Session) async throws -> ScrubAnswer {
    let marks = try await ask(session) { MarksRequest($0) }.marks
    let saves = try await places(session) { .save(-$0) }
    let sessions = try await places(session) { .session(-$0) }
    return .places(marks: marks, saves: saves, sessions: sessions)
  }

  /// The newest versions of a kind, ascending.
  private func places(
    _ session: Session, _ point: (Int) -> Point
  ) async throws -> [SequenceNumber] {
    var versions: [SequenceNumber] = []
    for number in 1...Self.placeCountMax {
      do {
        let place = PointExpression(point(number))
        versions.append(try await ask(session) { VersionRequest($0, at: place) }.sequence)
      } catch let error as ProtocolError where error.code == .unknownPoint {
        break
      }
    }
    return versions.reversed()
  }

  // MARK: - Writers, matches, paragraphs

  private func blame(
    _ at: SequenceNumber, _ lines: ClosedRange<Int>, _ session: Session
  ) async throws -> [ShownBlamePiece] {
    try await ask(session) {
      BlameRequest($0, BlamePart(at: .sequence(at), lines: lines, limit: BlamePart.limitMax))
    }.pieces
  }

  private func search(
    _ pattern: String, _ fate: GrepRequest.Fate?, _ session: Session
  ) async throws -> ScrubAnswer {
    let ignoresCase = SearchCase.isIgnored(by: pattern)
    if let problem = GrepRequest.problem(of: pattern, isFixed: false, ignoresCase: ignoresCase) {
      throw CommandError.usage("the pattern cannot be used: \(problem)")
    }
    let found = try await ask(session) {
      GrepRequest($0, pattern, ignoresCase: ignoresCase, fate: fate)
    }
    return .matches(found.matches, count: found.count)
  }

  private func paragraph(
    _ at: SequenceNumber, _ offset: Int, _ session: Session
  ) async throws -> ScrubAnswer {
    let id = try await shownParagraph(at, offset, session).id
    var place = PlaceReference()
    place.paragraph = id
    let reference = place
    let limit = ParagraphHistoryRequest.limitMax
    let found: ParagraphHistoryAnswer
    do {
      found = try await ask(session) { ParagraphHistoryRequest($0, reference, limit: limit) }
    } catch let error as ProtocolError where error.code == .unknownPoint {
      found = try await ask(session) {
        ParagraphHistoryRequest($0, at: .sequence(at), reference, limit: limit)
      }
    }
    return .paragraph(id, found.versions.map(\.stamp.sequence).sorted())
  }

  /// The paragraph that holds a unit.
  private func shownParagraph(
    _ at: SequenceNumber, _ offset: Int, _ session: Session
  ) async throws -> ShownParagraph {
    var place = PlaceReference()
    place.offset = offset
    let reference = place
    let found = try await ask(session) { InspectRequest($0, at: .sequence(at), reference) }
    guard let paragraph = found.paragraphs.first else {
      throw ProtocolError(.unknownPoint, "version \(at) has no paragraph at offset \(offset)")
    }
    return paragraph
  }

  // MARK: - Changes

  private func preview(
    _ restore: ScrubRestore, _ session: Session
  ) async throws -> ScrubAnswer {
    let (paragraph, range) = try await part(of: restore, session)
    let plan = try await ask(session) {
      RestorePlanRequest(
        $0, at: .sequence(restore.version), paragraph: paragraph, range: range)
    }
    guard plan.isChanged else { return .preview([], base: plan.base) }
    let lines = Self.lines(String(plan.unified))
    guard !lines.isEmpty else {
      return .preview(["@@ the text stays as it is; its attributes change"], base: plan.base)
    }
    let (file, problem) = try await writableFile(base: plan.base, session)
    return .preview(lines, base: plan.base, file: file?.argument, fileProblem: problem)
  }

  /// The document's file, if it has the text of version `base` and no editor has it open. Otherwise why a restore
  /// cannot write it, if it is known.
  private func writableFile(
    base: SequenceNumber, _ session: Session
  ) async throws -> (DocumentFile?, ScrubAnswer.FileProblem?) {
    let files = FileChange(session: session, name: name, reading: reading)
    guard let file = try await files.closedFile() else {
      return (nil, try await files.isFileOpen() ? .open : nil)
    }
    return try await files.canWrite(file, base: base) ? (file, nil) : (nil, .changed)
  }

  /// The paragraph or the range to restore; both nil for a whole version.
  private func part(
    of restore: ScrubRestore, _ session: Session
  ) async throws -> (paragraph: ParagraphID?, range: UTF16Range?) {
    switch restore {
    case .version: (nil, nil)
    case .paragraph(let version, let offset):
      (try await shownParagraph(version, offset, session).id, nil)
    case .lines(_, let range): (nil, range)
    }
  }

  /// The lines of a text, without an empty one at the end.
  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count > diffLinesMax else { return lines }
    return lines.prefix(diffLinesMax) + ["@@ and \(lines.count - diffLinesMax) more lines"]
  }

  private func perform(
    _ restore: ScrubRestore, _ base: SequenceNumber, writesFile: Bool, _ session: Session
  ) async throws -> ScrubAnswer {
    let (paragraph, range) = try await part(of: restore, session)
    let at = PointExpression.sequence(restore.version)
    let reading = reading
    let files = FileChange(session: session, name: name, reading: reading)
    if writesFile {
      let plan = try await ask(session) {
        RestorePlanRequest($0, at: at, paragraph: paragraph, range: range)
      }
      guard plan.base == base else {
        throw ProtocolError(
          .sequenceConflict, "the document is at version \(plan.base), not \(base) any more")
      }
      let (answer, file) = try await change(session) { writer in
        try await writer.introduce(as: "restore", by: author)
        return try await files.perform(plan.edits, to: base, making: \.sequence, on: writer) {
          RestoreRequest(
            reading.reference($0), at: at, paragraph: paragraph, range: range, base: base,
            atRest: true)
        }
      }
      return .restored(
        answer.sequence, isChanged: answer.isChanged, file: file.map { .written($0.argument) })
    }
    let restored = try await change(session) { session in
      try await session.introduce(as: "restore", by: author)
      return try await session.perform(name) {
        RestoreRequest(
          reading.reference($0), at: at, paragraph: paragraph, range: range, base: base)
      }
    }
    let file = try? await files.closedFile()
    return .restored(
      restored.sequence, isChanged: restored.isChanged,
      file: file.map { .unchanged($0.argument, command: $0.command(name)) })
  }

  private func mark(
    _ label: String, _ at: SequenceNumber, _ session: Session
  ) async throws -> ScrubAnswer {
    let mark = try await change(session) { session in
      try await session.introduce(as: "mark", by: author)
      return try await session.perform(name) { MarkRequest($0, label: label, at: .sequence(at)) }
    }
    return .marked(
      ShownMark(label: mark.label, sequence: mark.sequence, time: SystemTime.now, author: nil))
  }

  /// Makes a change. On files, by a backend of its own, which is closed at once, so that the store can
  /// be written by others; what is asked afterwards is then of the files as they are.
  private func change<Answer>(
    _ session: Session, _ body: (Session) async throws -> Answer
  ) async throws -> Answer {
    guard session.backend.socket == nil else { return try await body(session) }
    let writer = session.quiet(on: try await location.open(terms))
    let answer: Answer
    do { answer = try await body(writer) } catch {
      await writer.backend.close()
      throw error
    }
    await writer.backend.close()
    let reader = session.quiet(on: try await location.open(terms))
    backends.withLock { $0.append(reader.backend) }
    self.session.withLock { $0 = reader }
    return answer
  }

  private func write(
    _ at: SequenceNumber, to file: String, _ session: Session
  ) async throws -> ScrubAnswer {
    let text = try await text(of: at, session)
    let output = try NewFile(Self.expanded(file), option: "w")
    try output.write(Array(String(text).utf8))
    try output.close()
    return .done("version \(at) is in \(file.shown)")
  }

  /// A path that was typed, with the user's folder for `~`, as a shell has it.
  private static func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"),
      let home = StandardPlaces(environment: Terminal.environment).home
    else { return path }
    return home + path.dropFirst()
  }
}

extension Session {
  /// This session on another backend, without output: a screen has the terminal.
  func quiet(on backend: any Backend) -> Session {
    var session = Session(
      backend: backend, output: Output(), diagnostics: Output(), now: now, utcOffset: utcOffset)
    session.isIdentified = isIdentified
    session.spoolFolder = spoolFolder
    return session
  }
}
