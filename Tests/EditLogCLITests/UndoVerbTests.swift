import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Undo of selections, other branches, other rules for steps; restore.
@Suite struct UndoVerbTests {
  /// An agent writes inside what a human wrote, who goes on inside that.
  private func shared() throws -> RealStore {
    try RealStore.scripted { script in
      try script.replace(0..<0, "Hello world", .paste, author: "ann")
      try script.replace(5..<5, " big and long", .program, author: "bot")
      try script.replace(9..<9, " and RED", .typing, author: "ann")
      try script.replace(20..<23, "", .program, author: "bot")
    }
  }

  @Test func `an agent's edits are taken back, and what stays is listed`() async throws {
    let store = try shared()
    let (plan, note, _) = try await store.run(
      UndoCommand.self, ["d", "--agent", "bot", "--dry-run"])
    #expect(plan.contains("-Hello big and RED anong world\n"))
    #expect(plan.contains("+Hello and RED world\n"))
    #expect(note.contains("To take back 2 edits (2, 4) would change:"))
    #expect(note.contains("stays at 9:"))
    #expect(try await store.text() == "Hello big and RED anong world")
    let (done, _, _) = try await store.run(
      UndoCommand.self, SelectionOptions.completed(["d", "--agent"]))
    #expect(done == "took back 2 edits as step 5; now at version 6\n")
    #expect(try await store.text() == "Hello and RED world")
    // It is a step, and can itself be undone.
    _ = try await store.run(UndoCommand.self, ["d"])
    #expect(try await store.text() == "Hello big and RED anong world")
    _ = try await store.run(RedoCommand.self, ["d"])
    #expect(try await store.text() == "Hello and RED world")
  }

