import EditLog
import EditModel
import Testing

@testable import Benchmarks

@Suite struct LogTests {
  private func entries(_ count: Int) -> [HistoryEntry] {
    (0..<count).map { index in
      .edit(
        Edit(
          sequence: UInt64(index + 1),
          action: EditAction(replacing: UTF16Range(index..<index), with: "a"),
          session: SessionID("s"), counter: UInt64(index + 1),
          time: Timestamp(nanoseconds: Int64(index))))
    }
  }

  @Test func `a history is continued by a copy of itself`() throws {
    let store = try BenchStore()
    let part = entries(100)
    let all = part + part.shifted(by: 100, delay: 1_000)
    try store.record(all, in: store.writer(), batchCount: 7, sealCount: 30)
    var found: [HistoryEntry] = []
    try store.history().forEachEntry { found.append($0) }
    #expect(found == all)
  }

  @Test(arguments: [2, 11, 100_000]) func `a trace of fifty years is repeated`(rounds: Int) throws {
    var edits = EditBatch()
    for place in 0..<2 { edits.append(at: place, removing: 0, inserting: [0x61]) }
    let times = [0, 1_600_000_000_000_000_000].map { Timestamp(nanoseconds: $0) }
    let trace = Trace(
      name: "t", edits: edits, times: times, transactions: [1, 2], finalUnits: [0x61, 0x61])
    let delay = trace.delay(ofRounds: rounds)
    #expect(delay > 0)
    let last = trace.entries().shifted(by: UInt64(2 * rounds), delay: Int64(rounds) * delay)
    #expect(last.count == 2)
  }

  @Test func `bytes are those of the document, parity apart`() throws {
    let store = try BenchStore()
    let writer = try store.writer()
    try store.record(entries(5_000), in: writer, sealCount: 5_000)
    let (data, parity) = try store.sealedBytes()
    let summary = try #require(try writer.history(of: store.document)).summary()
    #expect(data > 200 && data < summary.sealedSize)
    #expect(data + parity == summary.sealedSize)
  }
}
