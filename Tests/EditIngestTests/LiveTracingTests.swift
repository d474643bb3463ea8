import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditIngest

/// What edits cost as they happen, by a simulated clock.
@Suite(.timeLimit(.minutes(10))) struct LiveTracingTests {
  private static let lines = String(repeating: "line\n", count: 600)

  /// Appends edits in one request, and returns when it is answered.
  private func append(
    _ edits: [AppendEdit], to name: String = "a", _ harness: IngestHarness,
    timing: RequestTiming? = nil
  ) async throws {
    let answers = AsyncStream<Result<AppendResult, ProtocolError>>.limited()
    let request = AppendRequest(document: document(name), edits: edits)
    harness.ingest.submit(
      .append(request, timing: timing) { answers.continuation.yield($0) })
    for await answer in answers.stream {
      _ = try answer.get()
      return
    }
    throw CancellationError()
  }

  private func traces(_ harness: IngestHarness, _ name: String = "a") -> [LiveTrace] {
    harness.ingest.traces.traces(of: document(name))
  }

  @Test func `a large deletion has all phases in their order`() async throws {
    let clock = SteppingClock(step: 3)
    let harness = try await IngestHarness(on: SimulatedFileSystem(), clock: clock)
    try await append([put(Self.lines)], harness)
    let before = clock.lastReading
    let timing = RequestTiming(begun: before, received: before + 1, decoded: before + 2)
    try await append([put("", at: 5, over: 2_000)], harness, timing: timing)
    let unanswered = try #require(traces(harness).first)
    #expect(unanswered.sequence == 2 && unanswered.time == FixedClock().now())
    #expect(unanswered.duration(of: .acknowledge) == nil)
    timing.answered(at: before + unanswered.duration + 70)

    let trace = try #require(traces(harness).first)
    #expect(traces(harness).count == 1)
    for phase in LivePhase.allCases { #expect(trace.duration(of: phase) != nil, "\(phase)") }
    #expect(trace.duration(of: .receive) == 1 && trace.duration(of: .decode) == 1)
    #expect(trace.duration(of: .acknowledge) == 70)
    // Each of these phases ends with one reading of the clock.
    for phase in [LivePhase.journal, .flush, .notify] {
      #expect(trace.duration(of: phase) == 3, "\(phase)")
    }
    var end: UInt64 = 0
    for span in trace.spans {
      #expect(span.start >= end)
      end = span.end
    }
    #expect(end == trace.duration)
    let measured = trace.spans.reduce(0) { $0 + $1.duration }
    #expect(trace.waiting == trace.duration - measured && trace.waiting > 0)
    // They are done in this order, apart from pieces of the middle ones.
    let phases = trace.spans.map(\.phase)
    #expect(phases.first == .receive && phases.dropFirst().first == .decode)
    #expect(phases.dropFirst(2).first == .locate)
    #expect(phases.suffix(4) == [.journal, .flush, .notify, .acknowledge])
    try await harness.end()
  }

  /// The bounds are those of replayed traces: units, or paragraph ends.
  @Test(arguments: [
    (0, 999, 0), (0, 1_000, 1), (0, 99, 0), (0, 100, 1), (500, 95, 0), (0, 19, 0), (3, 1, 0),
  ])
  func `which deletions are measured`(location: Int, length: Int, count: Int) async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem(), clock: SteppingClock())
    // Twenty ends in 100 units, none in 4,000.
    let isLong = length > 500
    try await append(
      [put(isLong ? String(repeating: "x", count: 4_000) : Self.lines)], harness)
    try await append([put("", at: location, over: length)], harness)
    #expect(traces(harness).count == count)
    try await harness.end()
  }

  /// Without a large deletion, an edit is not measured, and costs no reading of the clock but one for
  /// each batch, whatever it does.
  @Test func `ordinary edits are not measured`() async throws {
    let clock = SteppingClock()
    let harness = try await IngestHarness(on: SimulatedFileSystem(), clock: clock)
    try await append([put(Self.lines)], harness)
    var readings: Set<UInt64> = []
    for edits in [[put("x")], (0..<50).map { put("y", at: $0, over: 1) }] {
      let before = clock.lastReading
      try await append(edits, harness)
      // The batch is done when the next request is taken.
      _ = await harness.ingest.look { $0.upkeep.isBehind }
      readings.insert(clock.lastReading - before)
    }
    #expect(readings.allSatisfy { $0 <= 12 }, "\(readings)")
    #expect(traces(harness).isEmpty)
    try await harness.end()
  }

  @Test func `any slow edit is recorded once for its batch`() async throws {
    let clock = SteppingClock()
    let harness = try await IngestHarness(on: SimulatedFileSystem(), clock: clock)
    try await append([put("one")], harness)
    #expect(traces(harness).isEmpty)
    clock.setStep(harness.ingest.tracing.bounds.slowTime)
    try await append([put("two"), put("three")], harness)
    let trace = try #require(traces(harness).first)
    #expect(traces(harness).count == 1 && trace.sequence == 2)
    #expect(trace.duration(of: .journal) == clock.step && trace.duration(of: .flush) == clock.step)
    #expect(trace.duration(of: .locate) == nil && trace.duration(of: .receive) == nil)
    #expect(trace.waiting > 0)
    try await harness.end()
  }

  /// The edit that replaces a text of a size that is staged on another thread.
  @Test func `long work is measured too`() async throws {
    let harness = try await IngestHarness(
      on: SimulatedFileSystem(), { $0.longLength = 3_000 }, clock: SteppingClock())
    try await append([put(Self.lines)], harness)
    try await append([put(String(repeating: "new\n", count: 2_000), over: 3_000)], harness)
    let trace = try #require(traces(harness).first)
    #expect(trace.duration(of: .locate) != nil && trace.duration(of: .journal) != nil)
    try await harness.end()
  }

  @Test func `traces are stored beside the checkpoints`() async throws {
    let system = SimulatedFileSystem()
    for round in 0..<2 {
      let harness = try await IngestHarness(on: system, clock: SteppingClock())
      try await append([put(Self.lines)], harness)
      try await append([put("", over: 2_000)], harness)
      try await append([put("", over: 900)], to: "small", harness, isRefused: true)
      #expect(traces(harness).map(\.sequence) == [UInt64(2 * round + 2)])
      try await harness.end()
    }
    let path = try #require(system.files.keys.first { $0.hasSuffix("/live.traces") })
    #expect(path == "/store/documents/00000000000000000001/live.traces")
    func stored() throws -> [SequenceNumber] {
      let history = try Store.open(at: "/store", fileSystem: system).history(of: document("a"))
      return try #require(history).liveTraces.map(\.sequence)
    }
    #expect(try stored() == [2, 4])
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.usage().size == system.files.values.reduce(0) { $0 + $1.count })
    let report = try store.verify()
    #expect(report.unknownFiles.isEmpty && report.problems.isEmpty)

    // It is a cache: what cannot be read is ignored, and replaced.
    let bytes = try #require(system[path])
    var damaged = bytes
    damaged[100] ^= 4
    system[path] = damaged
    #expect(try stored() == [])
    #expect(try Store.open(at: "/store", fileSystem: system).verify().problems.isEmpty)
    let harness = try await IngestHarness(on: system, clock: SteppingClock())
    try await append([put("", over: 1_000)], harness)
    try await harness.end()
    #expect(try stored() == [5])

    // It goes with its document.
    let last = try await IngestHarness(on: system)
    _ = try await last.ingest.forget(document("a"))
    #expect(last.ingest.traces.count == 0)
    try await last.end()
    #expect(system.files.keys.allSatisfy { !$0.hasSuffix("/live.traces") })
  }

  private func append(
    _ edits: [AppendEdit], to name: String, _ harness: IngestHarness, isRefused: Bool
  ) async throws {
    await #expect(throws: ProtocolError.self) { try await append(edits, to: name, harness) }
    #expect(traces(harness, name).isEmpty)
  }

  /// A batch that cannot be written leaves no trace.
  @Test func `edits that are not logged have no trace`() async throws {
    let faulty = FaultyFileSystem(SimulatedFileSystem())
    let harness = try await IngestHarness(on: faulty, clock: SteppingClock())
    try await append([put(Self.lines)], harness)
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.forEver, plan.code) = (faulty.operationCount + 1, true, ENOSPC)
    plan.names = ["write", "reserve"]
    faulty.setPlan(plan)
    await #expect(throws: ProtocolError.self) {
      try await append([put("", over: 2_000)], harness)
    }
    #expect(traces(harness).isEmpty)
    try await harness.drop()
  }
}
