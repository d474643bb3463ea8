import EditModel
import Foundation
import Testing
import TextState

@testable import Projections

@Suite struct TraceExportTests {
  private func traces(author: String?) throws -> [DeletionTrace] {
    var settings = DeletionTraceSettings()
    (settings.unitsMin, settings.linearWorkMax) = (4, 60)
    var runner = ProjectionRunner([
      DeletionTraces(settings: settings, clock: countingClock(step: 1_001))
    ])
    let text = UTF16Text(String(repeating: "line\n", count: 20))
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, text), author: author))
    for (index, length) in [5, 20, 10].enumerated() {
      try runner.apply(
        Edit(
          sequence: SequenceNumber(index) + 2, action: replace(5, length, ""), origin: .removal,
          author: author))
    }
    return runner[DeletionTraces.self]?.traces ?? []
  }

  @Test func chromeTraceIsJSONWithNestedCompleteEvents() throws {
    let author = "ann \"\\\n\u{1} é🙂"
    let process = "file:///tmp/a\tb"
    let json = ChromeTrace.json(try traces(author: author), process: process)
    let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let events = try #require(parsed as? [[String: Any]])

    let names = events.filter { $0["ph"] as? String == "M" }
    #expect((names.first?["args"] as? [String: Any])?["name"] as? String == process)
    let complete = events.filter { $0["ph"] as? String == "X" }
    #expect(names.count + complete.count == events.count)
    let wholes = complete.filter { ($0["name"] as? String ?? "").hasPrefix("deletion") }
    // Of the three, one is too much work for the linear algorithm.
    #expect(
      wholes.map { $0["name"] as? String }
        == ["deletion 2", "deletion 2", "deletion 3", "deletion 4", "deletion 4"])
    #expect(wholes.map { $0["tid"] as? Int } == [1, 2, 1, 1, 2])
    let arguments = try #require(wholes[0]["args"] as? [String: Any])
    #expect(arguments["author"] as? String == author)
    #expect(arguments["unitsDeleted"] as? Int == 5)
    #expect(arguments["paragraphsBefore"] as? Int == 21)
    try checkNesting(of: complete)
    #expect(json.contains("\"ts\":0.000"))
  }

  /// Each phase lies inside the deletion named before it, on the same track.
  private func checkNesting(of events: [[String: Any]]) throws {
    var whole = (start: 0.0, end: 0.0, track: 0)
    for event in events {
      let start = try #require(event["ts"] as? Double)
      let end = start + (try #require(event["dur"] as? Double))
      let track = try #require(event["tid"] as? Int)
      if (event["name"] as? String ?? "").hasPrefix("deletion") {
        whole = (start, end, track)
      } else {
        #expect(start >= whole.start - 0.0001 && end <= whole.end + 0.0001)
        #expect(track == whole.track)
      }
    }
  }

  @Test func noTracesIsAnArrayToo() throws {
    let json = ChromeTrace.json([], process: "p")
    #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [Any])
    let table = TraceTable([])
    #expect(table.rows.isEmpty && table.percentiles.isEmpty)
  }

  @Test func tableHasARowADeletionAndPercentiles() throws {
    let table = TraceTable(try traces(author: nil))
    #expect(
      table.columns.map(\.title) == [
        "units", "paragraphs", "of units", "of paragraphs", "locate", "text", "attributes",
        "paragraphs", "notify", "total", "linear",
      ])
    #expect(table.rows.map(\.label) == ["2", "3", "4"])
    #expect(table.rows.map { $0.cells[0] } == [5, 20, 10])
    #expect(table.rows.map { $0.cells[10] == nil } == [false, true, false])
    #expect(table.rows.allSatisfy { $0.cells.count == table.columns.count })
    #expect(table.percentiles.map(\.label) == ["p50", "p90", "p99", "max"])
    #expect(table.percentiles.map { $0.cells[0] } == [10, 20, 20, 20])
  }

  @Test(arguments: [(1, 1), (50, 50), (90, 90), (99, 99), (100, 100)])
  func percentileIsTheNearestRank(percent: Int, expected: UInt64) {
    #expect(TraceTable.percentile(percent, of: Array(1...100)) == expected)
    #expect(TraceTable.percentile(percent, of: [7]) == 7)
    #expect(TraceTable.percentile(percent, of: []) == nil)
  }
}
