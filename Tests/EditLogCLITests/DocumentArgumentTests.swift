import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct DocumentArgumentTests {
  private func candidates(_ argument: String, resolve: String? = nil) throws -> [String] {
    try DocumentArgument(argument, directory: "/home/ada/my work", resolve: { _ in resolve })
      .candidates.map(\.name)
  }

  @Test(arguments: [
    ("notes.txt", ["notes.txt", "file:///home/ada/my%20work/notes.txt"]),
    ("a/b.txt", ["a/b.txt", "file:///home/ada/my%20work/a/b.txt"]),
    ("./a/../b.md", ["file:///home/ada/my%20work/b.md", "./a/../b.md"]),
    ("/tmp//x.md", ["file:///tmp/x.md", "/tmp//x.md"]),
    ("../../../../x", ["file:///x", "../../../../x"]),
    ("/a(1)+b.md", ["file:///a(1)+b.md", "/a(1)+b.md"]),
    ("/ü%.md", ["file:///%C3%BC%25.md", "/ü%.md"]),
    ("file:///x.md", ["file:///x.md"]),
    ("untitled://1", ["untitled://1"]),
    ("name:c.txt", ["c.txt"]),
    ("name:/c.txt", ["/c.txt"]),
    ("name:name:x", ["name:x"]),
    // As names with special characters are printed.
    (#""na \"q\" \\ x""#, [#"na "q" \ x"#, "file:///home/ada/my%20work/na%20%22q%22%20%5C%20x"]),
    (#""name:a\nb""#, ["a\nb"]),
    (#""no end"#, [#""no end"#, "file:///home/ada/my%20work/%22no%20end"]),
  ])
  func candidates(argument: String, expected: [String]) throws {
    #expect(try candidates(argument) == expected)
  }

  /// D10: in the folder of a file, its name means the file in all verbs.
  @Test func `an argument that is a file's path means the file`() throws {
    let file = "file:///home/ada/my%20work/c.txt"
    #expect(try candidates("c.txt", resolve: "/home/ada/my work/c.txt") == [file, "c.txt"])
    #expect(
      try candidates("c.txt", resolve: "/real.md") == [file, "file:///real.md", "c.txt"])
  }

  @Test(arguments: [
    ("file:///home/my%20work/%C3%BC.md", "/home/my work/ü.md"),
    ("file:///a(1)+b.md", "/a(1)+b.md"),
    ("file:///a%281%29%2bb.md", "/a(1)+b.md"), ("-x", "name:-x"),
    ("notes", "notes"), ("a/b", "a/b"), ("/x", "name:/x"), ("./x", "name:./x"),
    ("name:x", "name:name:x"), ("untitled://1", "untitled://1"),
    // Not the URI of a file: shown as it is.
    ("file:///a/", "file:///a/"), ("file:///a//b", "/a/b"),
    ("file:///%FF", "file:///%FF"), ("file:///%4", "file:///%4"),
    ("file://host/a", "file://host/a"),
    ("file:///", "/"),
  ])
  func `a document is printed as the argument that means it`(name: String, shown: String) throws {
    let document = try #require(DocumentID(name))
    #expect(document.argument == shown)
    let meaning = try DocumentArgument(
      document.argument.shown, directory: "/home", resolve: { _ in nil })
    #expect(meaning.candidates.prefix(meaning.meantCount).contains(document))
  }

  /// A change that cannot be taken back is of the argument's first and only meaning, or of none: an
  /// invocation that is repeated never reaches another document.
  @Test func `forget never falls back`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let path = directory + "/c.txt"
      for name in [path, "file://" + path] {
        let document = try #require(DocumentID(name))
        let action = EditAction(replacing: UTF16Range(0..<0), with: "x")
        _ = try await backend.perform(
          AppendRequest(document: document, edits: [AppendEdit(action: action)]))
      }
      let ambiguous = await #expect(throws: CommandError.self) {
        try await ForgetCommand.parse([path, "--yes"]).run(in: Bench(backend).session)
      }
      #expect(ambiguous?.exitCode == 64)
      #expect(ambiguous?.message.contains("documents: file://\(path) and name:\(path);") == true)
      try await ForgetCommand.parse(["file://" + path, "--yes"]).run(in: Bench(backend).session)
      let error = await #expect(throws: ProtocolError.self) {
        try await ForgetCommand.parse([path, "--yes"]).run(in: Bench(backend).session)
      }
      #expect(error?.code == .unknownDocument)
      #expect(error?.message.hasPrefix("there is no document \(path); ") == true)
      #expect(error?.message.hasSuffix("; there is name:\(path)") == true)
      try await ForgetCommand.parse(["name:" + path, "--yes"]).run(in: Bench(backend).session)
      #expect(try await backend.ask(DocumentsRequest()).documents.isEmpty)
      await backend.close()
    }
  }

  @Test func `an error names a file by its path`() async throws {
    let folder = TemporaryFolder()
    let file = try folder.write("x", to: "a b.txt")
    var script = HistoryScript()
    try script.replace(0..<0, "x")
    let store = try RealStore(script.entries, document: FileURI.uri(of: file))
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(UndoCommand.self, [file, "--to", "9"])
    }
    #expect(error?.message.hasPrefix("there is no undo step 9 in \(file.shown); ") == true)
  }

  @Test(arguments: ["t", "there", "document", "no"])
  func `a name that is a part of the error's words`(name: String) async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let other = try #require(DocumentID("other"))
      let action = EditAction(replacing: UTF16Range(0..<0), with: "x")
      _ = try await backend.perform(
        AppendRequest(document: other, edits: [AppendEdit(action: action)]))
      let error = await #expect(throws: ProtocolError.self) {
        try await ForgetCommand.parse([name, "--yes"]).run(in: Bench(backend).session)
      }
      #expect(error?.message.hasPrefix("there is no document \(name)") == true, "\(error as Any)")
      await backend.close()
    }
  }

  /// D10: two histories of one argument are told apart.
  @Test func `a warning says that there are two documents`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let path = directory + "/c.txt"
      let bench = Bench(backend)
      func append(_ argument: String, _ text: String) async throws {
        let document = try await bench.session.documentForWriting(argument).id
        let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
        _ = try await backend.perform(
          AppendRequest(document: document, edits: [AppendEdit(action: action)]))
      }
      try await append("name:" + path, "name")
      #expect(bench.noted.isEmpty)
      // The other is used while there is only that one.
      try await append(path, "same ")
      try await append("file://" + path, "file")
      #expect(bench.noted.isEmpty)
      let reading = Bench(backend)
      let options = try ReadingOptions.parse([])
      for _ in 1...2 {
        let state = try await reading.session.ask(path, options) { StateRequest($0) }
        #expect(state.text == "file")
      }
      #expect(
        reading.noted == """
          editlog: warning: \(path) means two documents: file://\(path), which is used, and \
          name:\(path)

          """)
      let other = try await reading.session.ask("name:" + path, options) { StateRequest($0) }
      #expect(other.text == "same name")
      let listing = Bench(backend)
      try await DocumentsCommand.parse([]).run(in: listing.session)
      #expect(listing.printed.contains("  \(path)\n"))
      #expect(listing.printed.contains("  name:\(path)\n"))
      await backend.close()
    }
  }

  @Test func impossibleNamesAreUsageErrors() throws {
    for name in ["", "name:", #""""#, String(repeating: "x", count: DocumentID.sizeMax + 1)] {
      let error = #expect(throws: CommandError.self) { try DocumentArgument(name) }
      #expect(error?.exitCode == 64)
    }
  }

  @Test func `a document that does not exist is an error of the first candidate`() async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      let bench = Bench(backend)
      let action = EditAction(replacing: UTF16Range(0..<0), with: "x")
      let document = try #require(DocumentID("a"))
      _ = try await backend.perform(
        AppendRequest(document: document, edits: [AppendEdit(action: action)]))
      let options = try ReadingOptions.parse([])
      let error = await #expect(throws: ProtocolError.self) {
        try await bench.session.ask("/y.md", options) { LogRequest($0) }
      }
      #expect(error?.details["document"] == "file:///y.md")
      let (id, exists) = try await bench.session.documentForWriting("/y.md")
      #expect(id.name == "file:///y.md" && !exists)
      await backend.close()
    }
  }

  @Test(
    arguments: [
      (
        nil, nil, [:],
        Location.socket("/run/editlog/editlogd.sock")
      ),
      (
        nil, nil, ["XDG_RUNTIME_DIR": "/run/user/1", "XDG_STATE_HOME": "/s", "HOME": "/h"],
        .either(socket: "/run/user/1/editlog/editlogd.sock", store: "/s/editlog")
      ),
      (nil, nil, ["EDITLOG_SOCKET": "/a", "HOME": "/h"], .socket("/a")),
      (nil, nil, ["EDITLOG_STORE": "/b"], .store("/b")),
      (
        nil, nil, ["EDITLOG_SOCKET": "/a", "EDITLOG_STORE": "/b"],
        .either(socket: "/a", store: "/b")
      ),
      ("/c", nil, ["EDITLOG_STORE": "/b"], .socket("/c")),
      (nil, "/d", ["EDITLOG_SOCKET": "/a"], .store("/d")),
    ] as [(String?, String?, [String: String], Location)])
  func locations(socket: String?, store: String?, variables: [String: String], place: Location) {
    #expect(Location(socket: socket, store: store) { variables[$0] } == place)
  }
}
