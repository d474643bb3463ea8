import DaemonTestSupport
import EditModel
import TestSupport
import Testing

@testable import EditIngest

/// The traces in memory.
@Suite struct LiveTracesTests {
  private func trace(_ sequence: SequenceNumber) -> LiveTrace {
    LiveTrace(
      sequence: sequence, time: Timestamp(nanoseconds: Int64(sequence)),
      spans: [LiveSpan(.flush, start: 0, duration: 10)])
  }

  private func numbers(_ traces: LiveTraces, _ name: String) -> [SequenceNumber] {
    traces.traces(of: document(name)).map(\.sequence)
  }

  @Test func `a document keeps its newest`() {
    let traces = LiveTraces(countMax: 3)
    for sequence in 1...5 as ClosedRange<SequenceNumber> {
      traces.add(trace(sequence), of: document("a"))
    }
    traces.add(trace(9), of: document("b"))
    #expect(numbers(traces, "a") == [3, 4, 5] && numbers(traces, "b") == [9])
    #expect(traces.count == 4)
    // A history that ended earlier is continued.
    traces.add(trace(4), of: document("a"))
    #expect(numbers(traces, "a") == [3, 4] && traces.count == 3)
  }

  @Test func `all documents together are bounded`() {
    let traces = LiveTraces(countMax: 4, bytesMax: 6 * LiveTraces.traceSize)
    for sequence in 1...3 as ClosedRange<SequenceNumber> {
      for name in ["a", "b"] { traces.add(trace(sequence), of: document(name)) }
    }
    #expect(traces.count == 6)
    // Those of the document that was traced the longest ago go first.
    for sequence in 1...4 as ClosedRange<SequenceNumber> {
      traces.add(trace(sequence), of: document("c"))
      #expect(traces.count == 6)
    }
    #expect(numbers(traces, "a") == [] && numbers(traces, "b") == [2, 3])
    #expect(numbers(traces, "c") == [1, 2, 3, 4])
    // A thousand documents with one edit each.
    for number in 0..<1_000 { traces.add(trace(1), of: document("n\(number)")) }
    #expect(traces.count == 6)
    #expect(numbers(traces, "n994") == [1] && numbers(traces, "n993") == [])
  }

  @Test func `the acknowledgement comes later`() {
    let traces = LiveTraces()
    traces.add(trace(1), of: document("a"))
    let first = traces.unstored(of: document("a"))
    traces.noteStored(document("a"), first?.change ?? 0)
    #expect(traces.unstored.isEmpty && traces.unstored(of: document("a")) == nil)
    traces.add(LiveSpan(.acknowledge, start: 10, duration: 7), to: 1, of: document("a"))
    #expect(traces.traces(of: document("a")).first?.duration == 17)
    #expect(traces.unstored == [document("a")])
    // The trace is gone.
    traces.add(LiveSpan(.acknowledge, start: 10, duration: 7), to: 2, of: document("a"))
    traces.add(LiveSpan(.acknowledge, start: 10, duration: 7), to: 1, of: document("b"))
    #expect(traces.count == 1)
  }

  @Test func `names that change`() {
    let traces = LiveTraces()
    for (number, name) in ["a", "b"].enumerated() {
      traces.add(trace(SequenceNumber(number + 1)), of: document(name))
    }
    traces.rename([document("a"): document("b"), document("b"): document("a")])
    #expect(numbers(traces, "a") == [2] && numbers(traces, "b") == [1])
    traces.forget(document("a"))
    #expect(numbers(traces, "a") == [] && traces.count == 1)
    traces.forget(document("none"))
    #expect(traces.count == 1)
  }

  @Test func `an answer ends the trace once`() {
    let timing = RequestTiming(begun: 5, received: 4, decoded: 3)
    #expect(timing.received == 5 && timing.decoded == 5)
    let traces = LiveTraces()
    traces.add(trace(1), of: document("a"))
    timing.whenAnswered { time in
      traces.add(LiveSpan(.acknowledge, start: 10, duration: time), to: 1, of: document("a"))
    }
    timing.answered(at: 9)
    timing.answered(at: 1_000)
    #expect(traces.traces(of: document("a")).first?.duration == 19)
  }
}
