import ArgumentParser
import DaemonTestSupport
import Dispatch
import EditClient
import EditJSON
import EditModel
import EditProtocol
import EditSpool
import FileWatch
import Glibc
import NIOCore
import Subprocess
import Synchronization
import TestSupport
import Testing

@testable import EditLogCommands

/// `editlog watch` with a real daemon: what is logged when files are saved.
@Suite(.timeLimit(.minutes(10))) struct WatchTests {
  @Test func `each save is logged as a difference in one transaction`() async throws {
    try await withWatch { watch in
      try watch.write("one\ntwo\nthree\n", "a.md")
    } body: { watch, client in
      let name = watch.name("a.md")
      try await watch.untilText("one\ntwo\nthree\n", "a.md", client)
      try watch.write("ONE\ntwo\nthree!\n", "a.md")
      try await watch.untilText("ONE\ntwo\nthree!\n", "a.md", client)
      // An atomic save.
      try watch.write("ONE\nthree!\n", ".a.md.new")
      try watch.rename(".a.md.new", "a.md")
      try await watch.untilText("ONE\nthree!\n", "a.md", client)
      let edits = try await client.edits(of: name)
      #expect(edits.map(\.origin) == [.load, .external, .external, .external])
      #expect(edits.map(\.transaction) == [1, 2, 2, 4])
      #expect(edits.dropFirst().allSatisfy { $0.action.range.length < 5 })
      #expect(try await client.saves(of: name) == [1, 3, 4])
      #expect(try await client.events(of: name).count == 3)
    }
  }

  /// The pause that follows the rename of a document's own file would never end here.
  @Test func `a save by a rename waits for no other file`() async throws {
    try await withWatch { watch in
      try watch.write("0\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("0\n", "a.md", client)
      for number in 1...3 {
        try watch.writeInPlace("\(number)\n", watch.path("a.new"))
        try watch.rename("a.new", "a.md")
        try await watch.untilText("\(number)\n", "a.md", client)
      }
      #expect(try await client.saves(of: watch.name("a.md")).count == 4)
    } change: {
      $0.renamePause = .seconds(3_600)
    }
  }

  @Test func `a save is a point of the history, and the next comparison logs none`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
    } body: { watch, client in
      let name = watch.name("a.md")
      try await watch.untilText("one\n", "a.md", client)
      try watch.write("one\ntwo\n", "a.md")
      try await watch.untilText("one\ntwo\n", "a.md", client)
      let request = VersionRequest(
        HistoryReference(document(name)), at: PointExpression(.save(-1)))
      #expect(try await client.call(request).sequence == 2)
      try watch.write("one\ntwo\n", "a.md")
      try watch.write("marker", "z.md")
      try await watch.untilText("marker", "z.md", client)
      #expect(try await client.saves(of: name) == [1, 2])
    }
  }

  @Test func `texts are exact, but for a byte order mark`() async throws {
    try await withWatch { watch in
      try watch.write("\u{FEFF}a\r\nb\r\n", "a.txt")
    } body: { watch, client in
      for (file, text) in [
        ("\u{FEFF}a\r\nb\r\n", "a\r\nb\r\n"), ("a\nb\n", "a\nb\n"), ("a\nb", "a\nb"),
        ("a\nb\n", "a\nb\n"), ("", ""), ("\u{FEFF}😀\r\n", "😀\r\n"),
      ] {
        try watch.writeInPlace(file, watch.path("a.txt"))
        try await watch.untilText(text, "a.txt", client)
      }
    }
  }

  /// A program that empties a file, and writes it later: the difference is that of the texts.
  @Test func `a file that is empty for a moment keeps its paragraphs`() async throws {
    try await withWatch { watch in
      try watch.write("one\ntwo\nthree\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\ntwo\nthree\n", "a.md", client)
      try watch.writeInPlace("", watch.path("a.md"))
      try watch.write("marker", "z.md")
      try await watch.untilText("marker", "z.md", client)
      try watch.write("one\n2\nthree\n", "a.md")
      try await watch.untilText("one\n2\nthree\n", "a.md", client)
      let edits = try await client.edits(of: watch.name("a.md"))
      // On a very busy machine it may have been empty for two seconds.
      if edits.count == 2 { #expect(edits[1].action.range == UTF16Range(4..<7)) }
      try watch.writeInPlace("", watch.path("a.md"))
      try await watch.untilText("", "a.md", client)
    }
  }

  @Test func `new folders, many files and a checkout are logged`() async throws {
    try await withWatch { watch in
      try await watch.git("init", "-q")
    } body: { watch, client in
      func text(_ index: Int, _ version: Int) -> String { "file \(index)\nversion \(version)\n" }
      for version in 1...2 {
        for index in 0..<300 {
          if index % 50 == 0, version == 1 { try watch.makeFolder("d\(index / 50)") }
          try watch.write(text(index, version), "d\(index / 50)/f\(index)")
        }
        try await watch.git("add", ".")
        try await watch.git("commit", "-qm", "\(version)")
        try await watch.untilText(text(299, version), "d5/f299", client)
      }
      try await watch.git("checkout", "-q", "HEAD~1")
      for index in 0..<300 {
        try await watch.untilText(text(index, 1), "d\(index / 50)/f\(index)", client)
      }
      let documents = try await client.call(DocumentsRequest()).documents.map(\.document.name)
      #expect(documents.count == 300, "git's own files are not watched")
    }
  }

  @Test func `what is not logged is said once`() async throws {
    try await withWatch { watch in
      try watch.write("text\0", "a.bin")
      try watch.write(String(repeating: "x", count: 5_000), "large.txt")
      try watch.write("*.log\n", ".gitignore")
      try watch.write("ignored", "a.log")
      try watch.write("gone", "gone.md")
      try watch.write("renamed", "old.md")
    } body: { watch, client in
      try await watch.untilText("*.log\n", ".gitignore", client)
      try watch.write("more text\0", "a.bin")
      try watch.remove("gone.md")
      try await watch.untilNoted("gone.md is gone; its document stays")
      try watch.rename("old.md", "new.md")
      try await watch.untilNoted("old.md was renamed, and its document too")
      try await watch.untilText("renamed", "new.md", client)
      try watch.write("now it is text", "a.bin")
      try await watch.untilText("now it is text", "a.bin", client)
      for line in [
        "a.bin is binary: NUL bytes; skipped",
        "large.txt is larger than 4.9 KiB (--max-size); skipped",
      ] {
        #expect(watch.notes.filter { $0.hasSuffix("/" + line) }.count == 1, "\(watch.notes)")
      }
      let summary = "compared 5 files with the log: 3 new, 2 skipped"
      #expect(watch.notes.contains(summary), "\(watch.notes)")
      #expect(try await client.text(of: watch.name("gone.md")) == "gone")
      #expect(await refusal { try await client.text(of: watch.name("a.log")) } != nil)
    } change: {
      $0.sizeMax = 4_999
    }
  }

  @Test func `texts in other encodings are logged, or said not to be UTF-8`() async throws {
    func prepare(_ watch: WatchHarness) throws {
      try watch.write([0x63, 0x61, 0x66, 0xE9, 0x0A], "latin1.txt")
      try watch.write([0xFF, 0xFE, 0x68, 0, 0x69, 0, 0x0A, 0], "utf16.txt")
      try watch.write([0xFF, 0xFE, 0x68, 0, 0x0A], "cut.txt")
    }
    try await withWatch {
      try prepare($0)
    } body: { watch, client in
      try await watch.untilText("hi\n", "utf16.txt", client)
      try await watch.untilNoted("latin1.txt is not UTF-8; skipped (--encoding")
      try await watch.untilNoted("cut.txt is not UTF-16LE: its byte order mark names that")
      #expect(!watch.notes.contains { $0.contains("binary") }, "\(watch.notes)")
    }
    try await withWatch {
      try prepare($0)
    } body: { watch, client in
      try await watch.untilText("café\n", "latin1.txt", client)
      try watch.write([0x63, 0xE9, 0x0A], "latin1.txt")
      try await watch.untilText("cé\n", "latin1.txt", client)
    } change: {
      $0.encoding = TextEncoding(named: "latin1")
    }
  }

  @Test func `the files that are skipped are counted in the status`() async throws {
    let identity = try #require(
      SessionID("w").flatMap { session in
        SessionDescription(client: "watch").flatMap { ClientIdentity(session: session, client: $0) }
      })
    try await withWatch { watch in
      try watch.write("text\0", "a.bin")
      try watch.write([0x63, 0xE9], "b.txt")
      try watch.link("b.txt", "l.txt")
      try watch.link("b.txt", "m.txt")
    } body: { watch, client in
      func skipped() async throws -> [String] {
        try await client.call(StatusRequest()).daemon?.clients.flatMap { client in
          client.identity.skipped.reasons.map { "\($0.reason.rawValue) \($0.count)" }
        } ?? []
      }
      try await until { try await skipped() == ["binary 1", "notUTF8 1", "symbolicLink 2"] }
      try watch.write("text\0", "c.bin")
      try await until { try await skipped() == ["binary 2", "notUTF8 1", "symbolicLink 2"] }
      try watch.remove("l.txt")
      try watch.remove("m.txt")
      try watch.remove("a.bin")
      try watch.remove("c.bin")
      try watch.write("now it is", "b.txt")
      try await until { try await skipped().isEmpty }
      try await watch.untilText("now it is", "b.txt", client)
    } change: {
      $0.identity = identity
    }
  }

  // MARK: Renames

  @Test func `a renamed file keeps its document`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
      try watch.makeFolder("d")
      try watch.makeFolder("d/in")
      for index in 0..<40 { try watch.write("text \(index)\n", "d/in/\(index)") }
    } body: { watch, client in
      try await watch.untilText("text 39\n", "d/in/39", client)
      try await watch.untilText("one\n", "a.md", client)
      try watch.rename("a.md", "b.md")
      // Renamed twice, and changed, before it is due.
      try watch.rename("b.md", "c.md")
      try watch.write("one\ntwo\n", "c.md")
      try await watch.untilText("one\ntwo\n", "c.md", client)
      let name = watch.name("c.md")
      #expect(try await client.edits(of: name).map(\.origin) == [.load, .external])
      #expect(try await client.renames(of: name) == [document(watch.name("a.md"))])
      #expect(await refusal { try await client.text(of: watch.name("a.md")) } != nil)
      try watch.rename("d", "e")
      for index in 0..<40 {
        try await watch.untilText("text \(index)\n", "e/in/\(index)", client)
        let name = watch.name("e/in/\(index)")
        let old = document(watch.name("d/in/\(index)"))
        #expect(try await client.renames(of: name) == [old])
      }
      // On a busy machine, they are noted in several parts. The file before the folder counts too.
      try await until {
        watch.notes.reduce(0) { count, note in
          if note.contains("was renamed, and its document too") { return count + 1 }
          guard note.contains("were renamed, and their documents too") else { return count }
          return count + (note.split(separator: " ").lazy.compactMap { Int($0) }.first ?? 0)
        } >= 41
      }
      #expect(try await client.call(DocumentsRequest()).documents.count == 41)
    }
  }

  /// As Vim and others save: the old file is renamed, written again, and the backup is removed or kept.
  @Test func `an editor's save by renaming is a change of the file`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
      try watch.write("one\n", "b.md")
    } body: { watch, client in
      try await watch.untilText("one\n", "b.md", client)
      for (name, keepsBackup) in [("a.md", true), ("b.md", false)] {
        try watch.rename(name, name + ".bak")
        try watch.writeInPlace("one\ntwo\n", watch.path(name))
        if !keepsBackup { try watch.remove(name + ".bak") }
        try await watch.untilText("one\ntwo\n", name, client)
        let id = watch.name(name)
        #expect(try await client.edits(of: id).map(\.origin) == [.load, .external])
        #expect(try await client.renames(of: id) == [])
      }
      try await watch.untilText("one\n", "a.md.bak", client)
      #expect(try await client.edits(of: watch.name("a.md.bak")).map(\.origin) == [.load])
      // A backup that is made, and a file that is written a second later.
      try watch.rename("a.md", "a.old")
      try await Task.sleep(for: .seconds(1))
      try watch.write("three\n", "a.md")
      try await watch.untilText("three\n", "a.md", client)
      try await watch.untilText("one\ntwo\n", "a.old", client)
      #expect(try await client.renames(of: watch.name("a.md")) == [])
      #expect(!watch.notes.contains { $0.contains("renamed") }, "\(watch.notes)")
    }
  }

  /// As rsync, Syncthing and browsers do. The text of a temporary file that is half written is no document.
  @Test func `a new file that is renamed onto another was no document`() async throws {
    try await withWatch { watch in
      try watch.write("first\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("first\n", "a.md", client)
      for (index, temporary) in [".a.md.Xa12bC", ".syncthing.a.md.tmp", "d/a.md.part"].enumerated()
      {
        if index == 2 { try watch.makeFolder("d") }
        var text = ""
        for part in 1...3 {
          text += "part \(part) of \(index)\n"
          try watch.writeInPlace(text, watch.path(temporary))
          // What comes after it is compared: it was too.
          try watch.write("marker \(index) \(part)", "z.md")
          try await watch.untilText("marker \(index) \(part)", "z.md", client)
          try await Task.sleep(for: .milliseconds(150))
        }
        try watch.rename(temporary, "a.md")
        try await watch.untilText(text, "a.md", client)
      }
      let documents = try await client.call(DocumentsRequest()).documents.map(\.document.name)
      #expect(Set(documents) == [watch.name("a.md"), watch.name("z.md")])
      #expect(!watch.notes.contains { $0.contains("gone") }, "\(watch.notes)")
    } change: {
      ($0.newPause, $0.newPauseMax) = (.seconds(3_600), .seconds(3_600))
    }
  }

  @Test func `a new file begins its document once it does not change`() async throws {
    try await withWatch { watch in
      try watch.write("first\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("first\n", "a.md", client)
      try watch.writeInPlace("", watch.path("b.md"))
      try watch.writeInPlace("new\n", watch.path("b.md"))
      try await watch.untilText("new\n", "b.md", client)
      // A file with a document is not waited for, though it is made again.
      try watch.rename("a.md", "a.md~")
      try watch.writeInPlace("second\n", watch.path("a.md"))
      try await watch.untilText("second\n", "a.md", client)
    } change: {
      $0.newPause = .milliseconds(300)
    }
  }

  /// One that changes all the time is waited for, for a limited time.
  @Test func `a new file that changes all the time begins its document`() async throws {
    try await withWatch { watch in
      try watch.write("first\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("first\n", "a.md", client)
      for number in 1... {
        try watch.writeInPlace("\(number)\n", watch.path("b.md"))
        try await Task.sleep(for: .milliseconds(20))
        if (try? await client.text(of: watch.name("b.md"))) != nil { break }
      }
    } change: {
      ($0.newPause, $0.newPauseMax) = (.seconds(3_600), .milliseconds(100))
    }
  }

  /// Between the append and the rename of `restore --write`, the file has the old text.
  @Test func `a file that is about to be replaced is not compared`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\n", "a.md", client)
      let temporary = ".a.md.editlog-\(getpid())~"
      try watch.write("two\n", temporary)
      // It stays new until it is renamed, however long that takes.
      let path = watch.path(temporary)
      DispatchQueue(label: "temporary file").async {
        while chmod(path, 0o600) == 0 { usleep(20_000) }
      }
      // A process of this number is none that runs.
      try watch.write("two\n", ".b.md.editlog-2147483647~")
      try watch.write("three\n", "a.md")
      try watch.write("other\n", "b.md")
      try await watch.untilText("other\n", "b.md", client)
      #expect(try await client.text(of: watch.name("a.md")) == "one\n")
      try watch.rename(temporary, "a.md")
      try await watch.untilText("two\n", "a.md", client)
      // One that was left behind holds up nothing.
      try watch.write("two\n", ".a.md.editlog-\(getppid())~")
      try watch.write("four\n", "a.md")
      try await watch.untilText("four\n", "a.md", client)
    }
  }

  @Test func `a link to a file is not followed, and no file that is gone`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\n", "a.md", client)
      try watch.link("a.md", "link.md")
      try watch.write("other\n", "b.md")
      try await watch.untilText("other\n", "b.md", client)
      try watch.remove("link.md")
      try watch.write("two\n", "a.md")
      try await watch.untilText("two\n", "a.md", client)
      #expect(!watch.notes.contains { $0.contains("gone") }, "\(watch.notes)")
    }
  }

  @Test func `a link that is given is watched under its own name`() async throws {
    let folder = TemporaryFolder()
    let watch = try WatchHarness(in: folder, root: folder.path("files/link.md"))
    try watch.writeInPlace("one\n", watch.path("a.md"))
    try watch.link("a.md", "link.md")
    try await withClient(in: folder) { client, _ in
      watch.start()
      try await watch.untilText("one\n", "link.md", client)
      try watch.write("two\n", "b.md")
      try watch.remove("link.md")
      try watch.link("b.md", "link.md")
      try await watch.untilText("two\n", "link.md", client)
      try await watch.stop()
      let documents = try await client.call(DocumentsRequest()).documents
      #expect(documents.map(\.document.name) == [watch.name("link.md")])
    }
  }

  @Test func `a rename onto a known name, out of the folder or into it is none`() async throws {
    try await withWatch { watch in
      for name in ["a.md", "b.md", "out.md"] { try watch.write(name, name) }
    } body: { watch, client in
      try await watch.untilText("out.md", "out.md", client)
      try watch.rename("a.md", "b.md")
      try await watch.untilText("a.md", "b.md", client)
      try await watch.untilNoted("a.md was renamed; its document keeps the old name")
      #expect(try await client.edits(of: watch.name("b.md")).map(\.origin).first == .load)
      #expect(try await client.renames(of: watch.name("b.md")) == [])
      #expect(try await client.text(of: watch.name("a.md")) == "a.md")
      try watch.moveOut("out.md")
      try await watch.untilNoted("out.md is gone; its document stays")
      try watch.moveIn("in.md")
      try await watch.untilText("out.md", "in.md", client)
      #expect(try await client.renames(of: watch.name("in.md")) == [])
    }
  }

  @Test func `a file that git moves keeps its document, and a checkout is no rename`() async throws
  {
    try await withWatch { watch in
      try await watch.git("init", "-q")
      try watch.write("text\n", "a.md")
      try await watch.git("add", ".")
      try await watch.git("commit", "-qm", "1")
    } body: { watch, client in
      try await watch.untilText("text\n", "a.md", client)
      try await watch.git("mv", "a.md", "b.md")
      try await watch.untilText("text\n", "b.md", client)
      #expect(try await client.renames(of: watch.name("b.md")).count == 1)
      try await watch.git("commit", "-qm", "2")
      try await watch.git("checkout", "-q", "HEAD~1")
      try await watch.untilText("text\n", "a.md", client)
      #expect(try await client.renames(of: watch.name("a.md")) == [])
      try await watch.untilNoted("b.md is gone; its document stays")
    }
  }

  @Test func `the document of a renamed file that an editor has open stays`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\n", "a.md", client)
      let editor = try await Editor(watch)
      try await editor.open("one\n", "a.md")
      try watch.rename("a.md", "b.md")
      try await watch.untilText("one\n", "b.md", client)
      #expect(try await client.renames(of: watch.name("b.md")) == [])
      try await editor.type("!", atLine: 0, "a.md")
      try await watch.untilText("!one\n", "a.md", client)
      try await watch.untilNoted("a.md was renamed; its document keeps the old name")
      await editor.end()
    }
  }

  // MARK: Editors

  /// An editor's own save is logged once: by its messages.
  @Test func `a save of an editor is not logged again`() async throws {
    try await withWatch { watch in
      try watch.write("one\r\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\r\n", "a.md", client)
      let editor = try await Editor(watch)
      // Many editors send LF for CR LF.
      try await editor.open("one\n", "a.md")
      try await editor.type("two\n", atLine: 1, "a.md")
      try watch.write("one\r\ntwo\r\n", "a.md")
      try await editor.save("a.md")
      try await watch.untilText("one\ntwo\n", "a.md", client)
      try await editor.close("a.md")
      try await until { try await client.events(of: watch.name("a.md")).last?.isClosing == true }
      let entries = try await client.entries(of: watch.name("a.md"))
      // Its next save by another program is compared when this marker is.
      try watch.write("one\r\ntwo\r\n", "a.md")
      try watch.write("marker", "z.md")
      try await watch.untilText("marker", "z.md", client)
      #expect(try await client.entries(of: watch.name("a.md")) == entries)
      try watch.write("one\r\ntwo\r\nthree\r\n", "a.md")
      // The document keeps the editor's line ends.
      try await watch.untilText("one\ntwo\nthree\n", "a.md", client)
      #expect(try await client.edits(of: watch.name("a.md")).last?.action.newLength == 6)
      await editor.end()
    }
  }

  /// No editor sends the mark.
  @Test func `an editor that opens a file with a byte order mark logs no edit`() async throws {
    try await withWatch { watch in
      try watch.write("\u{FEFF}hi\n", "a.md")
      try watch.write([0xFF, 0xFE, 0x68, 0, 0x69, 0, 0x0A, 0], "b.md")
    } body: { watch, client in
      let editor = try await Editor(watch)
      for file in ["a.md", "b.md"] {
        try await watch.untilText("hi\n", file, client)
        try await editor.open("hi\n", file)
        try await editor.close(file)
        #expect(try await client.edits(of: watch.name(file)).map(\.origin) == [.load])
      }
      await editor.end()
    }
  }

  /// An editor reports LF, no mark, and maybe a last newline that the file lacks. Another program then appends to the
  /// file.
  @Test func `undo and redo restore the bytes of a file that editors and watch logged`()
    async throws
  {
    let wide = try #require(TextEncoding(named: "UTF-16LE"))
    let cases: [(file: String, reported: String, later: String, text: String, TextEncoding)] = [
      ("one\r\n2\r\n", "one\n2\n", "one\r\n2\r\n3\r\n", "one\n2\n3\n", .utf8),
      ("\u{FEFF}one\n", "one\n", "\u{FEFF}one\ntwo\n", "one\ntwo\n", .utf8),
      ("one\n2", "one\n2\n", "one\n2\n3", "one\n2\n3\n", .utf8),
      ("one\n2", "one\n2", "one\n23\n", "one\n23\n", .utf8),
      ("\u{FEFF}one\r\n", "one\n", "\u{FEFF}one\r\ntwo\r\n", "one\ntwo\n", wide),
    ]
    let folder = TemporaryFolder()
    func once() throws -> WatchHarness { try WatchHarness(in: folder) { $0.isOnce = true } }
    let watch = try once()
    try await withClient(in: folder) { client, _ in
      let editor = try await Editor(watch)
      for (index, (file, reported, later, text, encoding)) in cases.enumerated() {
        let name = "\(index).md"
        func bytes(_ text: String) throws -> [UInt8] {
          try #require(encoding.encode(Array(text.utf16)))
        }
        func expect(_ bytes: [UInt8], after verb: String) throws {
          #expect(try DiskFile.bytes(watch.path(name)) == bytes, "\(verb) \(index)")
        }
        try watch.write(bytes(file), name)
        try await editor.open(reported, name)
        try await editor.close(name)
        try await until { try await client.events(of: watch.name(name)).last?.isClosing == true }
        try watch.write(bytes(later), name)
        try await once().end()
        #expect(try await client.text(of: watch.name(name)) == text)
        for _ in 0..<2 {
          try await writeFile(UndoCommand.self, watch, name)
          try expect(bytes(file), after: "undo")
          try await writeFile(RedoCommand.self, watch, name)
          try expect(bytes(later), after: "redo")
        }
        let entries = try await client.entries(of: watch.name(name))
        try await once().end()
        #expect(try await client.entries(of: watch.name(name)) == entries, "\(index)")
      }
      await editor.end()
    }
  }

  /// Runs a verb that also writes the file.
  private func writeFile<V: Verb>(
    _ verb: V.Type, _ watch: WatchHarness, _ file: String
  ) async throws {
    let session = Session(
      backend: try await SocketBackend(path: watch.socket), output: Output(),
      diagnostics: Output(), now: Timestamp(nanoseconds: 0), utcOffset: { _ in 0 })
    let command = try #require(try verb.parseAsRoot([watch.path(file), "--write"]) as? V)
    do { try await command.run(in: session) } catch {
      await session.backend.close()
      throw error
    }
    await session.backend.close()
  }

  /// While an editor has a document open, the log's text is the editor's, whatever is in the file.
  @Test func `a document that is open in an editor is left alone until it is closed`() async throws
  {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\n", "a.md", client)
      let editor = try await Editor(watch)
      try await editor.open("one\n", "a.md")
      try await editor.type("typed", atLine: 1, "a.md")
      try await watch.untilText("one\ntyped", "a.md", client)
      try watch.write("a checkout\n", "a.md")
      try await watch.untilNoted("is open in an editor")
      #expect(try await client.text(of: watch.name("a.md")) == "one\ntyped")
      try await editor.type("!", atLine: 0, "a.md")
      try await watch.untilText("!one\ntyped", "a.md", client)
      // Other files are logged meanwhile.
      try watch.write("other", "b.md")
      try await watch.untilText("other", "b.md", client)
      #expect(try await client.text(of: watch.name("a.md")) == "!one\ntyped")
      try await editor.close("a.md")
      try await watch.untilText("a checkout\n", "a.md", client)
      let origins = try await client.edits(of: watch.name("a.md")).map(\.origin)
      #expect(origins.prefix(3) == [.load, .typing, .typing])
      #expect(origins.dropFirst(3).allSatisfy { $0 == .external } && origins.count > 3)
      await editor.end()
    }
  }

  /// The editor writes the file before its changes arrive: the file is compared again until they do.
  @Test func `a save that comes before its changes is not logged twice`() async throws {
    try await withWatch { watch in
      try watch.write("one\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("one\n", "a.md", client)
      let editor = try await Editor(watch)
      try await editor.open("one\n", "a.md")
      try watch.write("one\ntwo\n", "a.md")
      try await watch.untilNoted("is open in an editor")
      try await editor.type("two\n", atLine: 1, "a.md")
      try await editor.save("a.md")
      try await editor.close("a.md")
      try watch.write("marker", "z.md")
      try await watch.untilText("marker", "z.md", client)
      try await watch.untilIdle()
      #expect(
        try await client.edits(of: watch.name("a.md")).map(\.origin) == [.load, .typing])
      // The second is the editor's own.
      #expect(try await client.saves(of: watch.name("a.md")) == [1, 2])
      await editor.end()
    }
  }

  /// What an editor typed while the daemon was away is in its spool, and its save is in the file. The
  /// spool is logged first, so that the file is no news.
  @Test func `edits in an editor's spool are logged before the file is compared`() async throws {
    let folder = TemporaryFolder()
    let watch = try WatchHarness(in: folder)
    let name = watch.name("a.md")
    try watch.write("one\n", "a.md")
    let editor = BridgedEditor(watch)
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      watch.start()
      try await watch.untilText("one\n", "a.md", client)
      editor.open("one\n", "a.md")
      editor.type("!", "a.md")
      try await watch.untilText("!one\n", "a.md", client)
      await client.close()
    }
    for text in ["a", "b", "c"] { editor.type(text, "a.md") }
    try await until { WaitingSpool.all(in: folder.path("spool")).first?.requestCount ?? 0 >= 3 }
    try watch.write("cba!one\n", "a.md")
    try await watch.untilNoted("the daemon is away; waiting")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      try await until { watch.notes.count { $0.hasPrefix("compared 1 file") } == 2 }
      #expect(try await client.text(of: name) == "cba!one\n")
      #expect(
        try await client.edits(of: name).map(\.origin)
          == [.load, .typing, .typing, .typing, .typing])
      try await editor.end()
      await client.close()
    }
    try await watch.stop()
  }

  // MARK: The daemon

  @Test func `two watchers of one folder log each save once`() async throws {
    try await withWatch { watch in
      try watch.write("0\n", "a.md")
    } body: { watch, client in
      let other = try watch.second()
      other.start()
      var text = "0\n"
      try await watch.untilText(text, "a.md", client)
      for number in 1...20 {
        text += "\(number)\n"
        try watch.write(text, "a.md")
        try await watch.untilText(text, "a.md", client)
      }
      try watch.write("end", "z.md")
      try await watch.untilIdle()
      try await other.untilIdle()
      #expect(try await client.edits(of: watch.name("a.md")).count == 21)
      try await other.stop()
    }
  }

  /// Each comparison finds a file that has changed since it was read.
  @Test func `a file that changes all the time is logged meanwhile`() async throws {
    try await withWatch { watch in
      try watch.write("0\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("0\n", "a.md", client)
      let file = try #require(fopen(watch.path("a.md"), "a"))
      let writing = Task {
        while !Task.isCancelled {
          fputs("1\n", file)
          fflush(file)
          try? await Task.sleep(for: .milliseconds(1))
        }
        fclose(file)
      }
      defer { writing.cancel() }
      try await until { try await client.edits(of: watch.name("a.md")).count >= 2 }
      writing.cancel()
    }
  }

  /// The names and the text are those of the file in the tree, though its folder is a link by now.
  @Test func `what a link leads to is not logged`() async throws {
    try await withWatch { watch in
      try watch.makeFolder("d")
      try watch.write("1\n", "d/a.md")
    } body: { watch, client in
      try await watch.untilText("1\n", "d/a.md", client)
      let (logger, path) = (FileLogger(client: client, watch.watcher), watch.path("d/a.md"))
      try watch.makeFolder("e")
      try watch.write("2\n", "d/a.md")
      try await watch.untilText("2\n", "d/a.md", client)
      let outside = TemporaryFolder()
      try watch.writeInPlace("secret\n", outside.path("a.md"))
      // The text was read before the folder was replaced, and is read again after.
      let outcome = try await logger.log("3\n", of: path) {
        try? watch.rename("d", "old")
        symlink(outside.path, watch.path("d"))
        return watch.watcher.content(of: path, sizeMax: 100, waits: false).text
      }
      #expect(outcome == .unread)
      try await watch.untilText("2\n", "old/a.md", client)
      let documents = try await client.call(DocumentsRequest()).documents
      #expect(!documents.contains { $0.document.name.hasPrefix("file://" + outside.path) })
      for document in documents {
        #expect(try await client.text(of: document.document.name) != "secret\n")
      }
    }
  }

  /// Another watcher was faster: it has logged what the file has now.
  @Test func `a text that the file no longer has is not logged`() async throws {
    try await withWatch { watch in
      try watch.write("1\n", "a.md")
    } body: { watch, client in
      try await watch.untilText("1\n", "a.md", client)
      try watch.write("2\n", "a.md")
      try await watch.untilText("2\n", "a.md", client)
      let (logger, path) = (FileLogger(client: client, watch.watcher), watch.path("a.md"))
      #expect(try await logger.log("1\n", of: path, read: { "2\n" }) == .same)
      #expect(try await logger.log("1\n", of: path, read: { nil }) == .unread)
      #expect(try await client.edits(of: watch.name("a.md")).count == 2)
      // What is read last is logged.
      #expect(
        try await logger.log("1\n", of: path, read: { "3\n" }) == .changed(editCount: 1))
      #expect(try await client.text(of: watch.name("a.md")) == "3\n")
    }
  }

  @Test func `while the daemon is away, watch waits, and then compares`() async throws {
    let folder = TemporaryFolder()
    let watch = try WatchHarness(in: folder)
    try watch.write("one\n", "a.md")
    watch.start()
    try await watch.untilNoted("waiting for the daemon")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      try await watch.untilText("one\n", "a.md", client)
      await client.close()
    }
    try watch.write("one\ntwo\n", "a.md")
    try await watch.untilNoted("the daemon is away; waiting")
    try watch.write("one\ntwo\nthree\n", "a.md")
    try watch.write("new\n", "b.md")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      try await watch.untilText("one\ntwo\nthree\n", "a.md", client)
      try await watch.untilText("new\n", "b.md", client)
      #expect(try await client.edits(of: watch.name("a.md")).map(\.origin) == [.load, .external])
      try watch.write("newer\n", "b.md")
      try await watch.untilText("newer\n", "b.md", client)
      await client.close()
    }
    #expect(watch.notes.filter { $0 == "the daemon is back" }.count == 2)
    try await watch.stop()
  }

  /// `mv` while nothing follows the files.
  @Test func `a file that was moved before watch started is reported`() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder) { daemon in
      let first = try WatchHarness(in: folder) { $0.isOnce = true }
      try first.write("one\n", "a.md")
      try first.write("two\n", "b.md")
      try await first.end()
      try first.rename("a.md", "c.md")
      let second = try WatchHarness(in: folder) { $0.isOnce = true }
      try await second.end()
      let (old, new) = (second.path("a.md"), second.path("c.md"))
      let command = "editlog forget '\(new)' --up-to 1 --yes && editlog rename '\(old)' '\(new)'"
      #expect(second.notes.count == 2 && second.notes[0].contains(command), "\(second.notes)")
      // That can be done while the new history has only its first text.
      let client = try await daemon.connect()
      _ = try await client.call(ForgetRequest(.name(document(second.name("c.md"))), upTo: 1))
      _ = try await client.call(
        RenameRequest(document(second.name("a.md")), to: document(second.name("c.md"))))
      try first.write("one\nmore\n", "c.md")
      let third = try WatchHarness(in: folder) { $0.isOnce = true }
      try await third.end()
      #expect(try await client.edits(of: third.name("c.md")).count == 2)
      let error = await refusal {
        try await client.call(ForgetRequest(.name(document(third.name("c.md"))), upTo: 1))
      }
      #expect(error?.code == .sequenceConflict)
      #expect(error?.message.contains("has edits after edit 1") == true)
      await client.close()
    }
  }

  /// After the daemon has started, editors that had documents open need a moment to say so.
  @Test func `a daemon that has just started is given time for its editors`() async throws {
    let folder = TemporaryFolder()
    let watch = try WatchHarness(in: folder) { $0.daemonAgeMin = .seconds(2) }
    try watch.write("file\n", "a.md")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      let started = try #require(try await client.call(StatusRequest()).daemon?.started)
      watch.start()
      try await watch.untilText("file\n", "a.md", client)
      let first = try #require(try await client.edits(of: watch.name("a.md")).first)
      #expect(first.time.nanoseconds - started.nanoseconds >= 2_000_000_000)
      await client.close()
      try await watch.stop()
    }
  }

  @Test func `once compares and ends, and a second time logs nothing`() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      let first = try WatchHarness(in: folder) { $0.isOnce = true }
      for index in 0..<100 { try first.write("text \(index)\n", "f\(index)") }
      try await first.end()
      #expect(first.notes == ["compared 100 files with the log: 100 new"])
      try first.write("other\n", "f7")
      let second = try WatchHarness(in: folder) { $0.isOnce = true }
      try await second.end()
      #expect(second.notes == ["compared 100 files with the log: 1 changed"])
      let third = try WatchHarness(in: folder) { $0.isOnce = true }
      try await third.end()
      #expect(third.notes == ["compared 100 files with the log: all as logged"])
      #expect(try await client.edits(of: first.name("f7")).count == 2)
      #expect(try await client.edits(of: first.name("f8")).count == 1)
      await client.close()
    }
    // Without a daemon it does not wait.
    let late = try WatchHarness(in: folder) { $0.isOnce = true }
    let error = await refusal { try await late.end() }
    #expect(error?.code == .unreachable)
  }

  /// No thread of Dispatch or of the Swift runtime runs: once one has, it wakes the process every
  /// second.
  @Test func `the program ends by a signal, and has no threads that wake it`() async throws {
    let folder = TemporaryFolder()
    let watch = try WatchHarness(in: folder)
    try watch.write("one\n", "a.md")
    let program = try ChildDaemon.program("editlog")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      let result = try await Subprocess.run(
        .name("env"),
        arguments: Arguments([
          "EDITLOG_SPOOL=" + folder.path("spool"), program, "watch", watch.path(""), "--socket",
          watch.socket,
        ]), input: .none, output: .string(limit: 1 << 10), error: .string(limit: 1 << 16)
      ) { execution in
        let process = execution.processIdentifier.value
        do {
          try await watch.untilText("one\n", "a.md", client)
          try watch.write("two\n", "a.md")
          try await watch.untilText("two\n", "a.md", client)
          #expect(try ProcessThread.all(of: process).filter { $0.name.contains("qos") }.isEmpty)
        } catch {
          kill(process, SIGKILL)
          throw error
        }
        kill(process, SIGTERM)
      }
      #expect(result.terminationStatus == .exited(0))
      #expect(result.standardOutput == "")
      #expect(
        result.standardError == "editlog watch: compared 1 file with the log: 1 new\n")
      await client.close()
    }
  }

  /// Its own writes are no changes to log: the store may be in a watched folder.
  @Test func `the store of the daemon is not watched`() async throws {
    let folder = TemporaryFolder()
    let watch = try WatchHarness(in: folder, root: folder.path)
    try watch.write("one\n", "a.md")
    try await withDaemon(in: folder) { daemon in
      let client = try await daemon.connect()
      watch.start()
      try await watch.untilText("one\n", "a.md", client)
      try watch.write("two\n", "a.md")
      try await watch.untilText("two\n", "a.md", client)
      #expect(try await client.call(DocumentsRequest()).documents.count == 1)
      await client.close()
      try await watch.stop()
    }
  }
}

