import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog repro`, and what `append` makes of it.
@Suite struct ReproTests {
  /// The file that `repro` writes, and the version before its first edit.
  private struct Repro {
    let text: String
    let head: JSON
    let store: RealStore

    init(_ store: RealStore, _ arguments: [String]) async throws {
      self.store = store
      text = try await store.run(ReproCommand.self, ["d"] + arguments).printed
      head = try JSON.parse(String(text.prefix { $0 != "\n" }))
    }

    private func number(_ name: String) throws -> SequenceNumber {
      guard case .integer(let value)? = head[name] else { throw Missing(name: name) }
      return SequenceNumber(value)
    }
    private struct Missing: Error { let name: String }

    /// The number of edits that make the first text, and of those after them.
    var loads: SequenceNumber { get throws { try number("loads") } }
    var edits: SequenceNumber { get throws { try number("edits") } }
    /// The version that the new document has at its first text.
    var start: SequenceNumber { get throws { try number("point") + loads - number("sequence") } }

    /// Appends the lines to a new document of the same store.
    func append(to name: String) async throws {
      let folder = TemporaryFolder()
      let file = open(try folder.write(text, to: "repro"), O_RDONLY | O_CLOEXEC)
      defer { close(file) }
      _ = try await store.run { session in
        try await AppendCommand.parse([name]).run(
          in: session, input: LineReader(descriptor: file, sizeMax: 1 << 24))
      }
    }
  }

  private func state(
    _ name: String, _ version: SequenceNumber, _ backend: any Backend
  ) async throws -> (text: StateAnswer, paragraphs: [UTF16Range]) {
    let history = HistoryReference(try #require(DocumentID(name)))
    let part = VersionPart(at: .sequence(version))
    return (
      try await backend.ask(StateRequest(history, part)),
      try await backend.ask(ParagraphsRequest(history, part)).paragraphs.map(\.range)
    )
  }

  private func edits(_ name: String, _ store: RealStore) async throws -> [Edit] {
    let lines = try await store.run(LogCommand.self, [name, "--json"]).printed.split(
      separator: "\n")
    return try lines.compactMap { line in
      if case .edit(let edit) = try HistoryEntry(json: JSON.parse(String(line))) {
        edit
      } else {
        nil
      }
    }
  }

  /// A store with a seeded history: every kind of value and unit, and every event that `append` can be
  /// given, between transactions.
  private func store(seed: UInt64) throws -> RealStore {
    var generator = EntryGenerator(seed: seed, hasSelections: false)
    let entries = generator.history(count: 120)
    var (kept, transaction): ([HistoryEntry], SequenceNumber) = ([], 0)
    for (index, entry) in entries.enumerated() {
      guard case .event(let event) = entry else {
        if case .edit(let edit) = entry { transaction = edit.transaction }
        kept.append(entry)
        continue
      }
      if case .mark("", _) = event.kind { continue }
      let next = entries[index...].lazy.compactMap {
        if case .edit(let edit) = $0 { edit } else { nil }
      }.first
      if next?.transaction != transaction { kept.append(entry) }
    }
    return try RealStore(kept)
  }

  @Test(arguments: seeds(10)) func `the copy has the texts and attributes`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try store(seed: seed)
    let point = Int.random(in: 1...80, using: &random)
    let repro = try await Repro(
      store, ["--around", "\(point)", "--before", "\(seed * 7)", "--after", "20"])
    try await repro.append(to: "copy")
    let backend = try await makeStoreBackend(path: store.path)
    let (start, loads) = try (repro.start, repro.loads)
    for step in 0...(try repro.edits) {
      let (old, oldRanges) = try await state("d", start + step, backend)
      let (new, newRanges) = try await state("copy", loads + step, backend)
      #expect(old.text == new.text && old.attributeRuns == new.attributeRuns, "step \(step)")
      #expect(oldRanges == newRanges)
    }
    await backend.close()
    let (old, new) = try await (edits("d", store), edits("copy", store))
    for (old, new) in zip(old.dropFirst(Int(start)), new.dropFirst(Int(loads))) {
      #expect(old.action == new.action && old.origin == new.origin)
      #expect(new.author == old.author || old.author == "")
      #expect(new.transaction == max(old.transaction, start + 1) - start + loads)
    }
  }

  @Test(arguments: seeds(10)) func `a redacted copy has the lengths alone`(seed: UInt64)
    async throws
  {
    let store = try store(seed: seed)
    let repro = try await Repro(
      store, ["--around", "60", "--before", "\(seed * 6)", "--after", "40", "--redact"])
    try await repro.append(to: "copy")
    let backend = try await makeStoreBackend(path: store.path)
    let (start, loads) = try (repro.start, repro.loads)
    for step in 0...(try repro.edits) {
      let (old, oldRanges) = try await state("d", start + step, backend)
      let (new, newRanges) = try await state("copy", loads + step, backend)
      #expect(old.text.count == new.text.count && oldRanges == newRanges, "step \(step)")
      let text = String(new.text)
      #expect(String(old.text).utf8.count == text.utf8.count)
      #expect(old.attributeRuns.map(\.length) == new.attributeRuns.map(\.length))
      for scalar in text.unicodeScalars where TextRedactionTests.isContent(scalar) {
        #expect(TextRedactionTests.allowed.contains(scalar) || scalar.value >= 0x10000)
      }
    }
    await backend.close()
  }

  @Test func `no secret is in a redacted file`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    let client = try #require(
      SessionDescription(client: "Geheimfisch", version: "Geheim", host: "geheimhost", process: 7))
    script.note(.session(client), author: "Geheimann")
    try script.replace(
      0..<0, "Geheimfisch\u{1F6}\nGeheim GEHEIM 4711\u{1D454}eheim", .load, author: "Geheimann")
    try script.type("geheim", at: 3, author: "Geheimann")
    try script.replace(
      0..<6, "Geheim", .paste,
      attributes: .set([
        AttributeRun(
          length: 6,
          attributes: [
            "link": .string("geheim://geheim"), "number": .integer(471_147_114_711),
            "list": .list([.string("geheim"), .bytes(Array("geheim".utf8)), .double(4711.5)]),
            "map": .map(["geheim": .string("Geheim")]),
          ])
      ]))
    let digest = try #require(ContentDigest(bytes: Array(repeating: 0x47, count: 32)))
    script.note(.saved(digest))
    script.note(.divergence(ours: digest, theirs: digest))
    script.note(.mark(label: "Geheim", at: 8))
    script.note(.renamed(from: try #require(DocumentID("geheim.txt"))))
    script.note(.copied(from: try #require(DocumentID("geheim.md")), at: 3))
    try script.replace(0..<1, "g", .external, author: "Geheimbert")
    let store = try RealStore(script.entries)
    let plain = try await Repro(store, ["--around", "5"])
    let redacted = try await Repro(store, ["--around", "5", "--redact"])
    #expect(plain.text.lowercased().contains("geheim"))
    #expect(plain.text.contains("4711"))
    let found = redacted.text.lowercased()
    for secret in [
      "geheim", "fisch", "4711", "2026", "4747", "\u{1F6}", "\u{1D454}", "\\ud835\\udc54",
    ] {
      #expect(!found.contains(secret), "\(secret)")
    }
    // Nor letter by letter: all texts of the edits consist of the letters of redacted text.
    for line in redacted.text.split(separator: "\n").dropFirst() {
      guard case .edit(let edit) = try HistoryEntry(json: JSON.parse(String(line))) else {
        continue
      }
      for scalar in String(edit.action.replacement ?? "").unicodeScalars
      where TextRedactionTests.isContent(scalar) {
        #expect(TextRedactionTests.allowed.contains(scalar))
      }
      #expect(["author 1", "author 2", nil].contains(edit.author))
    }
    #expect(redacted.text.contains(#""client":"client 1","host":"host 1""#))
    #expect(redacted.text.contains(#""value 1""#))
    try await redacted.append(to: "copy")
  }

  @Test func `the lines and the first line`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    for word in ["one ", "two ", "three "] {
      try script.replace(0..<0, word, .paste, author: "ann")
      script.wait(seconds: 60)
    }
    let (printed, noted, code) = try await RealStore(script.entries).run(
      ReproCommand.self, ["d", "--around", "2", "--before", "0", "--after", "9"])
    #expect(code == 0)
    #expect(
      printed == #"""
        {"v":1,"repro":"editlog 0.1.0","what":"the text of a document (lines of origin load) and edits after it; `editlog append NAME` reads it","document":"d","point":2,"sequence":2,"loads":1,"length":4,"edits":2,"redacted":false,"time":"2026-07-01T10:01:00Z"}
        {"v":1,"sequence":1,"actions":["characters"],"location":0,"length":0,"changeInLength":4,"text":"one ","origin":"load","transaction":1,"time":"1970-01-01T00:00:00Z","timeMicros":0}
        {"v":1,"sequence":2,"actions":["characters"],"location":0,"length":0,"changeInLength":4,"text":"two ","origin":"paste","transaction":2,"author":"ann","time":"1970-01-01T00:00:00Z","timeMicros":0}
        {"v":1,"sequence":3,"actions":["characters"],"location":0,"length":0,"changeInLength":6,"text":"three ","origin":"paste","transaction":3,"author":"ann","time":"1970-01-01T00:01:00Z","timeMicros":60000000}

        """#)
    #expect(
      noted == """
        Wrote 2 edits after a text of 4 UTF-16 units; `editlog append NAME` reads this.
        The text is in it as it is; --redact replaces its letters.

        """)
  }

  @Test func `a transaction is not cut at its start`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "a")
    for index in 1..<10 { try script.replace(0..<0, "b", isJoined: index > 1) }
    let repro = try await Repro(
      try RealStore(script.entries), ["--around", "8", "--before", "2", "--after", "0"])
    #expect(try repro.start == 1)
    #expect(try repro.edits == 7)
  }

  @Test func `a file is not written over`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "a")
    let (store, folder) = (try RealStore(script.entries), TemporaryFolder())
    let file = folder.path("repro")
    let (printed, _, _) = try await store.run(
      ReproCommand.self, ["d", "--around", "1", "--json", "--output", file])
    let written = String(decoding: try InputFile.read(file), as: UTF8.self)
    #expect(written.hasPrefix(printed) && written.split(separator: "\n").count == 2)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(ReproCommand.self, ["d", "--around", "1", "--output", file])
    }
    #expect(error?.exitCode == 73)
  }

  @Test func `wrong arguments are refused`() async throws {
    #expect(throws: (any Error).self) {
      try ReproCommand.parse(["d", "--around", "1", "--before", "-1"])
    }
    #expect(throws: (any Error).self) { try ReproCommand.parse(["d"]) }
    var script = HistoryScript()
    try script.replace(0..<0, "a")
    let store = try RealStore(script.entries)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(ReproCommand.self, ["d", "--around", "0", "--after", "0"])
    }
    #expect(error?.exitCode == 66)
    let beyond = await #expect(throws: ProtocolError.self) {
      try await store.run(ReproCommand.self, ["d", "--around", "9"])
    }
    #expect(beyond?.code == .unknownPoint)
  }
}
