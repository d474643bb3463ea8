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

  @Test func `a history goes on with itself`() throws {
    let store = try BenchStore()
    let part = entries(100)
    let all = part + part.shifted(by: 100, delay: 1_000)
    try store.record(all, in: store.writer(), batchCount: 7, sealCount: 30)
    var found: [HistoryEntry] = []
    try store.history().forEachEntry { found.append($0) }
    #expect(found == all)
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
