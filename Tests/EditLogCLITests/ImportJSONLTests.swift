import ArgumentParser
import EditJSON
import EditLog
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// `export --format jsonl` and `import jsonl`.
@Suite struct ImportJSONLTests {
  /// A history with entries of each kind, and with undos that the program makes.
  private func store(seed: UInt64) async throws -> RealStore {
    var random = SplitMix64(seed: seed)
    var script = HistoryScript(at: "2026-07-01T10:00:00.123456789Z")
    let digest = try #require(ContentDigest(bytes: Array(repeating: 7, count: 32)))
    let texts = ["one ", "é", "\n", "two\r\n", "👩‍👩‍👧", "", "\u{0}\u{1B}[2J\u{202E}"]
    var length = 0
    for index in 0..<Int.random(in: 5...60, using: &random) {
      let start = Int.random(in: 0...length, using: &random)
      let end = min(length, start + Int.random(in: 0...4, using: &random))
      let text = texts.randomElement(using: &random) ?? ""
      try script.replace(
        start..<end, text, Origin.allCases.randomElement(using: &random) ?? .typing,
        author: ["ann", "ž\u{202E}", nil].randomElement(using: &random) ?? nil,
        isJoined: Bool.random(using: &random) && index > 0)
      length += text.utf16.count - (end - start)
      script.wait(seconds: Int64.random(in: 0...4_000, using: &random))
      switch Int.random(in: 0..<12, using: &random) {
      case 0: script.note(.saved(digest))
      case 1: script.note(.mark(label: "m\(index)\u{7}", at: SequenceNumber(index)))
      case 2: script.note(.closed(unsaved: true))
      case 3: script.note(.baseline(digest))
      case 4: script.note(.divergence(ours: digest, theirs: digest))
      case 5: script.note(.renamed(from: document("old name")))
      case 6: script.note(.copied(from: document("other"), at: 3))
      default: break
      }
    }
    let store = try RealStore(script.entries)
    let undoCount = Int.random(in: 0...3, using: &random)
    _ = try await store.run { session in
      // There may be nothing to take back.
      for _ in 0..<undoCount { try? await UndoCommand.parse(["d"]).run(in: session) }
    }
    return store
  }

  private func printed(_ store: RealStore, _ words: [String]) async throws -> String {
    try await store.run { session in
      let verb = try #require(try EditLogCommand.parse(words: words) as? any Verb)
      try await verb.run(in: session)
    }.printed
  }

  /// As with the other imports, the store may be missing.
  @Test func theDocumentIsNamedAsTheFile() async throws {
    let store = try await store(seed: 1)
    let folder = TemporaryFolder()
    let path = folder.path("my notes.jsonl")
    _ = try await store.run(ExportCommand.self, ["d", "--format", "jsonl", "--output", path])
    let backend = try await makeStoreBackend(path: folder.path("new/store"))
    let bench = Bench(backend)
    try await ImportJSONLCommand.parse([path]).run(in: bench.session)
    let show = try await store.run(ShowCommand.self, ["d"]).printed
    try await ShowCommand.parse(["my notes"]).run(in: bench.session)
    await backend.close()
    #expect(bench.printed == show)
    #expect(throws: (any Error).self) { try ImportJSONLCommand.parse(["-"]) }
    #expect(throws: (any Error).self) { try ImportJSONLCommand.parse(["a/.jsonl"]) }
  }

  @Test(arguments: seeds(12)) func aHistoryComesBackByteForByte(seed: UInt64) async throws {
    let store = try await store(seed: seed)
    let folder = TemporaryFolder()
    let path = folder.path("d.jsonl")
    _ = try await store.run(ExportCommand.self, ["d", "--format", "jsonl", "--output", path])
    let copied = try await store.run(ImportJSONLCommand.self, [path, "--document", "copy"])
    #expect(copied.noted.hasPrefix("Imported "))
    let file = String(decoding: try InputFile.read(path), as: UTF8.self)
    #expect(try await printed(store, ["export", "copy", "--format", "jsonl"]) == file)
    #expect(try await printed(store, ["log", "copy", "--json"]) == file)
    for question in [
      ["undo", "--list"], ["blame"], ["paragraphs", "--dead", "--life", "--lineage"], ["marks"],
    ] {
      let words = { (name: String) in [question[0], name] + question.dropFirst() + ["--json"] }
      #expect(try await printed(store, words("copy")) == printed(store, words("d")), "\(question)")
    }
    let (_, noted, _) = try await store.run(VerifyCommand.self, [])
    #expect(noted == "")
  }

