import EditJSON
import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing

/// `editlog/log`: pages hold every entry once, whichever way they are turned.
@Suite struct LogQueryTests {
  private func entries(_ answer: JSONObject) throws -> [HistoryEntry] {
    try answer.array("entries") { (json) throws(ShapeError) in try HistoryEntry(json: json) }
  }

  private func place(_ entry: HistoryEntry) -> SequenceNumber {
    switch entry {
    case .edit(let edit): edit.sequence
    case .event(let event): event.after
    }
  }

  /// All pages from the params on.
  private func pages(_ bench: QueryBench, _ params: JSONObject) async throws -> [[HistoryEntry]] {
    var (params, pages): (JSONObject, [[HistoryEntry]]) = (params, [])
    let isNewestFirst = params["newestFirst"] == true
    while pages.count < 1_000 {
      let answer = try await bench.ask("log", params)
      pages.append(try entries(answer))
      guard let next = answer["next"] else { break }
      params[isNewestFirst ? "through" : "after"] = next
    }
    return pages
  }

  @Test(arguments: UInt64(0)..<3)
  func pagesCoverTheHistoryOnce(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let all = bench.mixed.entries
    let last = bench.states.count - 1
    for limit in [1, 2, 3, 7, 30, last - 1, last, last + 1, 10_000] {
      let forwards = try await pages(bench, ["limit": JSON(limit)])
      #expect(forwards.flatMap(\.self) == all, "limit \(limit)")
      let backwards = try await pages(bench, ["limit": JSON(limit), "newestFirst": true])
      #expect(backwards.flatMap(\.self) == all.reversed(), "limit \(limit), newest first")
      for page in forwards + backwards {
        let edits = page.filter { if case .edit = $0 { true } else { false } }
        #expect(edits.count <= limit && !page.isEmpty)
      }
    }
  }

  @Test(arguments: UInt64(0)..<3)
  func partsOfTheHistory(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed, editCount: 30)
    for (after, through) in [
      (0, 0), (0, 9), (9, 9), (9, 10), (9, 21), (20, 30), (20, 99), (30, 30),
    ] {
      let expected = bench.mixed.entries.filter { entry in
        let place = place(entry)
        return place <= through && (place > after || (after == 0 && place == 0))
      }
      for limit in [1, 4, 1_000] {
        var params: JSONObject = [
          "after": JSON(after), "through": JSON(through), "limit": JSON(limit),
        ]
        #expect(try await pages(bench, params).flatMap(\.self) == expected, "\(after)-\(through)")
        params["newestFirst"] = true
        #expect(
          try await pages(bench, params).flatMap(\.self) == expected.reversed(),
          "\(after)-\(through)")
      }
    }
    let answer = try await bench.ask("log", ["after": 9, "through": 8])
    #expect(answer == ["entries": []])
  }

  @Test func wrongParamsNameTheMember() async throws {
    let bench = try QueryBench(seed: 1, editCount: 5)
    let cases: [(String, String, JSON)] = [
      ("log", "after", -1), ("log", "after", "x"), ("log", "through", 1.5), ("log", "limit", 0),
      ("log", "limit", 10_001), ("log", "newestFirst", 1), ("diff", "context", -1),
      ("diff", "context", "3"), ("undo", "list", "yes"), ("trace", "minLength", 0),
      ("trace", "minLength", []),
    ]
    for (method, member, value) in cases {
      let error = await bench.refusal(
        method, ["document": JSON(QueryBench.name), member: value])
      #expect(error?.code == .invalidParams, "\(method) \(member)")
      #expect(error?.message.contains("params.\(member)") == true, "\(error?.message ?? "")")
    }
    for method in ["state", "paragraphs", "log", "diff", "undo", "trace"] {
      for params in [.null, [], [:], ["document": 7], ["document": ""]] as [JSON] {
        let error = await bench.refusal(method, params)
        #expect(error?.code == .invalidParams, "\(method) \(params)")
        #expect(error?.message.contains("params") == true)
      }
      // Without a flag, `undo` is a change and not a question.
      let error = await bench.refusal(
        method, ["document": "no such", "dryRun": .bool(method == "undo")])
      #expect(error?.code == .unknownDocument, "\(method)")
    }
    #expect(await bench.refusal("none", [:])?.code == .methodNotFound)
  }
}
