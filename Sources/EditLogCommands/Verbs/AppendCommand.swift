import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import Synchronization

struct AppendCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "append",
    abstract: "Append edits, read as JSON Lines from standard input.",
    discussion: """
      Each line is an edit, or an array of edits that are logged together as one transaction. \
      An edit, here in two lines:

        {"actions":["characters"],"location":0,"length":0,
         "changeInLength":5,"text":"hello","origin":"typing"}

      Location and length are the range before the edit, in UTF-16 units; "attributes", \
      "time" (RFC 3339) and "author" may be added. Each line is answered by a line \
      {"v":1,"line":…,"first":…,"sequence":…,"durable":true,"head":…} when it is on disk, \
      in order; kept elsewhere, the head proves later that no edit was lost (`verify --head`); \
      further lines do not wait for it. At a line that cannot be logged the run ends with its \
      number and status 65; the lines answered before stay logged. The document must not be \
      edited by others meanwhile.
      """)

  @Argument(help: "The document; a new one begins with the first edit.") var name: String
  @Option(help: "Default author.") var author: String?
  @Option(
    help: """
      The version that the edits follow: the sequence number of the document's last edit. If it \
      has another, nothing is logged and the status is 75. Needed after a loss.
      """)
  var base: SequenceNumber?
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  /// Bytes in the longest line.
  static let lineSizeMax = FrameDecoder.defaultFrameSizeMax

  func run(in session: Session) async throws {
    try await run(
      in: session, input: LineReader(descriptor: STDIN_FILENO, sizeMax: Self.lineSizeMax))
  }

  /// Appends the lines of `input`.
  func run(in session: Session, input: LineReader) async throws {
    let document = try await session.documentForWriting(name).id
    let answers = AppendAnswers(output: session.output, document: document)
    let appender = try await session.backend.appender(report: answers.report)
    do {
      try await send(input, document, appender, answers)
    } catch {
      // The lines before this one are still answered; a refusal of theirs comes first.
      try? await appender.flush()
      await appender.close()
      throw answers.failure ?? error
    }
    await appender.close()
    if let failure = answers.failure { throw failure }
  }

  private func send(
    _ input: LineReader, _ document: DocumentID, _ appender: any EditAppender,
    _ answers: AppendAnswers
  ) async throws {
    var (input, line) = (input, 0)
    // From the second request on the version is known that it must find, so that nothing is
    // logged after a line that was refused.
    var base = base
    while let bytes = try await input.next() {
      line += 1
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      let edits = try Self.edits(bytes, line: line)
      let request = AppendRequest(document: document, base: base, author: author, edits: edits)
      answers.expect(line: line)
      try await appender.append(request)
      if base == nil {
        try await appender.flush()
        base = answers.lastSequence
      } else {
        base = base.map { $0 + SequenceNumber(edits.count) }
      }
    }
    try await appender.flush()
  }

  private static let members: Set = [
    "actions", "location", "length", "changeInLength", "text", "attributes", "time", "origin",
    "author", "transaction",
  ]

  /// A misspelt member is refused, since it would be ignored.
  private static func checkMembers(of json: JSON) throws(ShapeError) {
    for member in try json.asObject().members where !members.contains(member.name) {
      throw ShapeError(
        member.name, mustBe: "spelt as one of \(members.sorted().joined(separator: ", "))",
        found: nil)
    }
  }

  /// The edits of a line.
  static func edits(_ bytes: [UInt8], line: Int) throws(CommandError) -> [AppendEdit] {
    do {
      let json = try JSON.parse(bytes)
      guard case .array = json else {
        try checkMembers(of: json)
        return [try AppendEdit(json: json)]
      }
      let edits = try json.asArray { (json) throws(ShapeError) in
        try checkMembers(of: json)
        var edit = try AppendEdit(json: json)
        edit.transaction = edit.transaction ?? 0
        return edit
      }
      guard !edits.isEmpty else { throw CommandError.data("the array is empty") }
      return edits
    } catch {
      throw .data("line \(line): \((error as? CommandError)?.message ?? "\(error)")")
    }
  }
}

/// Prints the answers to lines, and remembers the first refusal.
private final class AppendAnswers: Sendable {
  private struct State {
    var lines: ArraySlice<Int> = []
    var lastSequence: SequenceNumber?
    var failure: (any Error)?
  }
  private let output: Output
  private let document: DocumentID
  private let state = Mutex(State())

  init(output: Output, document: DocumentID) {
    (self.output, self.document) = (output, document)
  }

  /// The newest version that an answer named.
  var lastSequence: SequenceNumber? { state.withLock { $0.lastSequence } }
  /// Why the run ends.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Says that the next answer is that of a line.
  func expect(line: Int) { state.withLock { $0.lines.append(line) } }

  /// Takes the end of a request.
  var report: AppendReport {
    { [self] _, result in
      state.withLock { state in
        guard let line = state.lines.popFirst(), state.failure == nil else { return }
        switch result {
        case .success(let result):
          state.lastSequence = result.sequence
          do { try answer(line, result) } catch { state.failure = error }
        case .failure(let error):
          state.failure = CommandError(
            exitCode: error.code.exitStatus, "line \(line): \(error.message)")
        }
      }
    }
  }

  private func answer(_ line: Int, _ result: AppendResult) throws {
    var object: JSONObject = [
      "v": 1, "line": JSON(line), "first": JSON(result.first), "sequence": JSON(result.sequence),
      "durable": .bool(result.durable),
    ]
    if let head = result.head {
      object["head"] = AcknowledgedHead(document: document, sequence: result.sequence, head: head)
        .map { JSON("\($0)") }
    }
    try output.write(bytes: JSON.object(object).serialized() + [0x0A])
    try output.flush()
  }
}
