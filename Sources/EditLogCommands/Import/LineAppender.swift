import EditJSON
import EditModel
import EditProtocol
import Synchronization

/// Sends the lines of `append` as requests, and prints an answer for each line.
///
/// Each request after the first names the version it expects, so that nothing is logged after a
/// line that was refused.
struct LineAppender {
  private let document: DocumentID
  private let author: String?
  private let backend: any Backend
  private let appender: any EditAppender
  private let answers: AppendAnswers

  /// The version that the next request expects; nil until the first answer.
  private var base: SequenceNumber?
  /// The edits of one transaction of another history that are not sent yet. Each has its own line.
  private var transaction = Transaction()
  /// The number of a version here minus its number in the other history.
  private var shift: Int64?
  /// Marks of the other history, which are made at the end: an edit is never older than the entry
  /// before it, and a mark has the time at which it is made.
  private var marks: [(label: String, version: SequenceNumber, line: Int)] = []
  /// Entries of the other history that were left out.
  private(set) var skippedCount = 0

  private struct Transaction {
    var number: SequenceNumber = 0
    var last: SequenceNumber = 0
    var edits: [AppendEdit] = []
    var lines: [Int] = []
    var size = 0

    /// True if there is no room for one more edit, on a line of `lineSize` bytes.
    func isFull(with lineSize: Int) -> Bool {
      size + lineSize > LineAppender.requestSizeMax || edits.count == AppendRequest.editCountMax
    }
  }

  /// The maximum size of the lines of one request, in bytes. A transaction of another history that is
  /// larger, or has more edits than a request may have, is split.
  private static let requestSizeMax = FrameDecoder.defaultFrameSizeMax
  /// The minimum size of a request that is answered before the next is read, so that only one of
  /// them is in memory, in bytes.
  private static let longSizeMin = 4 << 20

  init(
    to document: DocumentID, base: SequenceNumber?, author: String?, _ session: Session,
    _ atRest: AtRestOption = AtRestOption()
  ) async throws {
    (self.document, self.base, self.author) = (document, base, author)
    backend = session.backend
    answers = AppendAnswers(output: session.output, document: document)
    appender = try await session.appender(
      waitsForEditors: atRest.waits, report: answers.report)
  }

  /// Sends a line of `size` bytes. The edits of another history wait for the rest of their
  /// transaction.
  mutating func add(_ line: AppendLine, line number: Int, size: Int) async throws {
    switch line {
    case .edits(let edits):
      try await sendTransaction()
      try await send(edits, lines: [number], size: size)
    case .entry(.edit(let edit)):
      if edit.transaction != transaction.number || transaction.isFull(with: size) {
        try await sendTransaction()
      }
      transaction.number = edit.transaction
      transaction.last = edit.sequence
      transaction.edits.append(AppendEdit(edit))
      transaction.lines.append(number)
      transaction.size += size
    case .entry(.event(let event)):
      try await sendTransaction()
      try await note(event, line: number)
    case .head:
      try await sendTransaction()
      try await appender.flush()
      try answers.print(AppendedLine(line: number, isSkipped: true))
    }
  }

  /// Waits until all lines are answered. No line may follow.
  mutating func finish() async throws {
    try await sendTransaction()
    try await appender.flush()
    for mark in marks { try await make(mark.label, at: mark.version, line: mark.line) }
    marks = []
  }

  /// Waits for the answers to all requests that were sent, and ends. Returns the first refusal.
  func close() async -> (any Error)? {
    try? await appender.flush()
    await appender.close()
    return answers.failure
  }

  private mutating func sendTransaction() async throws {
    let sent = transaction
    guard !sent.edits.isEmpty else { return }
    transaction = Transaction()
    try await send(sent.edits, lines: sent.lines, size: sent.size)
    shift = base.map { Int64(clamping: $0) - Int64(clamping: sent.last) }
  }

  private mutating func send(_ edits: [AppendEdit], lines: [Int], size: Int) async throws {
    let request = AppendRequest(document: document, base: base, author: author, edits: edits)
    answers.expect(lines)
    do {
      try await appender.append(request)
    } catch {
      // Other errors are about lines before these.
      guard error.code == .tooLarge else { throw error }
      throw AppendAnswers.refusal(of: lines, error)
    }
    if base == nil || size >= Self.longSizeMin { try await appender.flush() }
    base = base.map { $0 + SequenceNumber(edits.count) } ?? answers.lastSequence
  }

