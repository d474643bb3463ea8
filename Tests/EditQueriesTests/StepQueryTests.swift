import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Replay
import Synchronization
import TestSupport
import Testing
import TextState

/// Steps from a version, and work that is cancelled.
@Suite struct StepQueryTests {
  private let history: HistoryReference
  init() throws { history = HistoryReference(try #require(DocumentID(QueryBench.name))) }

  /// The versions of steps are those of a cursor, which has an oracle of its own.
  @Test(arguments: UInt64(0)..<3)
  func stepsLeadWhereACursorGoes(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let replay = Replay(
      try #require(try StoreFiles(at: bench.folder.path("store")).history(of: history.document)))
    var random = SplitMix64(seed: seed)
    let units: [StepUnit] = [
      .edit, .undoStep, .paragraphChange, .save, .session, .time(nanoseconds: 2_000_000_000),
    ]
    for _ in 0..<60 {
      let start = UInt64.random(in: 0..<UInt64(bench.states.count), using: &random)
      let step = Int.random(in: -9...9, using: &random)
      let unit = units[Int.random(in: units.indices, using: &random)]
      var cursor = try ReplayCursor(replay, at: .sequence(start))
      let made = try cursor.step(
        step > 0 ? .forward : .backward, by: unit, count: Int(step.magnitude))
      let answer = try await bench.engine.answer(
        VersionRequest(history, at: .sequence(start), step: step, by: unit))
      #expect(answer.sequence == cursor.sequence, "seed \(seed): \(start) \(step) \(unit)")
      #expect(answer.stepCount == (step == 0 ? nil : made))
      // The states are those of the history, in any order of questions.
      let state = try await bench.engine.answer(
        StateRequest(history, VersionPart(at: .sequence(answer.sequence))))
      #expect(state.text == bench.states[Int(answer.sequence)].text)
    }
  }

  @Test func badStepsAreRefused() async throws {
    let bench = try QueryBench(seed: 1)
    for (member, value): (String, JSON) in [
      ("step", "1"), ("step", 1_000_000_001), ("step", -1_000_000_001), ("by", "word"),
      ("by", "0s"), ("by", 3),
    ] {
      let refusal = await bench.refusal(
        "version", ["document": JSON(QueryBench.name), "step": 1, member: value])
      #expect(refusal?.code == .invalidParams)
    }
  }

  /// Work that is cancelled before or while a history is folded ends with an error, and its progress
  /// ascends.
  @Test func foldsAreCancelled() async throws {
    let bench = try QueryBench(seed: 1, editCount: 3_000)
    let cancelled = QuestionWork()
    cancelled.cancel()
    for _ in 0..<2 {
      await #expect(throws: ProtocolError.requestCancelled) {
        try await bench.engine.answer(TraceRequest(history), cancelled)
      }
    }
    // The fold itself ends too.
    let reported = Mutex<[Int]>([])
    let work = QuestionWork { percent in reported.withLock { $0.append(percent) } }
    var details = ParagraphsRequest.Details()
    details.life = true
    _ = try await bench.engine.answer(
      ParagraphsRequest(history, VersionPart(at: .latest), details: details), work)
    let percents = reported.withLock { $0 }
    #expect(percents == percents.sorted() && Set(percents).count == percents.count)
    #expect(percents.allSatisfy { (0...100).contains($0) })
  }

  @Test func workEndsWhereItIsCancelled() throws {
    let work = QuestionWork()
    try work.pass(0.1)
    work.cancel()
    #expect(throws: ProtocolError.requestCancelled) { try work.pass(0.2) }
    #expect(work.isCancelled)
  }
}
