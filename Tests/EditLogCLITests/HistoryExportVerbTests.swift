import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import TestSupport
import Testing

@testable import EditLogCommands

/// `export` of whole histories, on a real store, with the programs that read its files.
@Suite struct HistoryExportVerbTests {
  /// Three authors who type lines, with deletions and a paste; a save after each of two parts.
  private func script() throws -> HistoryScript {
    var script = HistoryScript()
    let digest = try #require(ContentDigest(bytes: Array(repeating: 1, count: 32)))
    try script.type("one ", at: 0, author: "ann")
    try script.replace(4..<4, "🎉", author: "ann")
    try script.type(" line\n", at: 6, author: "ann")
    try script.type("zwei\n", at: 12, author: "bob <bob@example.org>")
    script.note(.saved(digest))
    script.wait(seconds: 60)
    try script.replace(12..<17, "", .removal, author: "ann")
    try script.replace(0..<0, "\"top\"\n", .paste, author: "claude")
    script.note(.saved(digest))
    script.wait(seconds: 7_200)
    try script.type("the end", at: 18, author: "ann")
    return script
  }

  @Test func `a format that is none is answered with the ones there are`() {
    for (format, words) in [("sqlite", ["`editlog project sqlite`"]), ("pdf", ["html", "xml"])] {
      #expect {
        try ExportCommand.parse(["d", "--format", format])
      } throws: { error in
        let message = ExportCommand.message(for: error)
        #expect(words.allSatisfy { message.contains($0) }, "\(message)")
        return true
      }
    }
  }

  private func exported(
    _ store: RealStore, _ arguments: [String], document: String = "d"
  ) async throws -> (bytes: [UInt8], noted: String) {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("out")
    let noted = try await store.run(ExportCommand.self, [document, "--output", path] + arguments)
      .noted
    return (try DiskFile.bytes(path), noted)
  }

  /// Runs a shell command in a folder, and returns what it prints.
  private func output(of command: String, in folder: TemporaryFolder) async throws -> String {
    try await run("sh", ["-c", "cd \"$0\" && { \(command); } > \"$0/printed\"", folder.path])
    return String(decoding: try DiskFile.bytes(folder.path("printed")), as: UTF8.self)
  }

  @Test func aPageIsWritten() async throws {
    let store = try RealStore(script().entries, document: "</title>&\u{202E}.md")
    let (bytes, noted) = try await exported(
      store, ["--format", "html"], document: "</title>&\u{202E}.md")
    let page = String(decoding: bytes, as: UTF8.self)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("&lt;/title&gt;&amp;"))
    #expect(noted.contains("Wrote 25 edits to "))
    // Costs are measured, so two pages differ in them; all else is the same for the same history.
    #expect(page.utf8.count < 100_000)
    // The page is no text.
    try await withTemporaryFile(bytes) { path in
      let bench = Bench(try await StoreHarness())
      let error = await #expect(throws: CommandError.self) {
        try await ImportHTMLCommand.parse([path, "--document", "copy"]).run(in: bench.session)
      }
      #expect(error?.message.contains("the page of a history") == true)
    }
  }

  /// A trace that is imported again has the same text at each edit, and the same times.
  @Test func aTraceComesBack() async throws {
    let entries = try script().entries
    let (bytes, noted) = try await exported(RealStore(entries), ["--format", "trace"])
    #expect(noted.contains("left out: authors, origins, marks, saves"))
    try await withTemporaryFile(bytes) { path in
      let harness = try await StoreHarness()
      let bench = Bench(harness)
      try await ImportTraceCommand.parse([path, "--document", "copy"]).run(in: bench.session)
      #expect(bench.noted.contains("The text equals the trace's endContent."))
      let edits = entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
      let copies = try await harness.edits(of: "copy")
      #expect(copies.map(\.action) == edits.map(\.action))
      #expect(copies.map(\.time) == edits.map(\.time))
    }
  }

  @Test func aTraceFromAPointHasTheTextBeforeIt() async throws {
    let (bytes, _) = try await exported(
      RealStore(script().entries), ["--format", "trace", "--from", "17", "--at", "18"])
    let json = try JSON.parse(frame: ByteBuffer(bytes: bytes), limits: JSON.Limits())
    #expect(try json["startContent"]?.asString() == "one 🎉 line\n")
    #expect(try json["txns"]?.asArray().count == 1)
    #expect(try json["endContent"]?.asString() == "\"top\"\none 🎉 line\n")
  }

  /// The start text has the time of the transaction after it, so that no time is changed.
  @Test func theTimesAfterAStartTextAreKept() async throws {
    let trace = """
      {"startContent":"abc","endContent":"abXYc","txns":[
      {"time":"2020-01-05T10:00:00Z","patches":[[2,0,"X"]]},
      {"time":"2020-01-04T10:00:00Z","patches":[[3,0,"Y"]]}]}
      """
    try await withTemporaryFile(Array(trace.utf8)) { path in
      let harness = try await StoreHarness()
      let bench = Bench(harness)
      try await ImportTraceCommand.parse([path, "--document", "copy"]).run(in: bench.session)
      let first = time("2020-01-05T10:00:00Z")
      #expect(try await harness.edits(of: "copy").map(\.time) == [first, first, first])
      #expect(bench.noted.contains("1 edit has a time before that of an edit before"))
    }
  }

  /// Code points cannot say that an edit splits a character.
  @Test func aTraceOfHalvesIsRefused() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "a🎉b")
    try script.replace(2..<2, "x")
    let store = try RealStore(script.entries)
    let error = await #expect(throws: CommandError.self) {
      _ = try await exported(store, ["--format", "trace"])
    }
    #expect(error?.message.contains("edit 2 splits or joins the two halves of a character") == true)
  }

  /// `git blame` names the author of each line, and each commit has the text and the time of its version.
  @Test func aRepositoryAgreesWithBlame() async throws {
    let store = try RealStore(script().entries, document: "notes/a \"b\".md")
    let folder = TemporaryFolder()
    let path = folder.path("repository")
    let (_, noted, _) = try await store.run(
      ExportCommand.self,
      ["notes/a \"b\".md", "--format", "git", "--per", "step", "--output", path])
    #expect(noted.contains("Wrote 5 commits to "))
    let blame = try await output(
      of: "git -C repository blame --line-porcelain 'a \"b\".md' | grep '^author '", in: folder)
    let own = try await store.run(BlameCommand.self, ["notes/a \"b\".md", "--json"]).printed
    #expect(blame == "author claude\nauthor ann\nauthor ann\n")
    #expect(own.contains(#""author":"claude""#) && !own.contains("bob"))
    let log = try await output(
      of: "git -C repository log --reverse --format='%an <%ae> %aI'", in: folder)
    #expect(
      log.split(separator: "\n").prefix(2) == [
        "ann <> 2026-11-20T14:04:00+00:00", "bob <bob@example.org> 2026-11-20T14:04:01+00:00",
      ])
    let subjects = try await output(
      of: "git -C repository log --reverse --format=%s", in: folder)
    #expect(
      subjects == """
        step: "one 🎉 line"
        step: "zwei"
        step: deleted "zwei"
        step: ""top""
        step: "the end"

        """)
    let text = try await output(of: "git -C repository show 'HEAD~1:a \"b\".md'", in: folder)
    #expect(text == "\"top\"\none 🎉 line\n")
    let status = try await output(
      of: "git -C repository fsck 2>&1; git -C repository status --short", in: folder)
    #expect(!status.contains("error") && !status.contains(".md"))
  }

  @Test(arguments: [("save", 3, "ann <>"), ("session", 1, "bob <bob@example.org>")])
  func commitsAreThoseThatWereAskedFor(
    unit: String, count: Int, otherAuthor: String
  ) async throws {
    let store = try RealStore(script().entries)
    let folder = TemporaryFolder()
    let (_, noted, _) = try await store.run(
      ExportCommand.self,
      ["d", "--format", "git", "--per", unit, "--output", folder.path("repository")])
    #expect(noted.contains("Wrote \(count) commit"))
    let log = try await output(of: "git -C repository log --format=%B", in: folder)
    #expect(log.contains("Co-authored-by: \(otherAuthor)"))
    let error = await #expect(throws: CommandError.self) {
      _ = try await store.run(
        ExportCommand.self, ["d", "--format", "git", "--output", folder.path("repository")])
    }
    #expect(error?.exitCode == 73)
  }

  /// A patch turns the file of the older version into that of the newer one.
  @Test(arguments: ["0", "18"]) func aPatchApplies(first: String) async throws {
    let store = try RealStore(script().entries, document: "dir/täglich.md")
    let (bytes, _) = try await exported(
      store, ["--format", "patch", "--from", first], document: "dir/täglich.md")
    let older = try await store.run(ShowCommand.self, ["dir/täglich.md", "--at", first]).printed
    let newer = try await store.run(ShowCommand.self, ["dir/täglich.md"]).printed
    let folder = TemporaryFolder()
    try folder.write(String(decoding: bytes, as: UTF8.self), to: "patch")
    mkdir(folder.path("dir"), 0o700)
    if first != "0" { try folder.write(older, to: "dir/täglich.md") }
    _ = try await output(of: "git apply --unsafe-paths patch", in: folder)
    #expect(
      String(decoding: try DiskFile.bytes(folder.path("dir/täglich.md")), as: UTF8.self) == newer)
  }

  /// `patch` and `git apply` read each name, and git writes it in the same way.
  @Test(arguments: [
    "my file.md", "a\tb", "a\"b c", "a\\b", "é \u{1}", "line\nbreak", "-x", "plain",
  ])
  func aPatchNamesItsFile(name: String) async throws {
    let store = try RealStore(script().entries, document: name)
    let newer = try await store.run(ShowCommand.self, ["name:" + name]).printed
    let older = try await store.run(ShowCommand.self, ["name:" + name, "--at", "18"]).printed
    // `patch` takes no name with a line break.
    let programs = ["git apply patch"] + (name.contains("\n") ? [] : ["patch -s -f -p1 < patch"])
    for program in programs {
      for first in ["0", "18"] {
        let (bytes, _) = try await exported(
          store, ["--format", "patch", "--from", first], document: "name:" + name)
        let folder = TemporaryFolder()
        try folder.write(String(decoding: bytes, as: UTF8.self), to: "patch")
        if first != "0" { try folder.write(older, to: name) }
        _ = try await output(of: program, in: folder)
        #expect(String(decoding: try DiskFile.bytes(folder.path(name)), as: UTF8.self) == newer)
      }
    }
    let harness = try await GitHarness()
    try await harness.commit(name, older)
    try harness.write(Array(newer.utf8), name)
    let (bytes, _) = try await exported(
      store, ["--format", "patch", "--from", "18"], document: "name:" + name)
    func heads(_ patch: String) -> [Substring] {
      patch.split(separator: "\n").filter { line in
        ["diff ", "--- ", "+++ "].contains { line.hasPrefix($0) }
      }
    }
    #expect(
      heads(String(decoding: bytes, as: UTF8.self)) == heads(try await harness.git("diff", "HEAD")))
  }

  @Test func aPatchHasTheFolderOfAFile() {
    func path(_ document: String) -> String { GitPath(document: document, in: "/home/a").path }
    #expect(path("file:///home/a/docs/my%20essay.md") == "docs/my essay.md")
    #expect(path("file:///home/ab/docs/essay.md") == "essay.md")
    #expect(path("notes/essay.md") == "notes/essay.md")
    for name in [
      "/etc/passwd", "../passwd", "a/../passwd", "a//passwd", "a/./passwd", ".git/passwd",
    ] {
      #expect(path(name) == "passwd")
    }
    #expect(path("file:///home/a/.git/config") == "config" && path("") == "document")
  }

  /// A repository that is not what was to be written is refused.
  @Test func aRepositoryIsCompared() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("copy")
    let file = GitPath(document: "a \"b\"\n.md")
    let commits = (1...3).map { number in
      NewCommit(
        identity: "A <> \(number) +0000", message: "m \(number)\n",
        content: Array("text \(number)".utf8))
    }
    try await GitRepository(at: path).fill(file) { write in
      for commit in commits { try await write(commit) }
    }
    let check = RepositoryCheck(folder: path, file: file)
    let written = commits.map(RepositoryCheck.Commit.init)
    try await check.compare(written)
    func expectRefusal(_ commits: [RepositoryCheck.Commit], _ words: String) async {
      let error = await #expect(throws: CommandError.self) { try await check.compare(commits) }
      #expect(
        error?.exitCode == 74 && error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    await expectRefusal(Array(written.dropLast()), "it has 3 commits, not 2")
    var other = commits
    other[1] = NewCommit(identity: "A <> 2 +0000", message: "m 2\n", content: Array("text".utf8))
    await expectRefusal(other.map(RepositoryCheck.Commit.init), "the text of commit ")
    other[1] = NewCommit(identity: "B <> 2 +0000", message: "m 2\n", content: commits[1].content)
    await expectRefusal(other.map(RepositoryCheck.Commit.init), "is another one")
    try folder.write("changed", to: "copy/" + file.path)
    await expectRefusal(written, "the file that is checked out is another one")
    try await run("git", ["-C", path, "branch", "other"])
    await expectRefusal(written, "its branches are ")
  }

  /// A terminal that plays the recording shows the text.
  @Test func aRecordingShowsTheText() async throws {
    let (bytes, _) = try await exported(RealStore(script().entries), ["--format", "asciicast"])
    let lines = bytes.split(separator: 0x0A)
    let head = try JSON.parse(frame: ByteBuffer(bytes: lines[0]), limits: JSON.Limits())
    #expect(head["version"] == 2 && head["width"] == 80 && head["height"] == 24)
    var (rows, last) = ([Int: String](), -1.0)
    for line in lines.dropFirst() {
      let event = try JSON.parse(frame: ByteBuffer(bytes: line), limits: JSON.Limits()).asArray()
      let time = try #require(Double(String(decoding: event[0].serialized(), as: UTF8.self)))
      #expect(time >= last)
      last = time
      // Each row is `CSI row ; 1 H`, `CSI 2 K` and its text; the last `CSI row ; column H` places the caret.
      let parts = try event[2].asString().split(separator: "\u{1B}[")
      for (part, next) in zip(parts, parts.dropFirst()) where next.hasPrefix("2K") {
        guard let end = part.firstIndex(of: "H"), let row = Int(part[..<end].dropLast(2)) else {
          continue
        }
        rows[row] = String(next.dropFirst(2))
      }
    }
    #expect(rows[1] == "\"top\"" && rows[2] == "one 🎉 line" && rows[3] == "the end")
    #expect(last > 7_200)
  }

  /// The rows of a recording's last frame.
  private func lastRows(_ entries: [HistoryEntry]) async throws -> [String] {
    let (bytes, _) = try await exported(RealStore(entries), ["--format", "asciicast"])
    var rows = [Int: String]()
    for line in bytes.split(separator: 0x0A).dropFirst() {
      let event = try JSON.parse(frame: ByteBuffer(bytes: line), limits: JSON.Limits()).asArray()
      let parts = try event[2].asString().split(separator: "\u{1B}[")
      for (part, next) in zip(parts, parts.dropFirst()) where next.hasPrefix("2K") {
        guard let end = part.firstIndex(of: "H"), let row = Int(part[..<end].dropLast(2)) else {
          continue
        }
        rows[row] = String(next.dropFirst(2))
      }
    }
    return (1...23).map { rows[$0] ?? "" }
  }

  /// Lines that wrap, wide characters, and characters that are shown by their codes take more rows.
  @Test(arguments: [
    String(repeating: "lorem ipsum ", count: 25), String(repeating: "漢字", count: 150),
    String(repeating: "🎉", count: 130), String(repeating: "\u{202E}\u{1B}", count: 400),
    String(repeating: "a\r", count: 90), "short",
  ])
  func aRecordingShowsLongLines(line: String) async throws {
    var (script, length) = (HistoryScript(at: "2026-07-01T10:00:00Z"), 0)
    for index in 0..<14 {
      let text = "\(index) \(line)\n"
      try script.replace(length..<length, text)
      length += text.utf16.count
    }
    try script.replace(length..<length, "the end")
    let rows = try await lastRows(script.entries)
    #expect(rows.contains("the end"))
    #expect(rows.filter { !$0.isEmpty }.count > 5)
  }

  @Test func aRecordingShowsALoneCarriageReturn() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "a\rb\r\nc")
    #expect(try await lastRows(script.entries).prefix(2) == ["a\\rb", "c"])
  }

  /// If git fails, nothing is left, so that the same command can be tried again.
  @Test func aRepositoryThatFailsIsRemoved() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("copy.git")
    let repository = try await GitRepository(at: path)
    let error = await #expect(throws: CommandError.self) {
      try await repository.fill(GitPath(document: "d")) { write in
        try await write(NewCommit(identity: "nonsense", message: "", content: []))
      }
    }
    #expect(error?.exitCode == 74)
    #expect(access(path, F_OK) != 0)
    for name in ["git~1", ".git", ".GITmodules"] {
      #expect(GitPath(document: name).path == "document")
    }
  }

  @Test func aRecordingSaysWhatItLeavesOut() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    for index in 0..<3 { try script.replace(index..<index, "x") }
    let plain = try await exported(RealStore(script.entries), ["--format", "asciicast"]).noted
    #expect(plain.contains("2 edits are shown with the next one") && !plain.contains("surrogate"))
    let half = Edit(
      sequence: 4,
      action: EditAction(replacing: UTF16Range(3..<3), with: UTF16Text(units: [0xD800])),
      time: time("2026-07-01T11:00:00Z"))
    let noted = try await exported(
      RealStore(script.entries + [.edit(half)]), ["--format", "asciicast"]
    ).noted
    #expect(noted.contains("halves of surrogate pairs are U+FFFD in the recording"))
  }

  @Test func aPictureIsWritten() async throws {
    let (bytes, _) = try await exported(RealStore(script().entries), ["--format", "svg"])
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("<svg"))
  }

  @Test(arguments: [
    ["--format", "xml", "--from", "1"], ["--format", "git"],
    ["--format", "trace", "--per", "step"],
    ["--format", "patch", "--exact-times"], ["--format", "html", "--step", "1"],
    ["--format", "html", "--rule", "x"], ["--format", "html", "--json"],
  ])
  func optionsOfOtherFormatsAreRefused(arguments: [String]) {
    #expect(throws: (any Error).self) { try ExportCommand.parse(["d"] + arguments) }
  }

  @Test func aStartAfterTheEndIsRefused() async throws {
    let store = try RealStore(script().entries)
    let error = await #expect(throws: CommandError.self) {
      _ = try await exported(store, ["--format", "html", "--from", "5", "--at", "4"])
    }
    #expect(error?.exitCode == 64)
  }

  /// The inverse of the map that imports use, against a walk over the text.
  @Test(arguments: seeds(10)) func codePointsOfUnits(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (map, units) = (CodePointMap(wideMax: 4), [UInt16]())
    for _ in 0..<60 {
      let text = Array((["a", "🎉", "b🎉c", "é"].randomElement(using: &random) ?? "a").utf16)
      let place = Int.random(in: 0...map.count, using: &random)
      units.insert(contentsOf: text, at: map.utf16Offset(of: place))
      map.replace(place..<place, with: text)
    }
    var count = 0
    for offset in 0...units.count {
      if offset > 0, UTF16.isTrailSurrogate(units[offset - 1]) { count -= 1 }
      let isInside = offset < units.count && UTF16.isTrailSurrogate(units[offset])
      #expect(map.codePoint(at: offset) == (isInside ? nil : count))
      count += 1
    }
  }
}
