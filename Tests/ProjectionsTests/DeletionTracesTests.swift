import EditModel
import Projections
import Synchronization
import TestSupport
import Testing
import TextState

/// A clock that advances by `step` nanoseconds each time it is read.
func countingClock(step: UInt64 = 1) -> TraceClock {
  let ticks = Counter()
  return { ticks.next() * step }
}

/// Counts from 1.
final class Counter: Sendable {
  private let value = Mutex<UInt64>(0)

  func next() -> UInt64 {
    value.withLock {
      $0 += 1; return $0
    }
  }
  var count: UInt64 { value.withLock { $0 } }
}

@Suite struct DeletionTracesTests {
  /// Traces of `actions`, the first of which makes the text.
  private func traces(
    of actions: [EditAction], settings: DeletionTraceSettings = DeletionTraceSettings(),
    observer: @escaping @Sendable (ParagraphEvent) -> Void = { _ in }
  ) throws -> [DeletionTrace] {
    var runner = ProjectionRunner([
      DeletionTraces(settings: settings, clock: countingClock(), observer: observer)
    ])
    for (index, action) in actions.enumerated() {
      try runner.apply(
        Edit(
          sequence: SequenceNumber(index) + 1, action: action, origin: .removal, author: "ann",
          time: seconds(Double(index))))
    }
    return runner[DeletionTraces.self]?.traces ?? []
  }

  private func lines(_ count: Int) -> UTF16Text {
    UTF16Text(String(repeating: "line\n", count: count))
  }

  @Test func aTraceTellsSizesAndPhases() throws {
    let told = Counter()
    let traces = try traces(
      of: [replace(0, 0, lines(500)), replace(7, 1_000, "-")], observer: { _ in _ = told.next() })
    let trace = try #require(traces.first)
    #expect(traces.count == 1)
    #expect((trace.sequence, trace.time, trace.author) == (2, seconds(1), "ann"))
    #expect((trace.unitsDeleted, trace.unitsInserted, trace.unitsBefore) == (1_000, 1, 2_500))
    #expect((trace.paragraphsDeleted, trace.paragraphsBefore) == (200, 501))
    #expect(trace.notificationCount == 201)
    #expect(told.count == 201)

    #expect(Set(trace.spans.map(\.phase)) == Set(TracePhase.allCases))
    for (span, next) in zip(trace.spans, trace.spans.dropFirst()) {
      #expect(span.start + span.duration == next.start)
    }
    #expect(trace.duration == TracePhase.allCases.reduce(0) { $0 + trace.duration(of: $1) })
    #expect(trace.duration == UInt64(trace.spans.count))
    let linear = try #require(trace.linear)
    #expect(linear.notificationCount == 200)
    // Of 501 descriptors the third goes 200 times: 498, 497, … of 32 bytes each move up.
    #expect(linear.bytesMoved == (299...498).reduce(0) { $0 + $1 * 32 })
  }

  /// Units deleted, paragraph ends among them, and whether that is large.
  @Test(arguments: [
    (9, 0, false), (10, 0, true), (9, 3, false), (9, 4, true), (4, 4, true), (3, 3, false),
  ])
  func thresholds(units: Int, ends: Int, isLarge: Bool) throws {
    var settings = DeletionTraceSettings()
    (settings.unitsMin, settings.paragraphsMin) = (10, 4)
    let text = String(repeating: "\n", count: ends) + String(repeating: "x", count: 50)
    let traces = try traces(
      of: [replace(0, 0, UTF16Text(text)), replace(0, units, "")], settings: settings)
    #expect(traces.map(\.unitsDeleted) == (isLarge ? [units] : []))
    #expect(traces.allSatisfy { $0.paragraphsDeleted == ends })
  }

  @Test func insertionsAndFormattingAreNotTraced() throws {
    let run = AttributeRun(length: 2_500, attributes: ["bold": .bool(true)])
    let formatting = try EditAction(
      range: UTF16Range(0..<2_500), replacement: nil, attributes: .set([run]))
    #expect(try traces(of: [replace(0, 0, lines(500)), formatting]).isEmpty)
  }

  @Test func theYardstickIsBounded() throws {
    var settings = DeletionTraceSettings()
    let actions = [replace(0, 0, lines(300)), replace(0, 1_000, "")]
    settings.linearWorkMax = 200 * 301
    #expect(try traces(of: actions, settings: settings).first?.linear != nil)
    settings.linearWorkMax -= 1
    #expect(try traces(of: actions, settings: settings).first.map { $0.linear == nil } == true)
  }

  /// Tracing changes nothing: the state is the same as without it.
  @Test(arguments: UInt64(0)..<8)
  func tracingLeavesTheStateAlone(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var settings = DeletionTraceSettings()
    (settings.unitsMin, settings.paragraphsMin) = (0, 0)
    var runner = ProjectionRunner([DeletionTraces(settings: settings, clock: countingClock())])
    var bare = TextState()
    var count = 0
    for sequence in 1...SequenceNumber(60) {
      let action = try random.action(in: bare.length)
      if action.replacement != nil { count += 1 }
      let change = try runner.apply(Edit(sequence: sequence, action: action))
      #expect(try bare.apply(action) == change)
    }
    #expect(Snapshot(bare) == Snapshot(runner.state))
    #expect(runner[DeletionTraces.self]?.traces.count == count)
  }
}