  /// Parts are durable one after the other, and the history is that of one part.
  @Test func partsFollowOneAnother() async throws {
    let store = try await store(seed: 3)
    var entries: [HistoryEntry] = []
    let backend = try await makeStoreBackend(path: store.path)
    entries = try await backend.ask(
      LogRequest(HistoryReference(document("d")), HistoryPart(limit: HistoryPart.limitMax))
    ).entries
    var count = 0
    func send(_ part: ArraySlice<HistoryEntry>, before: Int) async throws {
      _ = try await backend.perform(
        ImportRequest(document("copy"), entries: Array(part), entriesBefore: before))
    }
    for end in [1, 2, entries.count / 2, entries.count] where end > count {
      try await send(entries[count..<end], before: count)
      count = end
      // Neither the first part nor one that is out of order is taken again.
      for before in [0, count - 1, count + 1] {
        let error = await #expect(throws: ProtocolError.self) {
          try await send(entries[..<1], before: before)
        }
        #expect(error?.code == .sequenceConflict)
      }
    }
    let copy = try await backend.ask(
      LogRequest(HistoryReference(document("copy")), HistoryPart(limit: HistoryPart.limitMax)))
    #expect(copy.entries == entries)
    // After another entry, the import is over.
    _ = try await backend.perform(MarkRequest(document("copy"), label: "x"))
    await #expect(throws: ProtocolError.self) { try await send(entries[..<1], before: count) }
    await backend.close()
  }

  private static let edit = #"""
    {"v":1,"sequence":1,"actions":["characters"],"location":0,"length":0,"changeInLength":1,"text":"a","time":5}
    """#

  @Test(arguments: [
    ("", "has no entries"), ("x", "line 1: "), ("\u{28}\u{B5}", "line 1: "), ("[]", "line 1: "),
    ("{}", "line 1: "),
    (
      edit.replacing("\"time\":5", with: "\"time\":5,\"auth0r\":\"ann\""),
      "line 1: the entry has no member auth0r, so it would be lost"
    ),
    (
      edit.replacing(
        "\"time\":5",
        with: "\"time\":5,\"selection\":{\"after\":[{\"location\":1,\"length\":0,\"l0st\":1}]}"),
      "line 1: the entry has no member l0st, so it would be lost"
    ),
    (#"{"v":2,"sequence":1}"#, "line 1: "), (edit + "\n" + edit, "line 2: its number is 1"),
    (#"{"v":1,"event":"saved","after":1,"digest":"00","time":1}"#, "line 1: "),
    (#"{"v":1,"event":"closed","after":1,"unsaved":true,"time":1}"#, "line 1: it is after edit 1"),
    (
      #"{"v":1,"event":"mark","after":0,"label":"a","at":7,"time":1}"#,
      "line 1: it names edit 7, and the edit before it is 0"
    ),
    (
      edit + "\n" + #"{"v":1,"event":"undo","after":1,"undone":[[1,9]],"redone":[],"time":6}"#,
      "line 2: it names edit 9"
    ),
    (
      edit + "\n\n" + #"{"v":1,"event":"closed","after":1,"unsaved":true,"time":4}"#,
      "line 3: its time is before"
    ),
    (
      #"{"v":1,"sequence":1,"actions":["characters"],"location":9,"length":1,"changeInLength":-1,"text":"","time":5}"#,
      "line 1: "
    ),
    (
      #"{"v":1,"sequence":2,"actions":["characters"],"location":0,"length":0,"changeInLength":1,"text":"a","time":5}"#,
      "line 1: its number is 2, and the next edit is 1"
    ),
    (
      edit + "\n"
        + edit.replacing("\"sequence\":1", with: "\"sequence\":2,\"transaction\":1")
        .replacing("\"location\":0", with: "\"location\":5"), "line 2: "
    ),
    (
      edit.replacing("\"v\":1", with: "\"v\":1,\"author\":\"\""), "line 1: the name of its author"
    ),
  ])
  func wrongLinesLeaveNothing(text: String, message: String) async throws {
    let folder = TemporaryFolder()
    let path = folder.path("f")
    let file = try NewFile(path, option: "f")
    try file.write(Array(text.utf8))
    try file.close()
    let store = try await store(seed: 1)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(ImportJSONLCommand.self, [path, "--document", "copy"])
    }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(try await printed(store, ["documents", "--json"]).contains("copy") == false)
  }

  @Test(arguments: [
    ([0x1F, 0x8B, 0x08], "zcat"), ([0x28, 0xB5, 0x2F, 0xFD, 0x04], "zstdcat"),
  ])
  func aPackedFileIsNamed(bytes: [UInt8], tool: String) async throws {
    let folder = TemporaryFolder()
    let file = try NewFile(folder.path("f"), option: "f")
    try file.write(bytes)
    try file.close()
    let store = try await store(seed: 1)
    for (path, message) in [(folder.path("f"), tool), (folder.path, "Is a directory")] {
      let error = await #expect(throws: CommandError.self) {
        try await store.run(ImportJSONLCommand.self, [path, "--document", "copy"])
      }
      #expect(error?.message.contains(message) == true && error?.message.contains(path) == true)
    }
  }

  @Test func aDocumentThatExistsIsLeftAlone() async throws {
    let store = try await store(seed: 2)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(ImportJSONLCommand.self, ["/dev/null", "--document", "d"])
    }
    #expect(error?.message.contains("d has a history already") == true)
  }
}
