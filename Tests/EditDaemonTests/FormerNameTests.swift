import ArgumentParser
import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// A renamed document is found by its former names, with a daemon and without one.
@Suite(.timeLimit(.minutes(10))) struct FormerNameTests {
  private static let old = "file:///w/old.txt"
  private static let new = "file:///w/new.txt"

  private func rename(_ old: String, to new: String, _ client: EditLogClient) async throws {
    let rename = DidRenameFilesParams.Rename(oldURI: document(old), newURI: document(new))
    try await client.notify(
      "workspace/didRenameFiles", DidRenameFilesParams(files: [rename]).json)
  }

  /// A client that has renamed `a` to `b` to `c`, each given as `old`, `middle` and `new`.
  private func makeRenamed(_ daemon: RunningDaemon) async throws -> EditLogClient {
    let client = try await daemon.connect()
    _ = try await client.call("initialize")
    _ = try await client.append(Self.old, put("one\n"))
    let second = EditAction(replacing: UTF16Range(4..<4), with: "two\n")
    _ = try await client.append(Self.old, AppendEdit(action: second, origin: .paste))
    try await rename(Self.old, to: "file:///w/middle.txt", client)
    try await rename("file:///w/middle.txt", to: Self.new, client)
    #expect(try await client.text(of: Self.new) == "one\ntwo\n")
    return client
  }

  /// The output and the notes of a verb.
  private func run(
    _ verb: String, _ arguments: [String], _ backend: any Backend
  ) async throws -> (printed: String, noted: String) {
    let (output, diagnostics) = (Output(), Output())
    let session = Session(
      backend: backend, output: output, diagnostics: diagnostics,
      now: Timestamp(nanoseconds: 0), utcOffset: { _ in 0 })
    let command = try EditLogCommand.parseAsRoot([verb] + arguments)
    let parsed = try #require(command as? any Verb)
    try await parsed.run(in: session)
    return (
      String(decoding: output.captured, as: UTF8.self),
      String(decoding: diagnostics.captured, as: UTF8.self)
    )
  }

  private func checkReading(_ backend: any Backend) async throws {
    for (argument, shown) in [
      ("/w/old.txt", "/w/old.txt"), (Self.old, Self.old), ("/w/middle.txt", "/w/middle.txt"),
    ] {
      let note = "editlog: \(shown) is now /w/new.txt\n"
      let show = try await run("show", [argument], backend)
      #expect(show == ("one\ntwo\n", note))
      for (verb, options) in [
        ("log", ["--json"]), ("show", ["--json", "--at", "1"]), ("paragraphs", ["--json"]),
        ("diff", ["--json", "--from", "2"]), ("du", ["--json"]), ("trace", ["--json"]),
        ("undo", ["--json", "--dry-run"]),
      ] {
        let former = try await run(verb, [argument] + options, backend)
        let present = try await run(verb, ["/w/new.txt"] + options, backend)
        #expect(former.printed == present.printed, "\(verb)")
        #expect(former.noted == note + present.noted, "\(verb)")
      }
    }
  }

  @Test func verbsFindARenamedDocument() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder) { daemon in
      let client = try await makeRenamed(daemon)
      let backend = try await SocketBackend(path: daemon.socket)
      try await checkReading(backend)
      // A change of the document also finds it.
      let mark = try await run("mark", ["/w/old.txt", "draft"], backend)
      #expect(mark.noted.hasPrefix("editlog: /w/old.txt is now /w/new.txt\n"))
      #expect(try await client.events(of: Self.new).last == .mark(label: "draft", at: 2))
      await backend.close()
      await client.close()
    }
    let backend = try await makeStoreBackend(path: RunningDaemon.store(in: folder))
    try await checkReading(backend)
    _ = try await run("undo", ["/w/old.txt"], backend)
    #expect(try await run("show", ["/w/new.txt"], backend).printed == "one\n")
    await backend.close()
  }

  /// A document that has the name now is meant, and one that is created does not become another.
  @Test func aPresentNameIsUsedBeforeAFormerOne() async throws {
    try await withDaemon { daemon in
      let client = try await makeRenamed(daemon)
      let backend = try await SocketBackend(path: daemon.socket)
      let error = await #expect(throws: ProtocolError.self) {
        try await run("forget", ["/w/old.txt", "--yes"], backend)
      }
      #expect(error?.code == .unknownDocument)
      #expect(error?.message.hasSuffix("; it was renamed to /w/new.txt") == true)
      // Reading by the protocol is of present names, so that a client can begin a new document.
      #expect(await refusal { try await client.text(of: Self.old) }?.code == .unknownDocument)
      _ = try await client.append(Self.old, put("another"))
      #expect(try await run("show", ["/w/old.txt"], backend) == ("another", ""))
      let answer = try await client.call(FormerNameRequest(document(Self.old)))
      #expect(answer.documents == [document(Self.new)])
      // It is the candidate of the other meaning, too.
      #expect(try await run("show", ["name:file:///w/old.txt"], backend).printed == "another")
      await backend.close()
      await client.close()
    }
  }

  @Test func aFormerNameOfSeveralDocumentsIsAnError() async throws {
    try await withDaemon { daemon in
      let client = try await makeRenamed(daemon)
      _ = try await client.append(Self.old, put("another"))
      try await rename(Self.old, to: "file:///w/third.txt", client)
      #expect(try await client.text(of: "file:///w/third.txt") == "another")
      let backend = try await SocketBackend(path: daemon.socket)
      let error = await #expect(throws: CommandError.self) {
        try await run("show", ["/w/old.txt"], backend)
      }
      #expect(error?.exitCode == 64)
      #expect(
        error?.message == """
          /w/old.txt was the name of several documents: /w/new.txt and /w/third.txt; give one of \
          these names
          """)
      let none = await #expect(throws: ProtocolError.self) {
        try await run("show", ["/w/never.txt"], backend)
      }
      #expect(none?.code == .unknownDocument)
      await backend.close()
      await client.close()
    }
  }
}