extension EditLogClient {
  /// The versions that were saved.
  fileprivate func saves(of name: String) async throws -> [SequenceNumber] {
    try await entries(of: name).compactMap { entry in
      guard case .event(let event) = entry, case .saved = event.kind else { return nil }
      return event.after
    }
  }

  /// The names that the document had before.
  fileprivate func renames(of name: String) async throws -> [DocumentID] {
    try await events(of: name).compactMap {
      if case .renamed(let old) = $0 { old } else { nil }
    }
  }
}

extension HistoryEvent.Kind {
  fileprivate var isClosing: Bool { if case .closed = self { true } else { false } }
}

/// A folder of files, and a run of `editlog watch` on it.
private final class WatchHarness: Sendable {
  private let folder: TemporaryFolder
  /// For files that are saved, before they get their names.
  private let outside = TemporaryFolder()
  private let options: FileFollower.Options
  let watcher: FileWatcher
  private let lines = Mutex<[String]>([])
  private let task = Mutex<Task<Void, any Error>?>(nil)
  private let files: String

  var socket: String { options.socket }
  var spool: String { folder.path("spool") }
  /// What was said so far.
  var notes: [String] { lines.withLock { $0 } }

  init(
    in folder: TemporaryFolder, root: String? = nil,
    _ change: (inout FileFollower.Options) -> Void = { _ in }
  ) throws {
    self.folder = folder
    files = folder.path("files")
    guard mkdir(files, 0o700) == 0 || errno == EEXIST else { throw SystemError(code: errno) }
    var options = FileFollower.Options(
      socket: RunningDaemon.socket(in: folder), spools: folder.path("spool"), sizeMax: 1 << 20,
      isVerbose: true)
    options.daemonAgeMin = .zero
    options.openPause = (.milliseconds(10), .milliseconds(50))
    options.newPause = .zero
    change(&options)
    if options.isOnce { options.isVerbose = false }
    self.options = options
    watcher = try FileWatcher(roots: [root ?? files])
  }