  /// Keeps a mark. The other events are about files and editors of the other history.
  private mutating func note(_ event: HistoryEvent, line: Int) async throws {
    if case .mark(let label, let at) = event.kind, let shift,
      let version = SequenceNumber(exactly: Int64(clamping: at) + shift)
    {
      marks.append((label, version, line))
      return
    }
    // The answers are in the order of the lines.
    try await appender.flush()
    skippedCount += 1
    try answers.print(AppendedLine(line: line, event: event.kind.name, isSkipped: true))
  }

  private func make(_ label: String, at version: SequenceNumber, line: Int) async throws {
    let mark: MarkAnswer
    do {
      mark = try await backend.perform(MarkRequest(document, label: label, at: .sequence(version)))
    } catch let error as ProtocolError {
      throw CommandError(exitCode: error.code.exitStatus, "line \(line): \(error.message)")
    }
    try answers.print(
      AppendedLine(line: line, event: "mark", sequence: mark.sequence, isDurable: true))
  }
}

/// Prints the answers to lines, and stores the first refusal.
private final class AppendAnswers: Sendable {
  private struct State {
    /// The lines of each request that is not answered.
    var lines: ArraySlice<[Int]> = []
    var lastSequence: SequenceNumber?
    var failure: (any Error)?
  }
  private let output: Output
  private let document: DocumentID
  private let state = Mutex(State())

  init(output: Output, document: DocumentID) {
    (self.output, self.document) = (output, document)
  }

  /// The version in the last answer.
  var lastSequence: SequenceNumber? { state.withLock { $0.lastSequence } }
  /// Why the run ends.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Adds the lines of the request that was sent last: one line, or one for each edit.
  func expect(_ lines: [Int]) { state.withLock { $0.lines.append(lines) } }

  /// Takes the end of a request.
  var report: AppendReport {
    { [self] _, result in
      state.withLock { state in
        guard let lines = state.lines.popFirst(), state.failure == nil else { return }
        switch result {
        case .success(let result):
          state.lastSequence = result.sequence
          do { try answer(lines, result) } catch { state.failure = error }
        case .failure(let error):
          state.failure = Self.refusal(of: lines, error)
        }
      }
    }
  }

  /// The error for lines that are not logged. If the daemon cannot parse the request, its line has
  /// more values than a request may have.
  static func refusal(of lines: [Int], _ error: ProtocolError) -> CommandError {
    let status = error.code == .parseError ? ProtocolError.Code.tooLarge : error.code
    return CommandError(exitCode: status.exitStatus, "\(shown(lines)): \(error.message)")
  }

  private static func shown(_ lines: [Int]) -> String {
    guard let first = lines.first, let last = lines.last, first < last else {
      return "line \(lines.first ?? 0)"
    }
    return "lines \(first) to \(last)"
  }

  private func answer(_ lines: [Int], _ result: AppendResult) throws {
    var first = result.first
    for line in lines.dropLast() {
      try answer(line, first: first, sequence: first, isDurable: result.durable, head: nil)
      first += 1
    }
    guard let line = lines.last else { return }
    try answer(
      line, first: first, sequence: result.sequence, isDurable: result.durable, head: result.head)
  }

  private func answer(
    _ line: Int, first: SequenceNumber, sequence: SequenceNumber, isDurable: Bool,
    head: String?
  ) throws {
    let head = head.flatMap {
      AcknowledgedHead(document: document, sequence: sequence, head: $0)
    }
    try print(
      AppendedLine(
        line: line, first: first, sequence: sequence, isDurable: isDurable, head: head))
  }

  /// Prints the answer to a line.
  func print(_ answer: AppendedLine) throws {
    var object: JSONObject = ["v": 1]
    for member in try AppendedLine.codec.encode(answer).asObject().members {
      object[member.name] = member.value
    }
    try output.write(bytes: JSON.object(object).serialized() + [0x0A])
    try output.flush()
  }
}
