import DaemonTestSupport
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import TestSupport
import Testing
import TextState

/// Versions, as text, as paragraphs and as differences.
@Suite struct StateQueryTests {
  @Test(arguments: UInt64(0)..<4)
  func everyVersionByItsNumber(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    for (sequence, state) in bench.states.enumerated() {
      let answer = try await bench.ask("state", ["at": JSON(sequence)])
      #expect(answer["document"] == JSON(QueryBench.name))
      #expect(answer["sequence"] == JSON(sequence))
      #expect(answer["length"] == JSON(state.length))
      #expect(answer["paragraphCount"] == JSON(state.paragraphCount))
      #expect(answer["text"] == JSON(state.text))
      #expect(answer["attributeRuns"] == .array(state.attributeRuns.map(\.json)))
      let time = sequence == 0 ? nil : bench.mixed.edits[sequence - 1].time
      #expect(answer["time"] == time.map { JSON($0.rfc3339) })
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func everyVersionsParagraphs(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    for (sequence, state) in bench.states.enumerated() {
      let answer = try await bench.ask("paragraphs", ["at": JSON("\(sequence)")])
      let units = state.text.units
      let rows = state.paragraphs.enumerated().map { index, paragraph -> JSON in
        [
          "index": JSON(index), "id": JSON("\(paragraph.id.sequence).\(paragraph.id.ordinal)"),
          "location": JSON(paragraph.range.location), "length": JSON(paragraph.range.length),
          "text": JSON(UTF16Text(units: Array(units[paragraph.range.bounds]))),
        ]
      }
      #expect(answer["sequence"] == JSON(sequence))
      #expect(answer["paragraphs"] == .array(rows))
    }
  }

  /// The parts of a state and of a list of paragraphs are the whole, and no part cuts a pair of
  /// surrogates.
  @Test(arguments: UInt64(0)..<4)
  func partsAreTheWhole(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let history = HistoryReference(try #require(DocumentID(QueryBench.name)))
    for sequence in stride(from: 0, to: bench.states.count, by: 7) {
      let (state, at) = (bench.states[sequence], PointExpression.sequence(UInt64(sequence)))
      for limit in [1, 2, 3, 7, 1_000] {
        var (units, runs, offset): ([UInt16], [AttributeRun], Int?) = ([], [], 0)
        while let next = offset {
          let part = try await bench.engine.answer(
            StateRequest(history, VersionPart(at: at, offset: next, limit: limit)))
          #expect(part.length == state.length && part.text.count <= max(limit, 2))
          if let next = part.next, limit > 1 {
            let (before, after) = (state.text.units[next - 1], state.text.units[next])
            #expect(!UTF16.isLeadSurrogate(before) || !UTF16.isTrailSurrogate(after))
          }
          units += part.text.units
          runs += part.attributeRuns
          offset = part.next
        }
        #expect(units == state.text.units, "limit \(limit)")
        #expect(runs.reduce(0) { $0 + $1.length } == state.length)
        var rows: [ShownParagraph] = []
        offset = 0
        while let next = offset {
          let part = try await bench.engine.answer(
            ParagraphsRequest(history, VersionPart(at: at, offset: next, limit: limit)))
          rows += part.paragraphs
          offset = part.next
        }
        #expect(rows.map(\.id) == state.paragraphs.map(\.id))
        #expect(rows.map(\.index) == Array(0..<state.paragraphCount))
      }
    }
  }

  /// Every way to name a point.
  @Test func points() async throws {
    let bench = try QueryBench(seed: 3)
    let last = JSON(bench.states.count - 1)
    let edits = bench.mixed.edits
    let middle = try #require(edits.dropFirst(20).first)
    let atMiddle = JSON(try #require(edits.last { $0.time <= middle.time }).sequence)
    let seconds = (QueryBench.now.nanoseconds - middle.time.nanoseconds) / 1_000_000_000
    let marks = bench.mixed.events.compactMap { event -> (String, SequenceNumber)? in
      if case .mark(let label, let at) = event.kind { (label, at) } else { nil }
    }
    let mark = try #require(marks.last)
    let points: [(JSON, JSON)] = [
      (.null, last), ("latest", last), (7, 7), ("7", 7), (0, 0),
      (JSON(middle.time.rfc3339), atMiddle), ("1970-01-01", 0), ("2200-01-01T00:00:00Z", last),
      (JSON("\(seconds)s ago"), atMiddle), ("1s ago", last), (JSON("mark:\(mark.0)"), JSON(mark.1)),
    ]
    for (point, expected) in points {
      #expect(try await bench.ask("state", ["at": point])["sequence"] == expected, "\(point)")
    }
    #expect(try await bench.ask("state")["sequence"] == last)
  }

  @Test func pointsThatAreNone() async throws {
    let bench = try QueryBench(seed: 3)
    let unknown: [JSON] = [JSON(bench.states.count), "mark:none", JSON(UInt64.max)]
    for at in unknown {
      let error = await bench.refusal("state", ["document": JSON(QueryBench.name), "at": at])
      #expect(error?.code == .unknownPoint, "\(at)")
    }
    for at in [-1, "yesteryear", "", 1.5, true, []] as [JSON] {
      for (method, member) in [
        ("state", "at"), ("paragraphs", "at"), ("diff", "from"), ("diff", "to"),
      ] {
        let params: JSON = ["document": JSON(QueryBench.name), member: at]
        let error = await bench.refusal(method, params)
        #expect(error?.code == .invalidParams, "\(method) \(member) \(at)")
        #expect(error?.message.contains("params.\(member)") == true, "\(error?.message ?? "")")
      }
    }
  }

  @Test func aDifferenceAsUnifiedDiff() async throws {
    var entries: [HistoryEntry] = []
    for (index, (range, text)) in [
      (0..<0, "one\ntwo\nthree\nfour\nfive\nsix\n"), (4..<7, "2"), (0..<0, "zero\n"),
    ].enumerated() {
      let action = EditAction(replacing: UTF16Range(range), with: UTF16Text(text))
      entries.append(.edit(Edit(sequence: UInt64(index + 1), action: action)))
    }
    let bench = try QueryBench(MixedHistory(entries))
    let name = QueryBench.name
    let answer = try await bench.ask("diff", ["from": 1, "context": 1])
    #expect(answer["from"] == 1 && answer["to"] == 3)
    #expect(
      answer["unified"]
        == JSON(
          """
          --- \(name)@1
          +++ \(name)@3
          @@ -1,3 +1,4 @@
          +zero
           one
          -two
          +2
           three

          """))
    #expect(try await bench.ask("diff", ["from": 2, "to": 2])["unified"] == "")
    let back = try await bench.ask("diff", ["from": 2, "to": 1, "context": 0])
    #expect(
      back["unified"] == JSON("--- \(name)@2\n+++ \(name)@1\n@@ -2 +2 @@\n-2\n+two\n"))
  }
}
