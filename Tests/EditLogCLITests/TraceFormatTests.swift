import ArgumentParser
import EditModel
import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import EditLogCommands

/// The forms in which `trace` prints what edits cost.
@Suite struct TraceFormatTests {
  private func store() throws -> RealStore {
    var script = HistoryScript()
    let line = String(repeating: "x", count: 39) + "\n"
    try script.replace(0..<0, String(repeating: line, count: 600), .load)
    try script.replace(40..<40 * 500, "", .removal)
    try script.replace(0..<40 * 60, "", .removal)
    try script.replace(0..<1_200, String(repeating: "y", count: 10), .paste)
    return try RealStore(script.entries)
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Every frame that is opened is closed, the innermost first, at times that never go back, as the
  /// schema of speedscope demands.
  @Test func `a speedscope file has balanced events`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "--format", "speedscope"])
    let file = try object(printed)
    #expect(file["$schema"] as? String == "https://www.speedscope.app/file-format-schema.json")
    let frames = try #require((file["shared"] as? [String: Any])?["frames"] as? [[String: Any]])
    let names = frames.compactMap { $0["name"] as? String }
    #expect(names.count == frames.count && names.contains("locate"))
    #expect(names.contains { $0.hasPrefix("edit 2: 19,960 units, 499 paragraphs") })
    let profiles = try #require(file["profiles"] as? [[String: Any]])
    #expect(profiles.map { $0["name"] as? String } == ["here", "list algorithm"])
    for profile in profiles {
      #expect(profile["type"] as? String == "evented")
      #expect(profile["unit"] as? String == "nanoseconds")
      let end = try #require(profile["endValue"] as? Int)
      var (open, last): ([Int], Int) = ([], profile["startValue"] as? Int ?? -1)
      for event in try #require(profile["events"] as? [[String: Any]]) {
        let frame = try #require(event["frame"] as? Int)
        let time = try #require(event["at"] as? Int)
        #expect(frames.indices.contains(frame) && time >= last && time <= end)
        last = time
        if event["type"] as? String == "O" {
          open.append(frame)
        } else {
          #expect(open.popLast() == frame)
        }
      }
      #expect(open.isEmpty && last == end)
    }
  }

  /// The rules of the trace event format that viewers depend on.
  @Test func `a Chrome trace keeps the rules of its format`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d", "--format", "chrome"])
    let parsed = try JSONSerialization.jsonObject(with: Data(printed.utf8))
    let events = try #require(parsed as? [[String: Any]])
    #expect(!events.isEmpty)
    for event in events {
      #expect(event["name"] is String && event["pid"] is Int && event["tid"] is Int)
      let phase = try #require(event["ph"] as? String)
      #expect(["M", "X"].contains(phase))
      guard phase == "X" else { continue }
      #expect(try #require(event["ts"] as? Double) >= 0)
      #expect(try #require(event["dur"] as? Double) >= 0)
    }
  }

  @Test func `the plot is well-formed SVG with both algorithms`() async throws {
    let store = try RealStore(
      try {
        var script = HistoryScript()
        try script.replace(0..<0, String(repeating: "line\n", count: 500), .load)
        try script.replace(5..<2_000, "", .removal)
        return script.entries
      }(), document: "a <b> & \"c\"")
    let (printed, _, _) = try await store.run(
      TraceCommand.self, ["a <b> & \"c\"", "--format", "svg"])
    let delegate = Elements()
    let parser = XMLParser(data: Data(printed.utf8))
    parser.delegate = delegate
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(delegate.names.first == "svg")
    #expect(delegate.names.count { $0 == "circle" } >= 16)
    #expect(delegate.names.count { $0 == "polyline" } == 2)
    #expect(delegate.text.contains("list, all but two"))
    #expect(delegate.text.contains("extrapolated"))
  }

  private final class Elements: NSObject, XMLParserDelegate {
    var (names, text): ([String], String) = ([], "")

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) { names.append(name) }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  @Test func `an axis covers whole decades`() {
    let axis = LogAxis([3, 4_000])
    #expect(axis.decades == [1, 10, 100, 1_000, 10_000])
    #expect(axis.place(1) == 0 && axis.place(10_000) == 1)
  }

  @Test func `the table has percentiles, sizes and the yardstick`() async throws {
    let (printed, _, _) = try await store().run(TraceCommand.self, ["d"])
    #expect(printed.contains("3 EDITS") && printed.contains("REMOVED"))
    #expect(printed.contains("100 to 999") && printed.contains("10 to 99"))
    let sentence = printed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(sentence.contains("Deleting all but two of 128,000 paragraphs takes"))
    #expect(sentence.contains("(extrapolated from 16,000 paragraphs)"))
  }

  @Test func `slow edits of any kind are listed`() async throws {
    let store = try store()
    let (all, _, _) = try await store.run(
      TraceCommand.self, ["d", "--slower-than", "0s", "--format", "json"])
    #expect(all.split(separator: "\n").count == 4)
    let (none, noted, _) = try await store.run(TraceCommand.self, ["d", "--slower-than", "1000s"])
    #expect(none.isEmpty && noted.contains("No edit takes this time."))
  }

  @Test(
    arguments: [
      ("1ms", 1_000_000), ("250us", 250_000), ("1.5µs", 1_500), ("2s", 2_000_000_000), ("7ns", 7),
    ] as [(String, Int64)])
  func durations(text: String, nanoseconds: Int64) {
    #expect((try? ShortDuration(argument: text))?.nanoseconds == nanoseconds)
  }

  @Test(arguments: ["1", "ms", "-1ms", "1 m", "1e300s", "nans", "infs", ""])
  func `what is no duration`(text: String) {
    #expect((try? ShortDuration(argument: text)) == nil)
  }
}
