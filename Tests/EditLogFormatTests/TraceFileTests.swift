import EditModel
import Testing
import TestSupport

@testable import EditLogFormat

/// The file with what edits cost as they happened.
@Suite struct TraceFileTests {
  private let store: StoreID

  init() throws { store = try #require(StoreID(bytes: Array(1...16))) }

  private func traces(_ count: Int, seed: UInt64 = 1) -> [LiveTrace] {
    var random = SplitMix64(seed: seed)
    return (1...max(1, count)).prefix(count).map { number in
      var trace = LiveTrace(
        sequence: SequenceNumber(number * 3),
        time: Timestamp(nanoseconds: Int64.random(in: -5...1 << 60, using: &random)), spans: [])
      for _ in 0..<Int.random(in: 0...TraceFile.spanCountMax, using: &random) {
        trace.add(
          LiveSpan(
            LivePhase.allCases[Int.random(in: 0..<LivePhase.allCases.count, using: &random)],
            start: trace.duration + random.next() % 1_000, duration: random.next() % 1_000_000))
      }
      return trace
    }
  }

  @Test(arguments: [0, 1, 2, 17, TraceFile.countMax])
  func `what is written is read`(count: Int) {
    let traces = traces(count, seed: UInt64(count))
    let bytes = TraceFile.encode(traces, store: store, document: 7)
    #expect(bytes.count <= TraceFile.sizeMax)
    #expect(TraceFile.decode(bytes, store: store, document: 7) == traces)
  }

  @Test func `the newest are kept`() {
    let traces = traces(TraceFile.countMax + 9)
    let bytes = TraceFile.encode(traces, store: store, document: 7)
    #expect(
      TraceFile.decode(bytes, store: store, document: 7)
        == Array(traces.suffix(TraceFile.countMax)))
  }

  @Test func `a damaged or foreign file is ignored`() throws {
    let bytes = TraceFile.encode(traces(3), store: store, document: 7)
    for place in bytes.indices {
      for bit in [0, 3, 7] {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        #expect(TraceFile.decode(damaged, store: store, document: 7) == nil, "byte \(place)")
      }
    }
    for length in bytes.indices {
      #expect(TraceFile.decode(Array(bytes[..<length]), store: store, document: 7) == nil)
    }
    #expect(TraceFile.decode(bytes + [0], store: store, document: 7) == nil)
    #expect(TraceFile.decode(bytes, store: store, document: 8) == nil)
    let other = try #require(StoreID(bytes: Array(2...17)))
    #expect(TraceFile.decode(bytes, store: other, document: 7) == nil)
  }

  /// Bytes with valid checksums whose content makes no sense.
  @Test func `impossible contents are refused`() {
    func isRead(_ change: (inout [UInt8]) -> Void) -> Bool {
      var bytes = TraceFile.encode(
        [
          LiveTrace(
            sequence: 5, time: Timestamp(nanoseconds: 1),
            spans: [LiveSpan(.flush, start: 1, duration: 2)])
        ], store: store, document: 7)
      change(&bytes)
      let front = TraceFile.frontSize
      let sum = CRC32C.checksum(Array(bytes[..<(front - 4)]) + Array(bytes[front...]))
      bytes.replaceSubrange(front - 4..<front, with: sum.littleEndianBytes)
      return TraceFile.decode(bytes, store: store, document: 7) != nil
    }
    let body = TraceFile.frontSize
    #expect(isRead { _ in })
    // Another phase, of a later version.
    #expect(isRead { $0[body + 25] = 200 })
    #expect(!isRead { $0[body] = 6 }, "the header has another number")
    #expect(!isRead { $0[body + 24] = 2 }, "two spans, but the bytes of one")
    #expect(!isRead { $0[body + 24] = 255 }, "too many spans")
    #expect(!isRead { $0[body + 26] = 2 }, "a span ends after the trace")
    #expect(!isRead { $0[body + 41] = 255 }, "a sum that overflows")
    #expect(!isRead { $0[FileHeader.size] = 2 }, "two traces, but the bytes of one")
  }

  @Test func `the parts of a trace`() {
    var trace = LiveTrace(
      sequence: 1, time: Timestamp(nanoseconds: 0),
      spans: [
        LiveSpan(.paragraphs, start: 10, duration: 5), LiveSpan(.text, start: 15, duration: 1),
        LiveSpan(.paragraphs, start: 16, duration: 4),
      ])
    #expect(trace.duration(of: .paragraphs) == 9)
    #expect(trace.duration(of: .text) == 1)
    #expect(trace.duration(of: .flush) == nil)
    #expect(trace.duration == 20 && trace.waiting == 10)
    trace.add(LiveSpan(.acknowledge, start: 30, duration: 0))
    #expect(trace.duration == 30 && trace.waiting == 20)
    #expect(trace.duration(of: .acknowledge) == 0)
  }
}
