import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import Scrubbing
import TestSupport
import Testing

@testable import EditLogCommands

/// `restore`, `undo` and `redo` with `--write`, and their note if they do not write the file.
@Suite struct WrittenFileTests {
  private let folder = TemporaryFolder()

  /// A store and a file with these bytes. The document of the file is `text` with its first line removed.
  private func lost(
    _ bytes: [UInt8], _ text: String = "one\ntwo\n"
  ) throws -> (store: RealStore, file: String) {
    let file = try folder.write("", to: "my notes.md")
    try DiskFile.replace(file, with: bytes)
    var script = HistoryScript()
    try script.replace(0..<0, text, .load)
    script.wait(seconds: 60)
    try script.replace(0..<4, "", .removal)
    let store = try RealStore(script.entries, document: FileURI.uri(of: file))
    return (store, file)
  }

  private func bytes(_ file: String) throws -> String {
    String(decoding: try DiskFile.bytes(file), as: UTF8.self)
  }

  /// The names in the folder.
  private func names() -> [String] {
    guard let stream = opendir(folder.path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// The folder is replaced by a link between the check and the rename: what the link leads to is not written.
  @Test func `a folder that becomes a link leads nowhere else`() throws {
    for isNew in [false, true] {
      let folder = TemporaryFolder()
      let (inside, outside) = (folder.path("in"), folder.path("out"))
      for path in [inside, outside] { try #require(mkdir(path, 0o700) == 0) }
      try DiskFile.replace(outside + "/f", with: Array("old".utf8))
      if !isNew { try DiskFile.replace(inside + "/f", with: Array("old".utf8)) }
      let replacement =
        isNew
        ? try FileReplacement(creating: inside + "/f", with: Array("new".utf8))
        : try FileReplacement(of: inside + "/f") {
          $0 == Array("old".utf8) ? Array("new".utf8) : nil
        }
      try #require(rename(inside, folder.path("moved")) == 0 && symlink(outside, inside) == 0)
      try replacement.finish()
      #expect(try bytes(outside + "/f") == "old")
      #expect(try bytes(folder.path("moved/f")) == "new")
      // A path through the link is refused before anything is read.
      #expect(throws: CommandError.self) {
        try FileReplacement(of: inside + "/f") { $0 == Array("old".utf8) ? Array("new".utf8) : nil }
      }
      #expect(try bytes(outside + "/f") == "old")
    }
  }

  @Test func `the file is written with its mode`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    #expect(chmod(file, 0o640) == 0)
    let (printed, noted, _) = try await store.run(
      RestoreCommand.self, [file, "--at", "1", "--write"])
    #expect(printed == "restored version 1; now at version 3, also in \(file.shown)\n")
    #expect(noted == "")
    #expect(try bytes(file) == "one\ntwo\n")
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o7777 == 0o640)
    // The temporary file is gone.
    #expect(names() == ["my notes.md"])
    let (json, _, _) = try await store.run(
      RestoreCommand.self, [file, "--at", "2", "--write", "--json"])
    #expect(json.contains(#""sequence":4,"changed":true"#) && json.contains(#""file":"\#(file)""#))
    #expect(try bytes(file) == "two\n")
    // Each is a save.
    for (save, text) in [("save:-1", "two\n"), ("save:-2", "one\ntwo\n")] {
      #expect(try await store.run(ShowCommand.self, [file, "--at", save]).printed == text)
    }
    await #expect(throws: ProtocolError.self) {
      try await store.run(ShowCommand.self, [file, "--at", "save:-3"])
    }
  }

  /// An editor reports the text without a byte order mark, with LF, and with or without a last newline.
  @Test(arguments: [
    ("two", "one\ntwo"), ("two\r\n", "one\r\ntwo\r\n"), ("\u{FEFF}two\n", "\u{FEFF}one\ntwo\n"),
    ("\u{FEFF}two\r\n", "\u{FEFF}one\r\ntwo\r\n"),
  ])
  func `what a file has besides its text stays`(old: String, new: String) async throws {
    let (store, file) = try lost(Array(old.utf8))
    for (verb, text) in [("undo", new), ("redo", old), ("undo", new)] {
      let (_, noted, _) =
        verb == "undo"
        ? try await store.run(UndoCommand.self, [file, "--write"])
        : try await store.run(RedoCommand.self, [file, "--write"])
      #expect(noted == "")
      #expect(try bytes(file) == text)
    }
    #expect(try await store.run(ShowCommand.self, [file]).printed == "one\ntwo\n")
  }

  @Test(arguments: ["two\n\n", "other\n", "two\nx", ""])
  func `a file with another text is refused, and nothing is restored`(text: String) async throws {
    let (store, file) = try lost(Array(text.utf8))
    let error = await #expect(throws: CommandError.self) {
      try await store.run(RestoreCommand.self, [file, "--at", "1", "--write"])
    }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains("nothing was changed") == true)
    #expect(try bytes(file) == text)
    #expect(names() == ["my notes.md"])
    #expect(try await store.run(ShowCommand.self, [file]).printed == "two\n")
  }

  @Test func `a link leads to the file, which stays a link`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    let link = folder.path + "/link.md"
    #expect(symlink(file, link) == 0)
    _ = try await store.run(RestoreCommand.self, [link, "--at", "1", "--write"])
    #expect(try bytes(file) == "one\ntwo\n")
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `a file with two names is refused`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    #expect(Glibc.link(file, folder.path + "/second") == 0)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(RestoreCommand.self, [file, "--at", "1", "--write"])
    }
    #expect(error?.message.contains("hard links") == true)
    #expect(try await store.run(ShowCommand.self, [file]).printed == "two\n")
  }

  @Test func `a document of no file is refused`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "one\n")
    try script.replace(0..<4, "", .removal)
    let store = try RealStore(script.entries)
    let error = await #expect(throws: CommandError.self) {
      try await store.run(RestoreCommand.self, ["d", "--at", "1", "--write"])
    }
    #expect(error?.exitCode == 64)
    #expect(error?.message.hasPrefix("d is not the name of a file on this machine") == true)
    #expect(try await store.run(ShowCommand.self, ["d"]).printed == "")
  }

  @Test func `a file whose folder is gone is said to be that`() async throws {
    let file = folder.path("gone/notes.md")
    var script = HistoryScript()
    try script.replace(0..<0, "one\n")
    try script.replace(0..<4, "", .removal)
    let store = try RealStore(script.entries, document: FileURI.uri(of: file))
    for error in [
      await #expect(throws: CommandError.self) {
        try await store.run(UndoCommand.self, [file, "--write"])
      },
      await #expect(throws: CommandError.self) { try await store.run(WriteCommand.self, [file]) },
    ] {
      #expect(error?.exitCode == 73)
      #expect(error?.message.hasPrefix("cannot write \(file): its folder is gone") == true)
    }
    #expect(try await store.run(ShowCommand.self, [file]).printed == "")
  }

  @Test func `a restore says that the file was not changed, and how to write it`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    let (printed, noted, _) = try await store.run(RestoreCommand.self, [file, "--at", "1"])
    #expect(printed == "restored version 1; now at version 3\n")
    #expect(
      noted.contains("Only the history has changed. The file \(file.shown) still has an older text")
    )
    #expect(noted.contains("editlog write '\(file)'"))
    #expect(try bytes(file) == "two\n")
  }

  /// The file may have text that was never logged.
  @Test func `the command that is suggested overwrites nothing`() async throws {
    let (store, file) = try lost(Array("never logged\n".utf8))
    let (_, noted, _) = try await store.run(RestoreCommand.self, [file, "--at", "1"])
    let words = [file, "--at", "latest", "--to", file + ".restored"]
    #expect(noted.contains("editlog restore '\(words[0])' --at latest --to '\(words[4])'"))
    _ = try await store.run(RestoreCommand.self, words)
    #expect(try bytes(file) == "never logged\n" && bytes(words[4]) == "one\ntwo\n")
    await #expect(throws: CommandError.self) { try await store.run(RestoreCommand.self, words) }
    #expect(try bytes(words[4]) == "one\ntwo\n")
  }

  @Test func `undo says it too, and redo if the file differs`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    let (_, undone, _) = try await store.run(UndoCommand.self, [file])
    #expect(
      undone.contains(
        "Only the history has changed. The file \(file.shown) still has an older text")
    )
    // Then the file has the newest text again.
    let (_, redone, _) = try await store.run(RedoCommand.self, [file])
    #expect(redone == "")
    #expect(undone.contains("Next time, --write changes both"))
    #expect(try bytes(file) == "two\n")
  }

  /// A restore that left the file behind does not make the next --write impossible.
  @Test func `write replaces an older text of the history by the newest`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    _ = try await store.run(RestoreCommand.self, [file, "--at", "1"])
    let planned = try await store.run(WriteCommand.self, [file, "--dry-run"])
    #expect(planned.printed == "would write version 3 to \(file.shown)\n")
    #expect(try bytes(file) == "two\n")
    #expect(
      try await store.run(WriteCommand.self, [file]).printed == "wrote version 3 to \(file.shown)\n"
    )
    #expect(try bytes(file) == "one\ntwo\n")
    #expect(
      try await store.run(ShowCommand.self, [file, "--at", "save:-1"]).printed == "one\ntwo\n")
    let again = try await store.run(WriteCommand.self, [file])
    #expect(again.printed == "" && again.noted.contains("already; nothing was changed"))
    let (json, _, _) = try await store.run(WriteCommand.self, [file, "--json"])
    #expect(json == "{\"v\":1,\"sequence\":3,\"changed\":false}\n")
    #expect(names() == ["my notes.md"])
  }

  @Test func `--write replaces an older text of the history`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    _ = try await store.run(RestoreCommand.self, [file, "--at", "1"])
    // There is nothing to restore, but the file is behind.
    let (_, noted, _) = try await store.run(RestoreCommand.self, [file, "--at", "3", "--write"])
    #expect(noted.contains("it was written to \(file.shown)"))
    #expect(try bytes(file) == "one\ntwo\n")
    _ = try await store.run(UndoCommand.self, [file])
    let (undone, _, _) = try await store.run(RedoCommand.self, [file, "--write"])
    #expect(undone.hasPrefix("redid step "))
    #expect(try bytes(file) == "one\ntwo\n")
  }

  @Test func `a text that the history does not have is not overwritten`() async throws {
    let (store, file) = try lost(Array("never logged\n".utf8))
    for arguments in [[file], [file, "--dry-run"]] {
      let error = await #expect(throws: CommandError.self) {
        try await store.run(WriteCommand.self, arguments)
      }
      #expect(error?.exitCode == 65)
    }
    #expect(try bytes(file) == "never logged\n")
  }

  /// The safest call is possible, and says what the real one would do.
  @Test func `--write with --dry-run changes nothing`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    let (_, noted, _) = try await store.run(
      RestoreCommand.self, [file, "--at", "1", "--write", "--dry-run"])
    #expect(noted.contains("The file \(file.shown) would be written."))
    let (_, undone, _) = try await store.run(UndoCommand.self, [file, "--write", "--dry-run"])
    #expect(undone.contains("The file \(file.shown) would be written."))
    let (json, _, _) = try await store.run(
      RestoreCommand.self, [file, "--at", "1", "--write", "--dry-run", "--json"])
    #expect(json.contains("\"file\":"))
    #expect(try bytes(file) == "two\n")
    #expect(try await store.run(ShowCommand.self, [file]).printed == "two\n")
    let (unknown, path) = try lost(Array("never logged\n".utf8))
    await #expect(throws: CommandError.self) {
      try await unknown.run(RestoreCommand.self, [path, "--at", "1", "--write", "--dry-run"])
    }
  }

  @Test func `a file that has the new text already is not noted`() async throws {
    let (store, file) = try lost(Array("one\ntwo\n".utf8))
    let (_, noted, _) = try await store.run(UndoCommand.self, [file])
    #expect(noted == "")
  }

  @Test func `undo and redo write the file`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    let (undone, noted, _) = try await store.run(UndoCommand.self, [file, "--write"])
    #expect(undone == "undid step 2; now at version 3, also in \(file.shown)\n")
    #expect(noted == "")
    #expect(try bytes(file) == "one\ntwo\n")
    let (redone, _, _) = try await store.run(RedoCommand.self, [file, "--write"])
    #expect(redone == "redid step 2; now at version 4, also in \(file.shown)\n")
    #expect(try bytes(file) == "two\n")
    let (json, _, _) = try await store.run(
      UndoCommand.self, [file, "--to", "0", "--write", "--json"])
    #expect(json.contains(#""file":"\#(file)""#))
    #expect(try bytes(file) == "")
    #expect(names() == ["my notes.md"])
  }

  /// `restore --write`, then `undo --write`, and the same with a selection of edits.
  @Test func `undo takes a restore back in the file too`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    _ = try await store.run(RestoreCommand.self, [file, "--at", "1", "--write"])
    _ = try await store.run(UndoCommand.self, [file, "--write"])
    #expect(try bytes(file) == "two\n")
    _ = try await store.run(UndoCommand.self, [file, "--origin", "removal", "--write"])
    #expect(try bytes(file) == "one\ntwo\n")
  }

  @Test(arguments: ["undo", "redo"])
  func `a file with other bytes is not undone`(verb: String) async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    if verb == "redo" { _ = try await store.run(UndoCommand.self, [file, "--write"]) }
    try DiskFile.replace(file, with: Array("other\n".utf8))
    let before = try await store.run(ShowCommand.self, [file]).printed
    let error = await #expect(throws: CommandError.self) {
      if verb == "redo" {
        try await store.run(RedoCommand.self, [file, "--write"])
      } else {
        try await store.run(UndoCommand.self, [file, "--write"])
      }
    }
    #expect(error?.exitCode == 65)
    #expect(error?.message.contains("nothing was changed") == true)
    #expect(try bytes(file) == "other\n")
    #expect(try await store.run(ShowCommand.self, [file]).printed == before)
  }

  @Test func `a missing file is made again`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    unlink(file)
    let (printed, _, _) = try await store.run(RestoreCommand.self, [file, "--at", "1", "--write"])
    #expect(printed == "restored version 1; now at version 3, also in \(file.shown)\n")
    #expect(try bytes(file) == "one\ntwo\n")
    #expect(names() == ["my notes.md"])
    // Nothing changes in the text, but the file is made.
    unlink(file)
    _ = try await store.run(RestoreCommand.self, [file, "--at", "3", "--write"])
    #expect(try bytes(file) == "one\ntwo\n")
    // A link to nowhere is no missing file, nor is one in a missing folder.
    unlink(file)
    #expect(symlink("nowhere", file) == 0)
    await #expect(throws: CommandError.self) {
      try await store.run(UndoCommand.self, [file, "--write"])
    }
    #expect(names() == ["my notes.md"])
  }

  @Test func `a dry run of redo shows what would change`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    _ = try await store.run(UndoCommand.self, [file])
    let (printed, noted, _) = try await store.run(RedoCommand.self, [file, "--dry-run"])
    #expect(noted == "To redo step 2 would change:\n")
    #expect(printed == "@@ -1,2 +1 @@\n-one\n two\n")
    let (json, _, _) = try await store.run(RedoCommand.self, [file, "--dry-run", "--json"])
    #expect(json.contains(#""step":2"#) && json.contains(#""origin":"redo""#))
    #expect(try await store.run(ShowCommand.self, [file]).printed == "one\ntwo\n")
  }

  @Test func `a screen asks whether to write the file`() async throws {
    let (store, file) = try lost(Array("two\n".utf8))
    let result = try await store.run { session in
      let runner = ScrubRunner(
        file, session, .store(store.path), try AuthorOption.parse([]), try ReadingOptions.parse([]))
      let restore = ScrubRestore.version(1)
      let asked = await runner.perform(.preview(restore))
      guard case .answer(_, .preview(_, base: 2, file: file, fileProblem: _)) = asked else {
        Issue.record("\(asked)")
        return
      }
      let request = ScrubRequest.restore(restore, base: 2, writesFile: true)
      #expect(
        await runner.perform(request)
          == .answer(request, .restored(3, isChanged: true, file: .written(file))))
      #expect(try bytes(file) == "one\ntwo\n")
      // Without writing, the answer has a command.
      let second = ScrubRequest.restore(.version(2), base: 3)
      let command = "editlog restore '\(file)' --at latest --to '\(file).restored'"
      #expect(
        await runner.perform(second)
          == .answer(
            second, .restored(4, isChanged: true, file: .unchanged(file, command: command))))
      #expect(try bytes(file) == "one\ntwo\n")
      // The file has an older text of the history.
      guard
        case .answer(_, .preview(_, base: 4, file: file, fileProblem: nil)) =
          await runner.perform(.preview(restore))
      else {
        Issue.record("a file with an older text is not offered")
        return
      }
      // The file has a text that the history does not have, so writing is not offered.
      try DiskFile.replace(file, with: Array("never logged\n".utf8))
      guard
        case .answer(_, .preview(_, base: 4, file: nil, fileProblem: .changed)) =
          await runner.perform(.preview(restore))
      else {
        Issue.record("a file that cannot be written is offered")
        return
      }
      await runner.close()
    }
    #expect(result.exitCode == 0)
  }
}