  /// Another run on the same files.
  func second() throws -> WatchHarness { try WatchHarness(in: folder) }

  func start() {
    task.withLock { task in
      task = Task {
        var follower = FileFollower(options, watcher) { line in
          self.lines.withLock { $0.append(line) }
        }
        try await follower.run()
      }
    }
  }

  /// Runs until it ends by itself.
  func end() async throws {
    start()
    try await task.withLock { $0 }?.value
  }

  /// Stops it as a signal does.
  func stop() async throws {
    let task = task.withLock { $0 }
    task?.cancel()
    do { try await task?.value } catch is CancellationError {}
  }

  func path(_ name: String) -> String { "\(files)/\(name)" }
  func name(_ file: String) -> String { "file://" + path(file) }

  /// Saves a file at once: on a busy machine, one that is emptied and written may stay empty for long.
  func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    let new = outside.path("new")
    try writeInPlace(bytes, new)
    guard Glibc.rename(new, path(name)) == 0 else { throw SystemError(code: errno) }
  }

  func writeInPlace(_ text: String, _ path: String) throws {
    try writeInPlace(Array(text.utf8), path)
  }

  private func writeInPlace(_ bytes: [UInt8], _ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw SystemError(code: errno) }
    defer { close(file) }
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
      throw SystemError(code: errno)
    }
  }

  func makeFolder(_ name: String) throws {
    guard mkdir(path(name), 0o700) == 0 else { throw SystemError(code: errno) }
  }

  func rename(_ old: String, _ new: String) throws {
    guard Glibc.rename(path(old), path(new)) == 0 else { throw SystemError(code: errno) }
  }

  func link(_ target: String, _ name: String) throws {
    guard symlink(target, path(name)) == 0 else { throw SystemError(code: errno) }
  }

  func remove(_ name: String) throws {
    guard unlink(path(name)) == 0 else { throw SystemError(code: errno) }
  }

  func moveOut(_ name: String) throws {
    guard Glibc.rename(path(name), outside.path("moved")) == 0 else {
      throw SystemError(code: errno)
    }
  }

  func moveIn(_ name: String) throws {
    guard Glibc.rename(outside.path("moved"), path(name)) == 0 else {
      throw SystemError(code: errno)
    }
  }

  func git(_ arguments: String...) async throws {
    let result = try await Subprocess.run(
      .name("git"),
      arguments: Arguments(
        ["-C", files, "-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
          + arguments), output: .discarded, error: .string(limit: 1 << 16))
    try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
  }

  /// Waits until the newest text of a file's document is `text`.
  func untilText(_ text: String, _ file: String, _ client: EditLogClient) async throws {
    do {
      try await until {
        do { return try await client.text(of: name(file)) == text } catch let error as ProtocolError
          where error.code == .unknownDocument
        { return false }
      }
    } catch {
      Issue.record("\(file) is not \(text.debugDescription): \(notes)")
      throw error
    }
  }

  /// Waits until a note contains `words`.
  func untilNoted(_ words: String) async throws {
    try await until { notes.contains { $0.contains(words) } }
  }

  /// Waits until no file is left to compare.
  func untilIdle() async throws {
    try await until { watcher.nextDue == nil }
  }
}