  @Test func `what was selected is given back`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "Hello", .typing, author: "ann")
    try script.replace(1..<4, "E", .paste, author: "ann")
    var entries = script.entries
    for (index, selection) in [
      try EditSelection(after: [SelectedRange(5..<5)]),
      try EditSelection(
        before: [SelectedRange(1..<4), SelectedRange(0..<0)], after: [SelectedRange(2..<2)]),
    ].enumerated() {
      guard case .edit(var edit) = entries[index] else { continue }
      edit.selection = selection
      entries[index] = .edit(edit)
    }
    let store = try RealStore(entries, document: "d")
    let (log, _, _) = try await store.run(LogCommand.self, ["d", "--json"])
    #expect(
      log.contains(
        #""selection":{"before":[{"location":1,"length":3},{"location":0,"length":0}],"#))
    let (undone, _, _) = try await store.run(UndoCommand.self, ["d"])
    #expect(undone == "undid step 2; now at version 3\nselection: {1, 3}, caret at 0\n")
    let (inspected, _, _) = try await store.run(InspectCommand.self, ["d"])
    #expect(inspected.contains("{1, 3}, caret at 0"))
    let (redone, _, _) = try await store.run(RedoCommand.self, ["d", "--json"])
    #expect(redone.contains(#""selection":[{"location":2,"length":0}]"#))
    // The start has no selection, and so no line.
    let (start, _, _) = try await store.run(UndoCommand.self, ["d", "--to", "0"])
    #expect(start == "went to step 0; now at version 5\n" || !start.contains("selection"))
  }

  @Test func `a paragraph that comes back is linked to the removed one`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one\ntwo\nthree", .paste, author: "ann")
      try script.replace(4..<8, "", .removal, author: "ann")
    }
    _ = try await store.run(UndoCommand.self, ["d"])
    let (rows, _, _) = try await store.run(
      ParagraphsCommand.self, ["d", "--lineage", "--dead", "--json"])
    #expect(rows.contains(#""id":"3.0","location":4,"length":4,"#))
    #expect(rows.contains(#""revivalOf":"1.0""#))
    #expect(rows.contains(#""revivedAs":"3.0""#))
    let (table, _, _) = try await store.run(ParagraphsCommand.self, ["d", "--lineage", "--dead"])
    #expect(table.contains("REVIVAL") && table.contains("of 1.0") && table.contains("as 3.0"))
    let (facts, _, _) = try await store.run(InspectCommand.self, ["d", "--index", "1"])
    #expect(facts.contains("revival of") && facts.contains("1.0"))
  }

  /// `paragraphs --dead` lists it, so the error must not deny it.
  @Test func `a removed paragraph is restored, not undone`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one\ntwo\n", .load)
      try script.replace(0..<4, "")
    }
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(UndoCommand.self, ["d", "--paragraph", "0.0", "--dry-run"])
    }
    #expect(error?.message.contains("version 2 of d has no paragraph 0.0") == true)
    #expect(error?.message.contains("restore --paragraph") == true)
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", "0.0"])
    #expect(try await store.text() == "one\ntwo\n")
  }

  @Test(arguments: [
    (["--author", "ann"], " big anong"), (["--origin", "typing"], "Hello big anong world"),
    (["--step", "2"], "Hello and RED world"), (["--since", "3"], "Hello big and long world"),
    (["--author", "bot", "--until", "2"], "Hello and RED world"),
    (["--range", "9,8"], "Hello big anong world"), (["--since", "1"], ""),
  ])
  func `each condition selects`(options: [String], expected: String) async throws {
    let store = try shared()
    _ = try await store.run(UndoCommand.self, ["d"] + options)
    #expect(try await store.text() == expected)
  }

  @Test func `a condition that nothing meets changes nothing`() async throws {
    let store = try shared()
    for options in [["--agent", "claude"], ["--author", "ann", "--origin", "program"]] {
      await #expect(throws: ProtocolError.self) {
        try await store.run(UndoCommand.self, ["d"] + options)
      }
    }
    #expect(throws: (any Error).self) { try UndoCommand.parse(["d", "--origin", "magic"]) }
    #expect(throws: (any Error).self) { try UndoCommand.parse(["d", "--kinds", "typo"]) }
    #expect(throws: (any Error).self) { try UndoCommand.parse(["d", "--step", "0"]) }
    #expect(try await store.text() == "Hello big and RED anong world")
  }

  @Test func `undo goes to any step, on any branch`() async throws {
    let store = try RealStore.scripted { script in
      for text in ["a", "b", "c"] { try script.replace(0..<0, text, .paste) }
    }
    _ = try await store.run(UndoCommand.self, ["d", "--to", "1"])
    #expect(try await store.text() == "a")
    _ = try await store.run(UndoCommand.self, ["d", "--to", "3"])
    #expect(try await store.text() == "cba")
    _ = try await store.run(UndoCommand.self, ["d", "--to", "0"])
    #expect(try await store.text() == "")
    await #expect(throws: ProtocolError.self) {
      try await store.run(UndoCommand.self, ["d", "--to", "4"])
    }
  }

  @Test func `the rule for steps has parameters`() async throws {
    let store = try RealStore.scripted { script in
      try script.type("a", at: 0)
      script.wait(seconds: 2)
      try script.type("b", at: 1)
      try script.replace(1..<2, "", .removal)
      try script.replace(0..<1, "", .removal)
    }
    func steps(_ options: [String]) async throws -> Int {
      try await store.run(UndoCommand.self, ["d", "--list"] + options).printed
        .split(separator: "\n").count - 1
    }
    #expect(try await steps([]) == 2)
    #expect(try await steps(["--kinds", "typing"]) == 3)
    #expect(try await steps(["--kinds", "none"]) == 4)
    #expect(try await steps(["--pause", "1s"]) == 3)
  }

  @Test func `restore brings back a version, or a removed paragraph`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one\ntwo\nthree\n", .paste)
      try script.replace(4..<8, "", .removal)
      try script.replace(0..<0, "zero\n", .paste)
    }
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", "1.0"])
    #expect(try await store.text() == "zero\none\ntwo\nthree\n")
    // Who restores is no agent.
    #expect(try await store.run(AgentsCommand.self, ["d"]).printed == "")
    #expect(throws: (any Error).self) { try RestoreCommand.parse(["d", "--at", "1", "--to", "-"]) }
    let (printed, _, _) = try await store.run(RestoreCommand.self, ["d", "--at", "2"])
    #expect(printed == "restored version 2; now at version 6\n")
    #expect(try await store.text() == "one\nthree\n")
    // A restore is a step.
    _ = try await store.run(UndoCommand.self, ["d"])
    #expect(try await store.text() == "zero\none\ntwo\nthree\n")
    let (_, note, _) = try await store.run(RestoreCommand.self, ["d", "--at", "latest"])
    #expect(note.contains("nothing was changed"))
    await #expect(throws: ProtocolError.self) {
      try await store.run(RestoreCommand.self, ["d", "--at", "1", "--range", "0,99"])
    }
  }

  /// If the edits that changed a part changed nothing else, it comes back from its own units.
  @Test(arguments: [
    // A removed paragraph, with its own terminator and with the one before.
    ([(4..<8, "")], ["--paragraph", "1.0"], "one\ntwo\nthree", [1, 1, 1, 1, 1], "undo"),
    ([(3..<7, "")], ["--paragraph", "1.0"], "one\ntwo\nthree", [1, 1, 1, 1, 1], "undo"),
    // The last one.
    ([(7..<13, "")], ["--paragraph", "1.1"], "one\ntwo\nthree", [1, 1, 1, 1, 1], "undo"),
    // A word of one that is there, removed or typed over; what was typed beside it stays.
    ([(5..<7, "")], ["--paragraph", "1.0"], "one\ntwo\nthree", [1, 1, 1, 1, 1], "undo"),
    (
      [(4..<7, "2"), (0..<0, "!")], ["--paragraph", "1.0"], "!one\ntwo\nthree", [3, 1, 1, 1], "undo"
    ),
    ([(4..<7, "2")], ["--range", "4,3"], "one\ntwo\nthree", [1, 1, 1], "undo"),
    // Two paragraphs went at once, and one comes back: its text is inserted.
    ([(0..<8, "")], ["--paragraph", "1.0"], "two\nthree", [3, 3, 3, 3], "paste"),
  ])
  func `what is restored keeps its writers`(
    edits: [(range: Range<Int>, text: String)], options: [String], expected: String,
    writers: [SequenceNumber], origin: String
  ) async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one\ntwo\nthree", .load)
      for edit in edits {
        script.wait(seconds: 60)
        try script.replace(edit.range, edit.text)
      }
    }
    let at = ["d", "--at", "1"]
    let before = try await store.text()
    let (plan, note, _) = try await store.run(RestoreCommand.self, at + options + ["--dry-run"])
    #expect(note.hasPrefix("To restore ") && plan.contains("+two"))
    let json = try await store.run(RestoreCommand.self, at + options + ["--dry-run", "--json"])
    #expect(json.printed.contains(#""origin":"\#(origin)""#))
    #expect(try await store.text() == before)
    _ = try await store.run(RestoreCommand.self, at + options)
    #expect(try await store.text() == expected)
    let blame = try await store.run(BlameCommand.self, ["d", "--json"]).printed
    var found: [SequenceNumber] = []
    for line in blame.split(separator: "\n") {
      let piece = try JSON.parse(String(line))
      let count = Int(try piece["length"]?.asInteger() ?? 0)
      found += Array(repeating: try piece["sequence"]?.asUnsigned() ?? 0, count: count)
    }
    #expect(Array(found.prefix(writers.count)) == writers)
    if origin == "undo" {
      let (_, again, _) = try await store.run(RestoreCommand.self, at + options)
      #expect(again.contains("already; nothing was changed"))
    }
    _ = try await store.run(UndoCommand.self, ["d"])
    #expect(try await store.text() == before)
  }

  @Test func `a restored paragraph is the revival of the removed one`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one\ntwo\nthree\n", .paste)
      try script.replace(4..<8, "", .removal)
      try script.replace(0..<0, "zero\n", .paste)
    }
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--paragraph", "1.0"])
    let rows = try await store.run(
      ParagraphsCommand.self, ["d", "--lineage", "--dead", "--json"]
    ).printed
    #expect(rows.contains(#""revivalOf":"1.0""#))
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(RestoreCommand.self, ["d", "--at", "2", "--paragraph", "1.0"])
    }
    #expect(error?.message.contains("version 1 has it") == true)
    #expect(error?.message.contains("restore --paragraph") == false)
  }

  /// An undo of several edits takes text away in several edits.
  @Test func `blame names the edit of an undo that took a piece away`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one two three", .load)
      try script.replace(0..<3, "1", .paste)
      try script.replace(6..<11, "3", .paste)
      try script.replace(0..<0, ">", .typing)
    }
    _ = try await store.run(UndoCommand.self, ["d", "--origin", "paste"])
    #expect(try await store.text() == ">one two three")
    let lines = try await store.run(
      BlameCommand.self, ["d", "--reverse", "--at", "4", "--json"]
    ).printed.split(separator: "\n").map { try JSON.parse(String($0)) }
    #expect(lines.map { $0["text"] } == [">", "1", " two ", "3"])
    #expect(
      lines.map { $0["vanished"]?["sequence"] ?? $0["sequence"] } == [nil, 6, nil, 5], "\(lines)")
  }

  @Test func `branches stand in columns of their own`() {
    /// The graph of steps from their parents.
    func graph(_ parents: [Int]) -> [String] {
      ShownUndoStep.graph(
        parents.enumerated().map { index, parent in
          ShownUndoStep(
            step: index + 1, parent: parent, first: 1, last: 1, editCount: 1, inserted: 1,
            deleted: 0, isCurrent: false, isUndone: false, origin: nil, author: nil, time: nil)
        })
    }
    #expect(graph([]) == [])
    #expect(graph([0, 1, 2]) == ["○", "○", "○"])
    #expect(graph([0, 1, 1]) == ["○", "│ ○", "○"])
    // The older branch goes on after the newer one began.
    #expect(graph([0, 1, 1, 2]) == ["○", "│ ○", "○ │", "  ○"])
    // Two branches at once, and a column that is used again.
    #expect(graph([0, 1, 1, 1, 2, 3, 4]) == ["○", "│ ○", "│ │ ○", "○ │ │", "│ ○ │", "│   ○", "○"])
    #expect(graph([0, 1, 1, 3, 3]) == ["○", "│ ○", "○", "│ ○", "○"])
    #expect(graph([0, 0]) == ["│ ○", "○"])
    let wide = graph([0] + Array(repeating: 1, count: 60) + (2...61).map { $0 })
    #expect(wide.allSatisfy { $0.count < 2 * ShownUndoStep.graphWidthMax })
  }

  @Test func `points beyond the end, or in the wrong order, are errors`() async throws {
    let store = try RealStore.scripted { script in
      for text in ["a", "b", "c"] { try script.replace(0..<0, text, .paste) }
    }
    for arguments in [["a", "d", "--since", "5"], ["a", "d", "--until", "9"]] {
      let error = await #expect(throws: ProtocolError.self) {
        try await store.run(GrepCommand.self, arguments)
      }
      #expect(error?.code == .unknownPoint)
    }
    let error = await #expect(throws: CommandError.self) {
      try await store.run(GrepCommand.self, ["a", "d", "--since", "3", "--until", "1"])
    }
    #expect(error?.exitCode == 64)
    await #expect(throws: ProtocolError.self) {
      try await store.run(UndoCommand.self, ["d", "--since", "2", "--until", "99"])
    }
    // A log of what is not there yet is empty.
    #expect(try await store.run(LogCommand.self, ["d", "--since", "4"]).printed == "")
  }

  /// What was typed over a range, by the step that removed it, is replaced; what was typed beside it stays.
  @Test(arguments: [
    ([(4..<7, "2")], "4,3", "one two three"), ([(4..<7, "2")], "3,5", "one two three"),
    ([(4..<7, "2"), (5..<5, "b")], "4,3", "one two three"),
    ([(0..<3, "ONE")], "0,3", "one two three"), ([(0..<13, "all")], "0,13", "one two three"),
    ([(4..<8, "")], "4,4", "one two three"),
    ([(0..<0, "x "), (6..<9, "2")], "4,3", "x one two three"),
    ([(8..<13, "3"), (4..<7, "2")], "4,3", "one two 3"),
  ])
  func `restore of a range replaces what was typed over it`(
    edits: [(range: Range<Int>, text: String)], range: String, expected: String
  ) async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one two three", .paste)
      for edit in edits {
        script.wait(seconds: 60)
        try script.replace(edit.range, edit.text)
      }
    }
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--range", range])
    #expect(try await store.text() == expected)
  }

  /// Any version comes back, whatever undos lie between, and goes again.
  @Test(arguments: UInt64(0)..<6)
  func `restore of any version is exact`(seed: UInt64) async throws {
    let store = try RealStore(MixedHistory(seed: seed, editCount: 60).entries, document: "d")
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      let latest = try await store.text()
      let version = Int.random(in: 0...60, using: &random)
      let old = try await store.run(ShowCommand.self, ["d", "--at", "\(version)"]).printed
      let (_, note, _) = try await store.run(RestoreCommand.self, ["d", "--at", "\(version)"])
      #expect(try await store.text() == old, "seed \(seed), version \(version)")
      guard note.isEmpty else { continue }
      _ = try await store.run(UndoCommand.self, ["d"])
      #expect(try await store.text() == latest, "seed \(seed), version \(version)")
    }
  }

  @Test func `restore writes a new file`() async throws {
    let store = try RealStore.scripted { script in
      try script.replace(0..<0, "one\ntwo\n", .paste)
      try script.replace(0..<8, "", .removal)
    }
    let folder = TemporaryFolder()
    let file = folder.path + "/old.txt"
    _ = try await store.run(RestoreCommand.self, ["d", "--at", "1", "--to", file])
    #expect(try String(decoding: DiskFile.bytes(file), as: UTF8.self) == "one\ntwo\n")
    let error = await #expect(throws: CommandError.self) {
      try await store.run(RestoreCommand.self, ["d", "--at", "1", "--to", file])
    }
    #expect(error?.exitCode == 73)
    let (json, _, _) = try await store.run(
      RestoreCommand.self, ["d", "--at", "1", "--to", file + "2", "--json"])
    #expect(json.contains(#""file":"\#(file)2""#))
    #expect(try await store.text() == "")
  }
}
