import ArgumentParser
import EditModel
import EditProtocol
import Scrubbing
import TestSupport
import Testing
import TextState

@testable import EditLogCommands

/// The screen on a real store: its versions and texts are those of `show` and `--step`.
@Suite struct ScrubVerbTests {
  private struct Screen {
    var state: ScrubState
    let runner: ScrubRunner

    mutating func send(_ key: ScrubKey) async {
      await settle(state.handle(.key(key)))
      state.noteDrawn()
    }

    mutating func type(_ keys: String) async {
      for character in keys { await send(.character(character)) }
    }

    mutating func settle(_ requests: [ScrubRequest]) async {
      var waiting = requests[...]
      while let request = waiting.popFirst() {
        waiting += state.handle(await runner.perform(request))
      }
    }
  }

  /// A history with pauses, transactions, removals, undos and two authors.
  private static func entries(_ seed: UInt64, _ count: Int) throws -> [HistoryEntry] {
    var random = SplitMix64(seed: seed)
    var (script, length) = (HistoryScript(), 0)
    let pieces = [
      "a", "b", "word ", "\n", "line\n", "ä", "👩‍🚀", "\u{1B}[0m",
      String(repeating: "long ", count: 80),
    ]
    for index in 0..<count {
      script.wait(seconds: [0, 1, 1, 30, 4_000][Int.random(in: 0..<5, using: &random)])
      let lower = Bool.random(using: &random) ? length : Int.random(in: 0...length, using: &random)
      let upper = min(length, lower + [0, 0, 1, 4][Int.random(in: 0..<4, using: &random)])
      let text = pieces[Int.random(in: 0..<pieces.count, using: &random)]
      try script.replace(
        lower..<upper, text, [.typing, .paste, .program][Int.random(in: 0..<3, using: &random)],
        author: Bool.random(using: &random) ? "ann" : "ben",
        isJoined: index > 0 && Int.random(in: 0..<4, using: &random) == 0)
      length += text.utf16.count - (upper - lower)
    }
    return script.entries
  }

  private func withScreen(
    _ store: RealStore, size: ScrubSize = ScrubSize(columns: 80, rows: 24),
    _ body: (inout Screen, Session) async throws -> Void
  ) async throws {
    let result = try await store.run { session in
      let latest = try await session.ask("d", try ReadingOptions.parse([])) {
        VersionRequest($0)
      }.sequence
      let runner = ScrubRunner(
        "d", session, .store(store.path), try AuthorOption.parse([]), try ReadingOptions.parse([]))
      var screen = Screen(
        state: ScrubState(
          name: "d", at: latest, latest: latest, size: size,
          options: ScrubOptions(canFollow: false),
          clock: ScrubClock(
            now: { Timestamp(nanoseconds: 0) }, day: session.localDay,
            time: { session.localClock($0, hasSeconds: true) })), runner: runner)
      await screen.settle(screen.state.start())
      try await body(&screen, session)
      await runner.close()
    }
    #expect(result.exitCode == 0)
  }