/// Runs `body` with a daemon, a run of `watch` on a folder that `prepare` has filled, and a client.
private func withWatch(
  _ prepare: (WatchHarness) async throws -> Void,
  body: (WatchHarness, EditLogClient) async throws -> Void,
  change: (inout FileFollower.Options) -> Void = { _ in }
) async throws {
  let folder = TemporaryFolder()
  let watch = try WatchHarness(in: folder, change)
  try await prepare(watch)
  try await withClient(in: folder) { client, _ in
    watch.start()
    do { try await body(watch, client) } catch {
      try? await watch.stop()
      throw error
    }
    try await watch.stop()
  }
}

/// An editor that speaks LSP with the daemon.
private struct Editor {
  private let client: EditLogClient
  private let watch: WatchHarness

  init(_ watch: WatchHarness) async throws {
    self.watch = watch
    client = try await EditLogClient.connect(to: watch.socket)
    _ = try await client.call("initialize", ["clientInfo": ["name": "Neovim"]])
  }

  func open(_ text: String, _ file: String) async throws {
    let params = DidOpenParams(uri: document(watch.name(file)), text: UTF16Text(text))
    try await client.notify("textDocument/didOpen", params.json)
    try await settle(file)
  }

  func type(_ text: String, atLine line: Int, _ file: String) async throws {
    let position = LSPPosition(line: line, character: 0)
    let change = DidChangeParams.Change(
      range: LSPRange(start: position, end: position), text: UTF16Text(text))
    try await client.notify(
      "textDocument/didChange",
      DidChangeParams(uri: document(watch.name(file)), changes: [change]).json)
    try await settle(file)
  }

