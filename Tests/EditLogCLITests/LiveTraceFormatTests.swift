import EditLog
import EditModel
import EditProtocol
import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import EditLogCommands

/// The forms in which `trace` prints what edits cost as they happened, with the daemon stopped.
@Suite struct LiveTraceFormatTests {
  private static let phases = LivePhase.allCases.map { "\($0)" }

  /// Three large deletions, of which two were measured, and a slow edit that is not one.
  private func store() throws -> RealStore {
    var script = HistoryScript()
    let line = String(repeating: "x", count: 39) + "\n"
    try script.replace(0..<0, String(repeating: line, count: 600), .load)
    try script.replace(40..<40 * 500, "", .removal)
    script.wait(seconds: 60)
    try script.replace(0..<40 * 60, "", .removal)
    try script.replace(0..<1_200, String(repeating: "y", count: 10), .paste)
    let store = try RealStore(script.entries)
    let times = script.entries.compactMap { entry -> Timestamp? in
      if case .edit(let edit) = entry { edit.time } else { nil }
    }
    try store.add([
      Self.slow(1, times[0]), Self.trace(2, times[1], step: 1_000_000),
      Self.trace(3, times[2], step: 3_000_000),
      // Of another history: the edit with this number has another time.
      Self.trace(4, times[0], step: 5_000_000),
    ])
    return store
  }

  /// Each phase takes the time of a step and then waits for a step, but nothing comes after the last.
  private static func trace(
    _ sequence: SequenceNumber, _ time: Timestamp, step: UInt64
  ) -> LiveTrace {
    LiveTrace(
      sequence: sequence, time: time,
      spans: LivePhase.allCases.enumerated().map { place, phase in
        LiveSpan(phase, start: UInt64(2 * place) * step, duration: step)
      })
  }

  private static func slow(_ sequence: SequenceNumber, _ time: Timestamp) -> LiveTrace {
    LiveTrace(
      sequence: sequence, time: time,
      spans: [
        LiveSpan(.journal, start: 1_000_000_000, duration: 1_000_000_000),
        LiveSpan(.flush, start: 2_000_000_000, duration: 3_000_000_000),
      ])
  }

