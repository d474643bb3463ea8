import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// What `grep` prints of real stores.
@Suite struct GrepTests {
  private func store() throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "one fish\ntwo fish\n", .load, author: "ann")
    script.wait(seconds: 60)
    try script.replace(4..<8, "", .removal, author: "bob")
    try script.type("dog", at: 4, author: "ann")
    let store = try RealStore(script.entries)
    try store.append(script.entries, to: "other")
    return store
  }

  @Test func `JSON has a line for each match`() async throws {
    let (printed, noted, code) = try await store().run(
      GrepCommand.self, ["-F", "fish", "d", "--json"])
    #expect(code == 0)
    #expect(noted == "2 matches in 1 document: 1 living, 1 deleted\n")
    #expect(
      printed == #"""
        {"v":1,"document":"d","text":"fish","paragraph":"0.0","appeared":{"sequence":1,"time":"2026-07-01T10:00:00Z","author":"ann","origin":"load"},"vanished":{"sequence":2,"time":"2026-07-01T10:01:00Z","author":"bob","origin":"removal"},"location":4,"context":"one fish","contextLocation":4,"last":{"location":4,"context":"one fish","contextLocation":4}}
        {"v":1,"document":"d","text":"fish","paragraph":"1.0","appeared":{"sequence":1,"time":"2026-07-01T10:00:00Z","author":"ann","origin":"load"},"vanished":null,"location":13,"livingLocation":12,"context":"two fish","contextLocation":4}

        """#)
  }

  @Test func `all documents are searched`() async throws {
    let (printed, noted, code) = try await store().run(GrepCommand.self, ["DOG$", "-i"])
    #expect(code == 0)
    #expect(noted == "2 matches in 2 documents: 2 living, 0 deleted\n")
    #expect(
      printed == """
        d
        + 5..           2026-07-01 12:01:00 ann                         one [dog]

        other
        + 5..           2026-07-01 12:01:00 ann                         one [dog]

        """)
  }

  @Test(
    "options choose matches",
    arguments: [
      (["fish"], 2), (["fish", "--deleted"], 1), (["fish", "--living"], 1), (["FISH"], 0),
      (["FISH", "-i"], 2), (["f.sh"], 2), (["f.sh", "-F"], 0), (["fish", "--since", "2"], 1),
      (["fish", "--until", "1"], 2), (["fish", "--since", "2", "--living"], 0),
      (["d\\w*"], 3), (["fish\n", "-F"], 2), (["^two"], 1), (["^fish"], 0),
    ])
  func options(arguments: [String], count: Int) async throws {
    let (printed, _, code) = try await store().run(
      GrepCommand.self, [arguments[0], "d", "--json"] + arguments.dropFirst())
    #expect(printed.split(separator: "\n").count == count)
    #expect(code == (count == 0 ? 1 : 0))
  }

  @Test func `a line is cut around the match`() async throws {
    var script = HistoryScript()
    let words = String(repeating: "word ", count: 60)
    try script.replace(0..<0, words + "here" + words)
    let (printed, _, _) = try await RealStore(script.entries).run(
      GrepCommand.self, ["here"], width: 100)
    let line = printed.split(separator: "\n").last ?? ""
    #expect(line.contains("[here]") && line.count <= 100)
  }

  @Test(arguments: [24, 40, 52, 76, 80, 110, 200])
  func `rows fit the terminal`(width: Int) async throws {
    var script = HistoryScript()
    let words = String(repeating: "word ", count: 60)
    try script.replace(0..<0, words + "here" + words, author: "a long name of an author")
    script.wait(seconds: 60)
    try script.replace(300..<304, "there", .paste, author: "bob")
    let store = try RealStore(script.entries)
    for coloured in [false, true] {
      let (printed, _, _) = try await store.run(
        GrepCommand.self, ["here"], width: width, coloured: coloured)
      let lines = printed.split(separator: "\n").dropFirst().map { line in
        line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
      }
      #expect(lines.count == 2)
      for line in lines {
        #expect(line.displayWidth <= width && line.contains("here"), "\(line)")
      }
      let author = "2026-11-20 15:04 a lon…"
      #expect(!(76..<110).contains(width) || lines[0].contains(author), "\(lines[0])")
    }
  }

  @Test func `the summary says what was looked for`() async throws {
    for (option, noted) in [
      ("--deleted", "1 deleted match in 1 document\n"),
      ("--living", "1 living match in 1 document\n"),
    ] {
      #expect(
        try await store().run(GrepCommand.self, ["fish", "d", option]).noted == noted)
    }
    let (_, noted, _) = try await store().run(GrepCommand.self, ["dog", "d", "--deleted"])
    #expect(noted == "no deleted matches\n")
    for (options, noted) in [
      (["Fish", "d"], "no matches; with -i: 2\n"),
      (["Fish", "--deleted"], "no deleted matches; with -i: 2\n"),
      (["Cat", "d"], "no matches\n"), (["[0-9]", "d"], "no matches\n"),
    ] {
      #expect(try await store().run(GrepCommand.self, options).noted == noted)
    }
  }

  @Test func `wrong arguments are refused`() async throws {
    let store = try store()
    for pattern in ["(", "a**", "[", "(?=a)", "", String(repeating: "x", count: 5_000)] {
      let error = await #expect(throws: CommandError.self) {
        try await store.run(GrepCommand.self, [pattern])
      }
      #expect(error?.exitCode == 64, "\(pattern)")
    }
    await #expect(throws: (any Error).self) {
      try await store.run(GrepCommand.self, ["a", "--living", "--deleted"])
    }
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(GrepCommand.self, ["a", "missing"])
    }
    #expect(error?.code == .unknownDocument)
  }
}
