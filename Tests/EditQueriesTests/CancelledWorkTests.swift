import EditLog
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import TestSupport
import Testing

/// Questions that read a long history end soon after they are cancelled, and report their progress.
@Suite struct CancelledWorkTests {
  private static let count = 6_000
  private let folder = TemporaryFolder()
  private let document = name("file:///note.md")
  private let head: AcknowledgedHead

  /// Edits at places that jump, so that a replay takes many steps; sealed, but for the last ones.
  init() throws {
    var options = StoreWriter.Options()
    options.blockEditCountMax = 500
    let writer = try StoreWriter(at: folder.path("store"), options: options)
    let entries = (1...Self.count).map { number in
      HistoryEntry.edit(
        Edit(
          sequence: SequenceNumber(number),
          action: EditAction(
            replacing: UTF16Range(number / 2..<number / 2),
            with: number % 50 == 0 ? "\n" : "x"),
          time: Timestamp(nanoseconds: Int64(number) * 10_000_000_000)))
    }
    _ = try writer.append([(document, Array(entries.prefix(5_000)))])
    try writer.seal(document)
    let receipt = try #require(
      try writer.append([(document, Array(entries.dropFirst(5_000)))]).first)
    try writer.close()
    head = try #require(
      AcknowledgedHead(
        document: document, sequence: receipt.lastSequence, head: "\(receipt.head)"))
  }

  /// An engine that has no states of the history yet.
  private var engine: QueryEngine {
    get throws { QueryEngine(try StoreFiles(at: folder.path("store"))) }
  }

  /// The percents that the work on the answer reports.
  private func progress<Q: Question>(of question: Q) async throws -> [Int] {
    let percents = Mutex<[Int]>([])
    let work = QuestionWork(pause: .zero) { percent in percents.withLock { $0.append(percent) } }
    _ = try await engine.answer(question, work)
    return percents.withLock { $0 }
  }

  /// Asks, and cancels the work at its report of `percent` or more.
  private func cancel<Q: Question>(_ question: Q, at percent: Int) async throws -> [Int] {
    let percents = Mutex<[Int]>([])
    let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    let work = QuestionWork(pause: .zero) { reported in
      percents.withLock { $0.append(reported) }
      if reported >= percent { cancel.withLock { $0 }?() }
    }
    cancel.withLock { $0 = { work.cancel() } }
    let engine = try engine
    await #expect(throws: ProtocolError.requestCancelled) {
      _ = try await engine.answer(question, work)
    }
    cancel.withLock { $0 = nil }
    return percents.withLock { $0 }
  }

  /// The progress ascends. If the work is cancelled at any report but the last, after which the answer
  /// may be complete, no other report follows, and the question ends with an error.
  private func check<Q: Question>(
    _ question: Q, reports countMin: Int, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let whole = try await progress(of: question)
    #expect(whole.count >= countMin, "\(whole)", sourceLocation: location)
    #expect(
      whole == whole.sorted() && Set(whole).count == whole.count
        && whole.allSatisfy { (0...100).contains($0) }, sourceLocation: location)
    for (index, percent) in whole.dropLast().enumerated() {
      let cut = try await cancel(question, at: percent)
      #expect(cut == Array(whole.prefix(index + 1)), sourceLocation: location)
    }
  }

  @Test func verification() async throws { try await check(VerifyRequest(), reports: 3) }

  @Test func verificationOfHeads() async throws {
    var other = head
    other.document = name("none")
    try await check(VerifyRequest(heads: [head, head, other]), reports: 5)
  }

  @Test func aHeadThatAQuestionNames() async throws {
    var history = HistoryReference(document)
    history.head = head
    try await check(MarksRequest(history), reports: 3)
    try await check(StateRequest(history, VersionPart(at: .sequence(10))), reports: 3)
  }

  @Test func links() async throws {
    var history = HistoryReference(document)
    history.isVerified = true
    try await check(MarksRequest(history), reports: 3)
    try await check(StateRequest(history), reports: 3)
    try await check(LogRequest(history, HistoryPart(after: 0, limit: 5_000)), reports: 2)
  }

  @Test(arguments: [false, true]) func entries(newestFirst: Bool) async throws {
    let part = HistoryPart(after: 0, limit: 5_000, newestFirst: newestFirst)
    try await check(LogRequest(HistoryReference(document), part), reports: 5)
  }

  @Test func undoStepsOfAPoint() async throws {
    let point = PointExpression("undo:-3")
    let history = HistoryReference(document)
    try await check(VersionRequest(history, at: point), reports: 5)
    try await check(StateRequest(history, VersionPart(at: point)), reports: 5)
  }

  @Test func twoVersions() async throws {
    let history = HistoryReference(document)
    let request = DiffRequest(history, from: .sequence(2_000), to: .sequence(5_500))
    try await check(request, reports: 3)
    var part = request
    part.part = 0
    try await check(part, reports: 3)
    try await check(
      ParagraphDiffRequest(history, from: .sequence(2_000), to: .sequence(5_500)), reports: 3)
  }
}