  @Test(arguments: [nil, 80]) func `the table has both`(width: Int?) async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d"], width: width)
    let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { width == nil || $0.count <= 80 })
    #expect(lines[0].split(separator: " ").contains("LIVE"))
    #expect(lines[1].contains("19.0 ms") && lines[2].contains("57.0 ms"))
    #expect(lines[3].split(separator: " ").first == "4" && !lines[3].contains("95.0 ms"))
    func row(_ name: String, after title: String) -> [String] {
      let start = lines.firstIndex { $0.hasPrefix(title) } ?? 0
      let row = lines[start...].first { $0.hasPrefix(name) } ?? ""
      return row.dropFirst(name.count).split(separator: "  ").map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty }
    }
    #expect(row("live", after: "3 EDITS") == ["19.0 ms", "57.0 ms", "57.0 ms", "57.0 ms"])
    for phase in Self.phases {
      #expect(row(phase, after: "2 LIVE") == ["1.0 ms", "3.0 ms", "3.0 ms", "3.0 ms"], "\(phase)")
    }
    #expect(row("waiting", after: "2 LIVE") == ["9.0 ms", "27.0 ms", "27.0 ms", "27.0 ms"])
  }

  @Test func `each phase of both is there if it is asked for`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "-v"], width: 40)
    let lines = printed.split(separator: "\n")
    #expect(
      lines[0].split(separator: " ") == [
        "EDIT", "TIME", "ORIGIN", "UNITS", "PARAGRAPHS", "RECEIVE", "DECODE", "LOCATE", "TEXT",
        "ATTRIBUTES", "PARAGRAPHS", "JOURNAL", "FLUSH", "NOTIFY", "ACKNOWLEDGE", "WAITING", "TOTAL",
        "LINEAR", "RATIO",
      ])
    let live = lines.filter { $0.trimmingCharacters(in: .whitespaces).hasPrefix("live  ") }
    #expect(live.prefix(2).map { $0.components(separatedBy: "1.0 ms").count } == [11, 1])
    #expect(live.first?.split(separator: " ").suffix(4) == ["9.0", "ms", "19.0", "ms"], "\(live)")
  }

  @Test func `a line of JSON has both`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "--json"])
    let objects = try printed.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(objects.map { $0?["sequence"] as? Int } == [2, 3, 4])
    let live = try #require(objects[0]?["live"] as? [String: Any])
    #expect(live["total"] as? Int == 19_000_000 && live["waiting"] as? Int == 9_000_000)
    let phases = try #require(live["phases"] as? [String: Int])
    #expect(phases == Dictionary(uniqueKeysWithValues: Self.phases.map { ($0, 1_000_000) }))
    #expect(objects[2]?["live"] == nil && objects[0]?["phases"] != nil)
  }

  @Test func `an edit that was slow as it happened is listed`() async throws {
    let (printed, _, _) = try await store().run(
      TraceCommand.self, ["d", "--slower-than", "4s", "--format", "json"])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [String: Any])
    #expect(object["sequence"] as? Int == 1)
    let phases = try #require((object["live"] as? [String: Any])?["phases"] as? [String: Int])
    #expect(phases == ["journal": 1_000_000_000, "flush": 3_000_000_000])
  }

  /// The rules of the trace event format: complete events of one thread nest, and do not overlap.
  @Test func `a Chrome trace has a thread of each`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "--format", "chrome"])
    let events = try #require(
      try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [[String: Any]])
    let threads = events.filter { $0["name"] as? String == "thread_name" }
    #expect(threads.map { $0["tid"] as? Int } == [1, 2, 3])
    #expect(
      threads.map { ($0["args"] as? [String: Any])?["name"] as? String } == [
        "deletions, replayed", "linear algorithm", "live in the daemon",
      ])
    for thread in 1...3 {
      var open: [Double] = []
      var (last, count) = (0.0, 0)
      for event in events where event["ph"] as? String == "X" && event["tid"] as? Int == thread {
        let start = try #require(event["ts"] as? Double)
        let end = start + (try #require(event["dur"] as? Double))
        #expect(start >= last - 0.001)
        last = start
        while let whole = open.last, whole <= start + 0.0005 { open.removeLast() }
        #expect(open.allSatisfy { end <= $0 + 0.001 })
        open.append(end)
        count += 1
      }
      #expect(count > 0)
    }
    let live = events.filter { $0["tid"] as? Int == 3 && $0["ph"] as? String == "X" }
    #expect(
      live.compactMap { $0["name"] as? String }
        == ["deletion 2"] + Self.phases + ["deletion 3"] + Self.phases)
  }

  @Test func `a speedscope file has a profile of each`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "--format", "speedscope"])
    let file = try #require(
      try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [String: Any])
    let frames = try #require((file["shared"] as? [String: Any])?["frames"] as? [[String: Any]])
    let profiles = try #require(file["profiles"] as? [[String: Any]])
    #expect(
      profiles.map { $0["name"] as? String } == ["here", "list algorithm", "live in the daemon"])
    for profile in profiles {
      var (open, last): ([Int], Int) = ([], 0)
      for event in try #require(profile["events"] as? [[String: Any]]) {
        let frame = try #require(event["frame"] as? Int)
        let time = try #require(event["at"] as? Int)
        #expect(frames.indices.contains(frame) && time >= last)
        last = time
        if event["type"] as? String == "O" {
          open.append(frame)
        } else {
          #expect(open.popLast() == frame)
        }
      }
      #expect(open.isEmpty && profile["endValue"] as? Int == last)
    }
    #expect(profiles[2]["endValue"] as? Int == 76_000_000)
  }

  @Test func `the plot has marks of both`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "--format", "svg"])
    #expect(XMLParser(data: Data(printed.utf8)).parse())
    #expect(printed.contains(">here</text>"))
    #expect(printed.contains(">live, from request to reply</text>"))
  }
}

extension RealStore {
  /// Stores what edits of the document `d` cost as they happened.
  fileprivate func add(_ traces: [LiveTrace]) throws {
    let writer = try StoreWriter(at: path)
    let document = try #require(DocumentID("d"))
    try writer.seal(document)
    let job = try #require(
      try writer.prepareCheckpoints(document) { sink throws(LogError) in try sink.add(traces) })
    job.run()
    try writer.finish(job)
    try writer.close()
  }
}