  func save(_ file: String) async throws {
    let params = DidSaveParams(uri: document(watch.name(file)))
    try await client.notify("textDocument/didSave", params.json)
    try await settle(file)
  }

  func close(_ file: String) async throws {
    let params = TextDocumentParams(uri: document(watch.name(file)))
    try await client.notify("textDocument/didClose", params.json)
    try await settle(file)
  }

  /// Returns when the daemon has read the messages so far.
  private func settle(_ file: String) async throws {
    _ = try await client.text(of: watch.name(file))
  }

  func end() async { await client.close() }
}

/// An editor that sends its edits through a bridge, as all editors do.
private struct BridgedEditor {
  private final class Input: BridgeInput {
    private let stream: AsyncStream<ByteBuffer>
    let continuation: AsyncStream<ByteBuffer>.Continuation
    private let isStopped = Atomic<Bool>(false)
    var isEnding: Bool { isStopped.load(ordering: .relaxed) }

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func read() async -> ByteBuffer? {
      var iterator = stream.makeAsyncIterator()
      return await iterator.next()
    }

    func stop() {
      isStopped.store(true, ordering: .relaxed)
      continuation.finish()
    }
  }

  private struct Output: BridgeOutput {
    func write(_ bytes: ByteBuffer) {}
  }

  private let watch: WatchHarness
  private let input = Input()
  private let run: Task<LSPBridge.End, any Error>