  @Test(arguments: seeds(6))
  func `steps lead where --step leads, and the text is that of show`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try RealStore(try Self.entries(seed, 150))
    let options = try ReadingOptions.parse([])
    try await withScreen(store) { screen, session in
      for _ in 0..<60 {
        let moves: [(String, Int, StepUnit)] = [
          (",", -1, .edit), (".", 1, .edit), ("h", -1, .undoStep), ("l", 1, .undoStep),
          ("5h", -5, .undoStep), ("3l", 3, .undoStep), (")", 1, .paragraphChange),
          ("(", -1, .paragraphChange), ("}", 1, .session), ("{", -1, .session), ("9,", -9, .edit),
        ]
        let (keys, count, unit) = moves[Int.random(in: 0..<moves.count, using: &random)]
        let from = screen.state.goal
        let wanted = try await session.ask("d", options) {
          VersionRequest($0, at: .sequence(from), step: count, by: unit)
        }.sequence
        await screen.type(keys)
        #expect(screen.state.goal == wanted, "seed \(seed), \(keys) from \(from)")
        let shown = try await session.ask("d", options) {
          StateRequest($0, VersionPart(at: .sequence(wanted)))
        }
        let cursor = try #require(screen.state.cursor)
        #expect(cursor.sequence == wanted && cursor.text.hasText(shown.text), "seed \(seed)")
      }
    }
  }

  @Test func `a removed paragraph is found and comes back`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "first\nlost words\nlast\n", author: "ann")
    script.wait(seconds: 60)
    try script.replace(6..<17, "", .removal, author: "ann")
    let store = try RealStore(script.entries)
    try await withScreen(store) { screen, session in
      await screen.type("/lost words")
      await screen.send(.enter)
      await screen.send(.enter)
      #expect(screen.state.goal == 1)
      await screen.type("rp")
      #expect((1...4).map { screen.state.frame().line($0) }.contains("+lost words"))
      await screen.type("y")
      #expect(screen.state.latest == 3)
      let cursor = try #require(screen.state.cursor)
      #expect(cursor.text.hasText(UTF16Text("first\nlost words\nlast\n")))
      #expect(screen.state.frame().line(23).contains("is back, as edit 3"))
      // All of a version, and a name for it.
      await screen.type(",rv")
      #expect(screen.state.frame().line(23).contains("restore all of version 2?"))
      await screen.type("n")
      await screen.type("Mdraft")
      await screen.send(.enter)
      await screen.send(.end)
      await screen.type("[")
      #expect(screen.state.goal == 2)
    }
    let marks = try await store.run(MarksCommand.self, ["d"])
    #expect(marks.printed.contains("draft"))
  }

  @Test func `selected lines come back`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "first\nlost\nwords\nlast\n", author: "ann")
    script.wait(seconds: 60)
    try script.replace(6..<17, "", .removal, author: "ann")
    script.wait(seconds: 60)
    try script.replace(0..<0, "new\n", author: "ann")
    let store = try RealStore(script.entries)
    try await withScreen(store) { screen, _ in
      await screen.type("2,gjvjrs")
      #expect(screen.state.goal == 1)
      let lines = (0...6).map { screen.state.frame().line($0) }
      #expect(lines.filter { $0.hasPrefix("+") || $0.hasPrefix("-") } == ["+lost", "+words"])
      await screen.type("y")
      let cursor = try #require(screen.state.cursor)
      #expect(cursor.text.hasText(UTF16Text("new\nfirst\nlost\nwords\nlast\n")))
      #expect(screen.state.frame().line(23).contains("the selection of version 1 is back"))
    }
  }

  @Test func `what cannot be done is said`() async throws {
    let store = try RealStore(try Self.entries(1, 20))
    try await withScreen(store) { screen, _ in
      for (keys, words) in [
        (":soon", "is not understood"), (":99999", "99999"), ("/(", "the pattern cannot be used"),
        ("w/nowhere/at/all", "cannot create"),
      ] {
        await screen.type(keys)
        await screen.send(.enter)
        // A long message begins above the last row.
        let frame = screen.state.frame()
        let rows = (0..<24).map { frame.line($0) }.joined(separator: " ")
        #expect(rows.contains(words), "\(keys)")
        #expect(screen.state.goal == 20)
      }
      await screen.type("F")
      #expect(screen.state.frame().line(23).contains("following needs the daemon"))
    }
  }

  @Test func `a line of keys is read as such`() {
    #expect(PlainScrub.keys(of: "2l") == [.character("2"), .character("l")])
    #expect(PlainScrub.keys(of: "") == [.enter])
    #expect(PlainScrub.keys(of: ":9") == [.character(":"), .character("9"), .enter])
    #expect(PlainScrub.keys(of: "w") == [.character("w")])
  }

  @Test func `keys of a terminal`() {
    #expect(ScrubKey(typed: 0x1B) == .escape)
    #expect(ScrubKey(typed: 0x1A) == .control("z"))
    #expect(ScrubKey(typed: 0x7F) == .backspace)
    #expect(ScrubKey(typed: 0x0D) == .enter)
    #expect(ScrubKey(typed: 0xE9) == .character("é"))
    #expect(ScrubKey(typed: 0x9B) == nil)
    #expect(ScrubKey(typed: 0) == nil)
    #expect(ScrubKey(typed: 0xD800) == nil)
    #expect(ScrubKey(typed: .max) == nil)
  }
}
