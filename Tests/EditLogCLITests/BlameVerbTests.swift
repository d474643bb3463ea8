import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Projections
import Testing
import TextState

@testable import EditLogCommands

/// What `blame` prints of real stores.
@Suite struct BlameVerbTests {
  private func store() throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "alpha\nbeta\n\tgamma\n", .load, author: "ann")
    script.wait(seconds: 60)
    try script.type(" one two", at: 5, author: "bob")
    script.wait(seconds: 60)
    try script.replace(6..<9, "1", .removal, author: "ann")
    script.wait(seconds: 90_000)
    try script.type("!", at: 7, author: "bob")
    return try RealStore(script.entries)
  }

  @Test func `rows have the writers of a line`() async throws {
    let (printed, _, code) = try await store().run(BlameCommand.self, ["d"])
    #expect(code == 0)
    #expect(
      printed == """
            1  ann  2026-07-01 12:00:00     load     1  alpha
            2  bob  2026-07-01 12:01:00     typing       
           10  ann  2026-07-01 12:02:00     removal     1
        6..11  bob  2026-07-01..2026-07-02  typing      ! two
            1  ann  2026-07-01 12:00:00     load     2  beta
            1  ann  2026-07-01 12:00:00     load     3          gamma

        """)
  }

  @Test func `a narrow terminal leaves columns out and wraps the text`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(
      0..<0, "Once upon a time there was a king who had three sons.\n", author: "ann")
    let store = try RealStore(script.entries)
    func printed(_ width: Int, _ options: [String] = []) async throws -> String {
      try await store.run(BlameCommand.self, ["d"] + options, width: width).printed
    }
    #expect(
      try await printed(60) == """
        1  ann  2026-07-01 12:00:00  typing  1  Once upon a time 
                                                there was a king 
                                                who had three sons.

        """)
    #expect(
      try await printed(40) == """
        1  ann  typing  1  Once upon a time 
                           there was a king who 
                           had three sons.

        """)
    #expect(
      try await printed(20) == """
        ann  1  Once upon a 
                time there 
                was a king 
                who had 
                three sons.

        """)
  }

  /// Without authors the edit stays, and with --reverse the place in the later version.
  @Test func `a narrow terminal keeps what the table is for`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "Once upon a time there was a king who had three sons.\n")
    let plain = try RealStore(script.entries)
    let (edits, _, _) = try await plain.run(BlameCommand.self, ["d"], width: 20)
    #expect(edits.hasPrefix("1  1  Once"), "\(edits)")
    try script.replace(0..<4, "", .removal, author: "ann")
    let store = try RealStore(script.entries)
    let (places, _, _) = try await store.run(
      BlameCommand.self, ["d", "--reverse", "--at", "1"], width: 24)
    #expect(places.contains("\nnow 0"), "\(places)")
  }

  @Test func `authors have colours`() async throws {
    let (printed, _, _) = try await store().run(
      BlameCommand.self, ["d", "--lines", "1,1"], coloured: true)
    #expect(printed.contains("\u{1B}[34mann\u{1B}[0m"))
    #expect(printed.contains("\u{1B}[32mbob\u{1B}[0m"))
  }

  @Test func `JSON has a line for each piece`() async throws {
    let (printed, _, _) = try await store().run(
      BlameCommand.self, ["d", "--lines", "1,1", "--json"])
    let lines = printed.split(separator: "\n")
    #expect(lines.count == 9)
    #expect(
      lines.first == """
        {"v":1,"location":0,"length":5,"text":"alpha","sequence":1,\
        "time":"2026-07-01T10:00:00Z","author":"ann","origin":"load"}
        """)
    #expect(
      lines.last == """
        {"v":1,"location":12,"length":1,"text":"\\n","sequence":1,\
        "time":"2026-07-01T10:00:00Z","author":"ann","origin":"load"}
        """)
  }

  @Test func `porcelain has an entry for each part of a line`() async throws {
    let (printed, _, _) = try await store().run(
      BlameCommand.self, ["d", "--porcelain", "--at", "1"])
    #expect(
      printed == """
        1 1 0 6
        author ann
        time 2026-07-01T10:00:00Z
        origin load
        \talpha
        1 2 6 5
        \tbeta
        1 3 11 7
        \t\tgamma

        """)
  }

  @Test func `reverse shows what became of a version`() async throws {
    let store = try store()
    let (printed, _, _) = try await store.run(
      BlameCommand.self, ["d", "--reverse", "--at", "9", "--lines", "1,2"])
    #expect(
      printed == """
         now 0                                     1  alpha 
            10  ann  2026-07-01 12:02:00  removal     one
         now 8                                         two
        now 13                                     2  beta

        """)
    let (json, _, _) = try await store.run(
      BlameCommand.self, ["d", "--reverse", "--at", "9", "--lines", "1,1", "--json"])
    #expect(
      json == """
        {"v":1,"location":0,"length":6,"text":"alpha ","now":0}
        {"v":1,"location":6,"length":3,"text":"one","vanished":{"sequence":10,\
        "time":"2026-07-01T10:02:00.800Z","author":"ann","origin":"removal"}}
        {"v":1,"location":9,"length":5,"text":" two\\n","now":8}

        """)
    let (entries, _, _) = try await store.run(
      BlameCommand.self, ["d", "--reverse", "--at", "9", "--lines", "1,1", "--porcelain"])
    #expect(
      entries == """
        now 0 1 0 6
        \talpha 
        vanished 10 1 6 3
        author ann
        time 2026-07-01T10:02:00.800Z
        origin removal
        \tone
        now 8 1 9 5
        \t two

        """)
  }

  /// Text that an undo brings back, and text that is cut and pasted, keep their first writer.
  @Test func `moves and undos keep the first writer`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    let text = "a line of more than twenty units\n"
    try script.replace(0..<0, text + "two\n", author: "ann")
    script.wait(seconds: 10)
    try script.replace(0..<text.utf16.count, "", .removal, author: "bob")
    script.wait(seconds: 10)
    try script.replace(4..<4, text, .paste, author: "bob")
    script.wait(seconds: 10)
    try script.replace(0..<3, "", .removal, author: "cyd")
    script.wait(seconds: 10)
    try script.replace(0..<0, "two", .undo, author: "cyd")
    let store = try RealStore(script.entries)
    func writers(_ options: [String]) async throws -> [UInt64] {
      let (printed, _, _) = try await store.run(BlameCommand.self, ["d", "--json"] + options)
      return try printed.split(separator: "\n").map { line in
        try ShownBlamePiece.codec.decode(JSON.parse(String(line))).stamp.sequence
      }
    }
    #expect(try await writers([]) == [1])
    #expect(try await writers(["--last"]) == [5, 1, 3])
    #expect(try await writers(["--no-moves"]) == [5, 1, 3])
  }

  @Test func `clients are shown if there are several`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "x", author: "ann")
    var entries = script.entries
    for (index, client) in ["Neovim", "Emacs"].enumerated() {
      let session = try #require(SessionID(client))
      let sequence = SequenceNumber(index + 2)
      entries += [
        .event(
          HistoryEvent(
            kind: .session(try #require(SessionDescription(client: client))),
            after: sequence - 1, time: time("2026-07-01T10:00:00Z"), session: session)),
        .edit(
          Edit(
            sequence: sequence,
            action: EditAction(replacing: UTF16Range(0..<0), with: "y"), author: "ann",
            session: session, time: time("2026-07-01T10:00:00Z"))),
      ]
    }
    let (printed, _, _) = try await RealStore(entries).run(BlameCommand.self, ["d"])
    #expect(
      printed == """
        3  ann  2026-07-01 12:00:00  typing  Emacs   1  y
        2  ann  2026-07-01 12:00:00  typing  Neovim     y
        1  ann  2026-07-01 12:00:00  typing             x

        """)
  }

  @Test func `CR LF and empty lines are shown as lines`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "a\r\n\r\n\nb\u{1B}[1m", author: "ann")
    let (printed, _, _) = try await RealStore(script.entries).run(BlameCommand.self, ["d"])
    #expect(
      printed == """
        1  ann  2026-07-01 12:00:00  typing  1  a
        1  ann  2026-07-01 12:00:00  typing  2
        1  ann  2026-07-01 12:00:00  typing  3
        1  ann  2026-07-01 12:00:00  typing  4  b\\u{1B}[1m

        """)
  }

  @Test func `what cannot be shown is refused`() async throws {
    let store = try store()
    for arguments in [["d", "--lines", "1,5"], ["d", "--at", "99"], ["d", "--lines", "9,9"]] {
      let error = await #expect(throws: ProtocolError.self) {
        try await store.run(BlameCommand.self, arguments)
      }
      #expect(error?.code == .unknownPoint, "\(arguments)")
    }
    let unknown = await #expect(throws: ProtocolError.self) {
      try await store.run(BlameCommand.self, ["none"])
    }
    #expect(unknown?.code == .unknownDocument)
    for lines in ["3", "0,1", "2,1", "x"] {
      let error = await #expect(throws: CommandError.self) {
        try await store.run(BlameCommand.self, ["d", "--lines", lines])
      }
      #expect(error?.exitCode == 64, "\(lines)")
    }
    for options in [
      ["--reverse"], ["--reverse", "--at", "1", "--last"], ["--json", "--porcelain"],
      ["--format", "svg", "--json"], ["--format", "svg", "--porcelain"], ["--format", "pdf"],
      ["--format", "svg", "--reverse", "--at", "1"],
    ] {
      #expect(throws: (any Error).self) { try BlameCommand.parse(["d"] + options) }
    }
  }

  /// The writers of a real history equal those of an array that all edits are made in.
  @Test(arguments: TraceProjectionTests.traces)
  func `writers of a trace are those of an array`(path: String) async throws {
    let edits = try TraceProjectionTests.edits(of: path)
    var runner = ProjectionRunner([UndoHistory()])
    var writers: [UInt32] = []
    let step = max(1, edits.count / 8)
    for edit in edits {
      try runner.apply(edit)
      if let text = edit.action.replacement {
        writers.replaceSubrange(
          edit.action.range.bounds,
          with: repeatElement(UInt32(edit.sequence), count: text.count))
      }
      guard Int(edit.sequence) % step == 0 || edit.sequence == edits.last?.sequence else {
        continue
      }
      let provenance = try #require(runner[UndoHistory.self]).tree.provenance
      let pieces = provenance.blame(UTF16Range(0..<provenance.length), by: .lastWriter)
      let found = pieces.flatMap { repeatElement(UInt32($0.sequence), count: $0.range.length) }
      #expect(found == writers, "\(path) at \(edit.sequence)")
    }
    guard edits.count <= 30_000 else { return }
    let (printed, _, _) = try await RealStore(edits.map { .edit($0) })
      .run(BlameCommand.self, ["d", "--json", "--no-moves"])
    let pieces = try printed.split(separator: "\n").map { line in
      try ShownBlamePiece.codec.decode(JSON.parse(String(line)))
    }
    #expect(
      pieces.flatMap { repeatElement(UInt32($0.stamp.sequence), count: $0.range.length) }
        == writers)
    #expect(pieces.flatMap(\.text.units) == runner.state.text.units)
  }
}