  init(_ watch: WatchHarness) {
    self.watch = watch
    var generator = SystemRandomNumberGenerator()
    var configuration = LSPBridge.Configuration(
      socketPath: watch.socket, spoolDirectory: watch.spool)
    // It connects again later than `watch`.
    configuration.pauseMin = configuration.pauseMax
    let bridge = LSPBridge(
      configuration, input: input, output: Output(), using: &generator, note: { _ in })
    run = Task { try await bridge.run() }
    input.continuation.yield(
      RPCMessage.request(id: .integer(0), method: "initialize", params: .object([:])).frame)
  }

  private func notify(_ method: String, _ params: JSON) {
    input.continuation.yield(RPCMessage.notification(method: method, params: params).frame)
  }

  func open(_ text: String, _ file: String) {
    notify(
      "textDocument/didOpen",
      DidOpenParams(uri: document(watch.name(file)), text: UTF16Text(text)).json)
  }

  /// Types at the start of the text.
  func type(_ text: String, _ file: String) {
    let start = LSPPosition(line: 0, character: 0)
    let change = DidChangeParams.Change(
      range: LSPRange(start: start, end: start), text: UTF16Text(text))
    notify(
      "textDocument/didChange",
      DidChangeParams(uri: document(watch.name(file)), changes: [change]).json)
  }

  func end() async throws {
    input.stop()
    _ = try await run.value
  }
}
