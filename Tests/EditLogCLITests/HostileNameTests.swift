import ArgumentParser
import EditJSON
import EditLog
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Names of documents, marks, authors, attributes and files that would forge a line, move a
/// cursor or turn a line round: no verb prints one as it is.
@Suite struct HostileNameTests {
  static let names = [
    "a\n+++ forged@9", "a\r+++ forged", "a\u{1B}[2J\u{1B}]0;title\u{7}", "a\u{9B}31m", "a\tb",
    "txt.\u{202E}fdp", "a\u{2066}b\u{2069}", "a\u{2028}b", "a\u{85}b", "\u{FEFF}a", "a\u{0}b",
    #"a"b\n"#, " a ", "a\u{7F}",
  ]

  /// Every verb that prints a name, over the files of a store.
  @Test(arguments: names)
  func `no verb prints it as it is`(name: String) async throws {
    try await withTemporaryDirectory { directory in
      try Self.write(Self.edits(name), to: directory + "/store")
      let backend = try await makeStoreBackend(path: directory + "/store")
      _ = try await backend.call(
        "editlog/mark", ["document": JSON(name), "label": JSON(name), "at": 1])
      await backend.close()
      for (verb, arguments) in Self.verbs(name) {
        let (bench, ending) = await Self.run(verb, arguments, backend)
        let said = bench.printed + bench.noted + (ending?.text ?? "")
        Self.check(said, "\(arguments)")
        #expect(said != "", "\(arguments)")
      }
      await backend.close()
    }
  }

  /// The errors of every verb that takes a name, about one that is not there.
  @Test(arguments: names)
  func `no error prints it as it is`(name: String) async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      _ = try await backend.call("editlog/append", Self.edits("other"))
      var verbs = Self.verbs(name)
      verbs += [
        (ShowCommand.self, ["other", "--at", "mark:" + name]),
        (ShowCommand.self, ["other", "--at", name]),
        (VerifyCommand.self, ["--head", name]), (VerifyCommand.self, ["--heads", name]),
        (ImportTraceCommand.self, [name, "--document", name]),
        (ImportGitCommand.self, ["/nowhere/" + name, "--document", name]),
      ]
      for (verb, arguments) in verbs {
        let (bench, ending) = await Self.run(verb, arguments, backend)
        Self.check(bench.printed + bench.noted + (ending?.text ?? ""), "\(arguments)")
      }
      await backend.close()
      for location in [Location.store(directory + "/" + name), .socket(directory + "/" + name)] {
        do {
          _ = try await location.open().call("editlog/documents", [:])
          Issue.record("there is a store")
        } catch { Self.check(Ending(error).text, "\(location)") }
      }
    }
  }

  @Test(arguments: names)
  func `a diff has the header that git would give it`(name: String) async throws {
    try await withTemporaryDirectory { directory in
      try Self.write(Self.edits(name), to: directory + "/store")
      let backend = try await makeStoreBackend(path: directory + "/store")
      let (bench, _) = await Self.run(DiffCommand.self, [name, "--from", "0"], backend)
      let lines = bench.printed.split(separator: "\n")
      let time = "1970-01-01 01:00:00.000000000 +0100"
      #expect(
        lines.prefix(2) == ["--- \("\(name)@0".shown)", "+++ \("\(name)@3".shown)\t\(time)"])
      #expect(lines.count { $0.hasPrefix("+++") } == 1)
      await backend.close()
    }
  }

  /// What `status --heads` prints is what `verify` takes.
  @Test(arguments: names)
  func `heads are read as they are printed`(name: String) async throws {
    try await withTemporaryDirectory { directory in
      try Self.write(Self.edits(name), to: directory + "/store")
      let backend = try await makeStoreBackend(path: directory + "/store")
      await backend.close()
      let (status, _) = await Self.run(StatusCommand.self, ["--heads"], backend)
      let head = try #require(status.printed.split(separator: "\n").last)
      #expect(head.hasPrefix(name.shown + "@3:"))
      let (json, _) = await Self.run(StatusCommand.self, ["--heads", "--json"], backend)
      let file = directory + "/heads"
      for output in [status.printed, json.printed] {
        try DiskFile.replace(file, with: Array(output.utf8))
        for arguments in [["--heads", file], ["--head", String(head)]] {
          let (verify, ending) = await Self.run(VerifyCommand.self, arguments, backend)
          #expect(ending == nil && verify.printed.contains("heads confirmed: 1"))
        }
      }
      await backend.close()
    }
  }

  // MARK: Helpers

  private static func verbs(_ name: String) -> [(any Verb.Type, [String])] {
    [
      (DocumentsCommand.self, []), (LogCommand.self, [name]), (StatusCommand.self, ["--heads"]),
      (VerifyCommand.self, ["--head", "\(name.shown)@1:" + String(repeating: "0a", count: 32)]),
      (UndoCommand.self, [name, "--list"]), (UndoCommand.self, [name, "--dry-run"]),
      (TraceCommand.self, [name, "--min-length", "1"]), (UsageCommand.self, []),
      (UsageCommand.self, [name]), (ParagraphsCommand.self, [name]),
      (DiffCommand.self, [name, "--from", "0"]),
      (ShowCommand.self, [name, "--at", "999"]), (ShowCommand.self, [name, "--at", "mark:none"]),
      (ActivityCommand.self, []), (ActivityCommand.self, [name, "--format", "svg"]),
      (AgentsCommand.self, [name]),
      (MarkCommand.self, [name, String(name.prefix(200)), "--at", "1"]),
      (RepairCommand.self, []), (ForgetCommand.self, [name, "--yes"]),
    ]
  }

  /// A text, attributes of the name, by an author of the name, then a deletion.
  private static func edits(_ name: String) -> JSON {
    let runs: JSON = [["length": 4, "attributes": .object([name: "v"])]]
    return [
      "document": JSON(name), "author": JSON(name),
      "edits": [
        [
          "actions": ["characters"], "location": 0, "length": 0, "changeInLength": 4,
          "text": "text",
        ],
        [
          "actions": ["attributes"], "location": 0, "length": 4, "changeInLength": 0,
          "attributes": ["set": runs],
        ],
        ["actions": ["characters"], "location": 1, "length": 2, "changeInLength": -2],
      ],
    ]
  }

  /// Appends edits as older versions did, which took any name.
  private static func write(_ edits: JSON, to store: String) throws {
    let request = try AppendRequest(json: edits)
    let writer = try StoreWriter(at: store)
    let entries = request.edits.enumerated().map { index, edit in
      HistoryEntry.edit(
        Edit(sequence: UInt64(index + 1), action: edit.action, author: request.author))
    }
    _ = try writer.append([(request.document, entries)])
    try writer.close()
  }

  private static func run(
    _ verb: any Verb.Type, _ arguments: [String], _ backend: any Backend
  ) async -> (bench: Bench, ending: Ending?) {
    let bench = Bench(backend)
    do {
      guard let verb = try verb.parseAsRoot(arguments) as? any Verb else {
        return (bench, Ending(CommandError.internalError("no verb")))
      }
      try await verb.run(in: bench.session)
      return (bench, nil)
    } catch { return (bench, Ending(error)) }
  }

  private static func check(_ said: String, _ what: String) {
    for scalar in said.unicodeScalars where !"\n\t".unicodeScalars.contains(scalar) {
      #expect(scalar.showsItself, "U+\(String(scalar.value, radix: 16)) of \(what): \(said)")
    }
    // No name begins a line of its own.
    #expect(!said.contains("\n+++ forged"), "\(what): \(said)")
  }
}
