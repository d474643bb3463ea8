import DaemonTestSupport
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Projections
import TestSupport
import Testing
import TextState

/// Undo, traces, and what the store holds.
@Suite struct HistoryQueryTests {
  private func undoHistory(_ bench: QueryBench) throws -> UndoTree {
    var runner = ProjectionRunner([UndoHistory()])
    for entry in bench.mixed.entries { try runner.apply(entry) }
    return try #require(runner[UndoHistory.self]).tree
  }

  @Test(arguments: UInt64(0)..<6)
  func theListOfStepsIsTheTree(seed: UInt64) async throws {
    let bench = try QueryBench(seed: seed)
    let history = try undoHistory(bench)
    var path: [Int] = []
    var at: Int? = history.current
    while let number = at {
      path.append(number)
      at = history[number]?.parent
    }
    guard case .array(let rows)? = try await bench.ask("undo", ["list": true])["steps"] else {
      Issue.record("no steps")
      return
    }
    #expect(rows.count == history.steps.count)
    for (row, step) in zip(rows, history.steps) {
      #expect(row["step"] == JSON(step.number) && row["parent"] == JSON(step.parent ?? 0))
      #expect(row["first"] == JSON(step.sequences.lowerBound))
      #expect(row["last"] == JSON(step.sequences.upperBound))
      let edits = bench.mixed.edits.filter { step.sequences.contains($0.sequence) }
      #expect(row["edits"] == JSON(edits.count))
      let texts = edits.filter { $0.action.replacement != nil }
      #expect(row["inserted"] == JSON(texts.reduce(0) { $0 + $1.action.newLength }))
      #expect(row["deleted"] == JSON(texts.reduce(0) { $0 + $1.action.range.length }))
      // Those of its first edit that changes something.
      #expect(
        edits.contains { edit in
          row["origin"] == JSON(edit.origin.name) && row["time"] == JSON(edit.time.rfc3339)
            && row["author"] == edit.author.map { JSON($0) }
        })
      #expect(row["current"] == .bool(step.number == history.current))
      #expect(row["undone"] == .bool(!path.contains(step.number)))
    }
  }

  /// Numbers at the end of their range select nothing, or all, and stop no program.
  @Test func selectionsOfAnyNumbersAreRead() async throws {
    let bench = try QueryBench(seed: 1, editCount: 20)
    let greatest = JSON("18446744073709551615")
    for selection: JSONObject in [["after": greatest], ["after": 21, "through": 3]] {
      let error = await bench.refusal(
        "undo",
        [
          "document": JSON(QueryBench.name), "dryRun": true, "selection": .object(selection),
        ])
      #expect(error?.code == .unknownPoint)
    }
    let plan = try await bench.ask(
      "undo", ["dryRun": true, "selection": ["after": 0, "through": greatest]])
    #expect(plan["undone"] != nil)
  }

  /// The edits of an undo lead from the newest version back to before the step.
  @Test(arguments: UInt64(0)..<12)
  func undoTakesTheStepBack(seed: UInt64) async throws {
    for editCount in [5, 20, 41] {
      let bench = try QueryBench(seed: seed, editCount: editCount)
      let history = try undoHistory(bench)
      guard let step = history.undoable else {
        let error = await bench.refusal(
          "undo", ["document": JSON(QueryBench.name), "dryRun": true])
        #expect(error?.code == .unknownPoint)
        continue
      }
      let plan = try await bench.ask("undo", ["dryRun": true])
      #expect(plan["step"] == JSON(step.number) && plan["base"] == JSON(editCount))
      let edits = try plan.array("edits") { (json) throws(ShapeError) in try AppendEdit(json: json)
      }
      #expect(!edits.isEmpty && edits.allSatisfy { $0.origin == .undo })
      // The step is the last one, unless undo has led elsewhere; its inverse fits right after it.
      guard step.sequences.upperBound == editCount else { continue }
      var state = try #require(bench.states.last)
      for edit in edits { try state.apply(edit.action) }
      let before = bench.states[Int(step.sequences.lowerBound) - 1]
      #expect(state.text == before.text && state.attributeRuns == before.attributeRuns)
    }
  }

  @Test func tracesOfLargeDeletions() async throws {
    let bench = try QueryBench(seed: 5)
    for lengthMin in [1, 5, 20, 1_000_000] {
      let answer = try await bench.ask("trace", ["minLength": JSON(lengthMin)])
      let expected = bench.mixed.edits.filter {
        $0.action.replacement != nil && $0.action.range.length >= lengthMin
      }
      guard case .array(let rows)? = answer["traces"] else {
        Issue.record("no traces")
        return
      }
      #expect(rows.map { $0["sequence"] } == expected.map { JSON($0.sequence) })
      for (row, edit) in zip(rows, expected) {
        #expect(row["units"] == JSON(edit.action.range.length))
        #expect(row["unitsBefore"] == JSON(bench.states[Int(edit.sequence) - 1].length))
        #expect(
          row["paragraphsBefore"] == JSON(bench.states[Int(edit.sequence) - 1].paragraphCount))
        #expect(row["origin"] == JSON(edit.origin.name))
        #expect(row["time"] == JSON(edit.time.rfc3339))
        guard case .object(let phases)? = row["phases"] else { continue }
        #expect(phases.members.map(\.name) == TracePhase.allCases.map(\.rawValue))
      }
      if case .array? = answer["chrome"] {} else { Issue.record("no Chrome trace") }
    }
  }

  /// The parts together have the deletions of the whole answer, in memory of one part.
  @Test(arguments: [1, 2, 7, 1_000])
  func `traces in parts`(limit: Int) async throws {
    let bench = try QueryBench(seed: 5)
    let whole = try await bench.ask("trace", ["minLength": 5])
    func sequences(_ answer: JSONObject) throws -> [JSON?] {
      try answer.array("traces") { $0["sequence"] }
    }
    var (found, after): ([JSON?], JSON?) = ([], 0)
    while let start = after {
      let part = try await bench.ask(
        "trace", ["minLength": 5, "after": start, "limit": JSON(limit)])
      let rows = try sequences(part)
      #expect(rows.count == limit || part["next"] == nil && rows.count < limit)
      (found, after) = (found + rows, part["next"])
    }
    #expect(try found == sequences(whole) && whole["next"] == nil)
  }

  @Test func whatTheStoreHolds() async throws {
    let bench = try QueryBench(seed: 9)
    let documents = try await bench.engine.answer("editlog/documents", .null)
    guard case .array(let rows)? = documents["documents"] else {
      Issue.record("no documents")
      return
    }
    #expect(rows.count == 1 && rows[0]["document"] == JSON(QueryBench.name))
    #expect(rows[0]["sequence"] == JSON(bench.states.count - 1))
    let times = bench.mixed.entries.map { entry in
      if case .edit(let edit) = entry { return edit.time }
      guard case .event(let event) = entry else { return Timestamp(nanoseconds: 0) }
      return event.time
    }
    #expect(rows[0]["firstTime"] == times.first.map { JSON($0.rfc3339) })
    #expect(rows[0]["lastTime"] == times.last.map { JSON($0.rfc3339) })

    let status = try await bench.engine.answer("editlog/status", .null)
    #expect(status["documents"] == 1 && status["edits"] == JSON(bench.states.count - 1))
    #expect(status["path"] == JSON(bench.folder.path("store")))
    #expect(status["damage"] == [] && status["quarantined"] == 0 && status["daemon"] == nil)
  }
}
