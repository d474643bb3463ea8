import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct RenameVerbTests {
  private func id(_ name: String) throws -> DocumentID { try #require(DocumentID(name)) }

  /// Runs `body` with documents of these names, each with its name as its text.
  private func withDocuments(
    _ names: [String], _ body: (any Backend, String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let backend = try await makeStoreBackend(path: directory + "/store")
      for name in names {
        let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(name))
        _ = try await backend.perform(
          AppendRequest(document: try id(name), edits: [AppendEdit(action: action)]))
      }
      try await body(backend, directory)
      await backend.close()
    }
  }

  private func names(_ backend: any Backend) async throws -> [String] {
    try await backend.ask(DocumentsRequest()).documents.map(\.document.name).sorted()
  }

  private func run(_ arguments: [String], _ backend: any Backend) async throws -> String {
    let bench = Bench(backend)
    try await RenameCommand.parse(arguments).run(in: bench.session)
    return bench.printed
  }

  @Test func `a document gets the new name of its file`() async throws {
    try await withDocuments(["file:///w/old%20%C3%A9.md", "essay"]) { backend, _ in
      let file = try await run(["/w/old é.md", "/w/new é.md"], backend)
      #expect(file == "/w/old é.md is now /w/new é.md\n")
      let other = try await run(["essay", "novel"], backend)
      #expect(other == "essay is now novel\n")
      let names = try await names(backend)
      #expect(names == ["file:///w/new%20%C3%A9.md", "novel"])
    }
  }

  /// `mv draft.md essay.md; editlog rename draft.md essay.md`
  @Test func `a relative name means the document of a file that is gone`() async throws {
    let folder = DocumentArgument.workingDirectory
    let (draft, other) = ("no-such-draft.md", "no-such-notes.md")
    func uri(_ name: String) -> String { FileURI.uri(of: FileURI.absolute(name, in: folder)) }
    try await withDocuments([uri(draft), uri(other), other]) { backend, _ in
      let renamed = try await run([draft, "no-such-essay.md"], backend)
      #expect(renamed == "\(folder)/\(draft) is now \(folder)/no-such-essay.md\n")
      // Of two documents, none is taken for granted.
      let error = await #expect(throws: CommandError.self) {
        try await run([other, "no-such-draft.md"], backend)
      }
      #expect(error?.exitCode == 64)
      let names = try await names(backend)
      #expect(names == [uri("no-such-essay.md"), uri(other), other].sorted())
      // What cannot be taken back wants the exact name.
      let kept = await #expect(throws: ProtocolError.self) {
        try await ForgetCommand.parse(["no-such-essay.md", "--yes"]).run(in: Bench(backend).session)
      }
      #expect(kept?.code == .unknownDocument)
    }
  }

  @Test func `a name that another document has is refused`() async throws {
    try await withDocuments(["a", "b"]) { backend, _ in
      let error = await #expect(throws: CommandError.self) { try await run(["a", "b"], backend) }
      #expect(error?.exitCode == 65)
      #expect(error?.message.contains("b is the name of another document; nothing") == true)
      let missing = await #expect(throws: ProtocolError.self) {
        try await run(["x", "y"], backend)
      }
      #expect(missing?.code == .unknownDocument)
      let names = try await names(backend)
      #expect(names == ["a", "b"])
    }
  }

  @Test func `all documents of a store that was copied to another home`() async throws {
    let old = [
      "file:///home/ada/a.md", "file:///home/ada/b/c%20d.md", "file:///home/adam/x.md", "a",
    ]
    try await withDocuments(old) { backend, _ in
      let arguments = ["--prefix", "/home/ada/", "/home/bob"]
      let plan = try await run(arguments + ["--dry-run", "--json"], backend)
      #expect(plan.contains(#""to":"file:///home/bob/b/c%20d.md""#))
      #expect(try await names(backend) == old.sorted())
      #expect(try await run(arguments, backend).split(separator: "\n").count == 2)
      #expect(
        try await names(backend) == [
          "a", "file:///home/adam/x.md", "file:///home/bob/a.md", "file:///home/bob/b/c%20d.md",
        ])
      let again = await #expect(throws: ProtocolError.self) { try await run(arguments, backend) }
      #expect(again?.code == .unknownDocument)
      // The former name still finds it.
      let bench = Bench(backend)
      try await ShowCommand.parse(["/home/ada/a.md"]).run(in: bench.session)
      #expect(bench.printed == "file:///home/ada/a.md")
    }
  }

  @Test func `if one new name is taken, none is renamed`() async throws {
    let all = ["file:///n/b", "file:///o/a", "file:///o/b"]
    try await withDocuments(all) { backend, _ in
      let error = await #expect(throws: CommandError.self) {
        try await run(["--prefix", "/o", "/n"], backend)
      }
      #expect(error?.message.hasPrefix("/n/b is the name of another document;") == true)
      let names = try await names(backend)
      #expect(names == all)
    }
  }

  /// A file that was moved while nothing recorded that: the error about its name names the document.
  @Test func `a file without a history has the text of a document whose file is gone`() async throws
  {
    try await withTemporaryDirectory { directory in
      let files = TemporaryFolder()
      let (path, other) = (
        try files.write("one\ntwo\n", to: "new.md"), try files.write("x", to: "x.md")
      )
      _ = try files.write("one\ntwo", to: "kept.md")
      let backend = try await makeStoreBackend(path: directory + "/store")
      for (name, text) in [("old é.md", "one\ntwo"), ("b.md", "other"), ("kept.md", "one\ntwo")] {
        let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text))
        _ = try await backend.perform(
          AppendRequest(
            document: try id("file://\(files.path(name))"), edits: [AppendEdit(action: action)]))
      }
      for verb in [ShowCommand.self, LogCommand.self] as [any Verb.Type] {
        let error = await #expect(throws: ProtocolError.self) {
          try await verb.parse([path]).run(in: Bench(backend).session)
        }
        #expect(error?.code == .unknownDocument)
        let command = "`editlog rename '\(files.path("old é.md"))' \(path)` gives"
        #expect(error?.message.contains(command) == true, "\(error?.message ?? "")")
      }
      let error = await #expect(throws: ProtocolError.self) {
        try await ShowCommand.parse([other]).run(in: Bench(backend).session)
      }
      #expect(error?.message.contains("editlog rename") == false)
      // Of two documents with the text, none is taken for granted.
      let action = EditAction(replacing: UTF16Range(0..<0), with: "one\ntwo")
      let second = try id("file://\(files.path("a/older.md"))")
      _ = try await backend.perform(
        AppendRequest(document: second, edits: [AppendEdit(action: action)]))
      let both = await #expect(throws: ProtocolError.self) {
        try await ShowCommand.parse([path]).run(in: Bench(backend).session)
      }
      for old in ["'\(files.path("old é.md"))'", files.path("a/older.md")] {
        #expect(both?.message.contains("`editlog rename \(old) \(path)`") == true)
      }
      #expect(both?.message.contains(" or `editlog rename ") == true, "\(both?.message ?? "")")
      await backend.close()
    }
  }

  @Test func `a folder that was moved is renamed with --prefix`() async throws {
    let files = TemporaryFolder()
    let (old, new) = (files.path("f1"), files.path("f2"))
    try #require(mkdir(new, 0o700) == 0)
    let documents = ["0.md", "1.md"].map { "file://\(old)/\($0)" }
    // The text of each document is its name.
    _ = try files.write(documents[0], to: "f2/0.md")
    try await withDocuments(documents) { backend, _ in
      let command = "`editlog rename --prefix \(old) \(new)`"
      let error = await #expect(throws: ProtocolError.self) { try await run([old, new], backend) }
      #expect(error?.code == .unknownDocument)
      #expect(
        error?.message
          == "there is no document \(old), but 2 are in that folder: \(command) renames all of them"
      )
      let log = await #expect(throws: ProtocolError.self) {
        try await LogCommand.parse([new + "/0.md"]).run(in: Bench(backend).session)
      }
      #expect(log?.message.contains("`editlog rename \(old)/0.md \(new)/0.md`") == true)
      #expect(
        log?.message.contains("\(command) does so for all 2 documents") == true,
        "\(log?.message ?? "")")
    }
  }

  @Test func `the folders of a move`() {
    func folders(_ old: String, _ new: String) -> [String]? {
      MovedDocuments.folders(of: old, movedTo: new) { $0 != "/w" }.map { [$0.old, $0.new] }
    }
    #expect(folders("/w/f1/a/0.md", "/w/f2/a/0.md") == ["/w/f1", "/w/f2"])
    #expect(folders("/w/f1/0.md", "/w/f2/1.md") == nil)
    #expect(folders("/w/0.md", "/v/0.md") == nil)
    #expect(folders("/f/0.md", "/0.md") == nil)
  }

  @Test func `the likeliest of the documents whose files are gone`() throws {
    let documents = try ["/a/x.md", "/b/y.md", "/c/y.md", "/d/z.md", "/e/y.md"].enumerated().map {
      ListedDocument(
        document: try id("file://" + $1), number: UInt64($0 + 1), sequence: 1, size: 1,
        lastTime: Timestamp(nanoseconds: Int64($0)))
    }
    let found = MovedDocuments(among: documents) { $0 != "/c/y.md" }.candidates(for: "/n/y.md")
    #expect(found.map(\.argument) == ["/e/y.md", "/b/y.md", "/d/z.md", "/a/x.md"])
  }

  /// The renames one after the other give what all at once would, and no name is taken before it is free.
  @Test(arguments: [("a", "a/b"), ("a/b", "a"), ("a", "b"), ("name:a", "name:b/c")])
  func `renames are in an order in which names are free`(old: String, new: String) throws {
    let names = try ["a/b/x", "a/y", "a/b/b/x", "a/b/b/b/x", "c/x", "ab/x"].map { try id($0) }
    let moves = try FolderRename.moves(from: old, to: new, among: names, directory: "/w")
    var current = Set(names)
    #expect(!moves.isEmpty)
    for move in moves {
      #expect(current.remove(move.document) != nil)
      #expect(current.insert(move.name).inserted, "\(move)")
    }
    let kept = try ["c/x", "ab/x"].map { try id($0) }
    #expect(kept.allSatisfy(current.contains))
  }

  @Test func `folders are compared by their bytes`() throws {
    let names = try ["file:///cafe%CC%81/x", "file:///caf%C3%A9/x"].map { try id($0) }
    let moves = try FolderRename.moves(
      from: "/cafe\u{301}", to: "/tea", among: names, directory: "/")
    #expect(moves.map(\.document) == [names[0]])
  }
}
