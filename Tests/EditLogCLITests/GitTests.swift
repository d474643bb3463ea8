import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

@Suite struct GitTests {
  /// A repository in which a file is made, changed, renamed, removed and made again.
  private func withRepository(
    _ body: (String, (String...) async throws -> Void) async throws -> Void
  )
    async throws
  {
    try await withTemporaryDirectory { directory in
      func git(_ arguments: String...) async throws {
        try await run(
          "git",
          [
            "-C", directory, "-c", "user.name=Ada L", "-c", "user.email=a@b", "-c",
            "commit.gpgsign=false",
          ]
            + arguments)
      }
      try await git("init", "-q")
      try await body(directory, git)
    }
  }

  private func write(_ text: [UInt8], _ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    guard text.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == text.count else {
      throw CreateError(code: errno)
    }
  }

  @Test func commitsBecomeTransactions() async throws {
    let same = "a line that stays, so that git sees the same file under its new name\n"
    let texts = [same + "one\ntwo\n", same + "one\n2 🎉\nthree\n", "", "again *\n"]
    try await withRepository { directory, git in
      let old = directory + "/a.txt"
      let new = directory + "/b [x]*.txt"
      try write(Array(texts[0].utf8), old)
      try await git("add", ".")
      try await git("commit", "-qm", "1", "--date=2026-01-02T03:04:05Z")
      try write(Array(texts[1].utf8), old)
      try await git("mv", old, new)
      try await git("commit", "-qam", "2", "--author=Grace <g@h>", "--date=2026-01-03T03:04:05Z")
      try await git("rm", "-q", new)
      try await git("commit", "-qm", "3", "--date=2026-01-04T03:04:05Z")
      try write(Array(texts[3].utf8), new)
      try await git("add", ".")
      try await git("commit", "-qm", "4", "--date=2026-01-05T03:04:05Z")

      let backend = try await StoreHarness()
      let bench = Bench(backend)
      try await ImportGitCommand.parse([new]).run(in: bench.session)
      let name = FileURI.uri(of: new)
      #expect(try await backend.units(of: name) == Array(texts[3].utf16))
      let all = try await backend.edits(of: name)
      #expect(all.allSatisfy { $0.origin == .external })
      let transactions = all.reduce(into: [UInt64]()) { found, edit in
        if found.last != edit.transaction { found.append(edit.transaction) }
      }
      #expect(transactions.count == texts.count)
      var units: [UInt16] = []
      for (index, text) in texts.enumerated() {
        let edits = all.filter { $0.transaction == transactions[index] }
        for edit in edits {
          units.replaceSubrange(
            edit.action.range.bounds, with: edit.action.replacement?.units ?? [])
        }
        #expect(units == Array(text.utf16))
        #expect(edits.allSatisfy { $0.time == time("2026-01-0\(index + 2)T03:04:05Z") })
        #expect(edits.allSatisfy { $0.author == (index == 1 ? "Grace" : "Ada L") })
      }
      #expect(bench.noted.contains(" in 4 transactions into /tmp/"))
    }
  }

  @Test(arguments: [[UInt8]([0x61, 0, 0x62]), [0x61, 0xFF]])
  func whatIsNoTextIsRefused(content: [UInt8]) async throws {
    try await withRepository { directory, git in
      try write(content, directory + "/x")
      try await git("add", ".")
      try await git("commit", "-qm", "1")
      let bench = Bench(try await StoreHarness())
      let error = await #expect(throws: CommandError.self) {
        try await ImportGitCommand.parse([directory + "/x"]).run(in: bench.session)
      }
      #expect(error?.exitCode == 65)
      #expect(error?.message.contains("commit ") == true)
    }
  }

  @Test func filesGitDoesNotKnow() async throws {
    try await withRepository { directory, git in
      try await git("commit", "-q", "--allow-empty", "-m", "1")
      let bench = Bench(try await StoreHarness())
      let unknown = await #expect(throws: CommandError.self) {
        try await ImportGitCommand.parse([directory + "/nope"]).run(in: bench.session)
      }
      #expect(unknown?.exitCode == 66)
      let outside = await #expect(throws: CommandError.self) {
        try await ImportGitCommand.parse(["/nowhere/x"]).run(in: bench.session)
      }
      #expect(outside?.exitCode == 65)
      #expect(outside?.message.contains("git says") == true)
    }
  }

  /// Each version that is text is imported; the others are named with their commit and the reason.
  @Test func oneOddCommitIsLeftOut() async throws {
    let harness = try await GitHarness()
    try await harness.commit("f", "one\n")
    let latin = try await harness.commit("f", [0x63, 0x61, 0x66, 0xE9, 0x0A])
    let binary = try await harness.commit("f", [0x61, 0, 0x62])
    try await harness.commit("f", [0xFF, 0xFE, 0x68, 0, 0x0A, 0])
    unlink(harness.path("f"))
    symlink("other", harness.path("f"))
    try await harness.git("commit", "-qam", "link")
    let link = try await harness.git("rev-parse", "HEAD")
    unlink(harness.path("f"))
    try await harness.commit("f", "last\n")
    let imported = try await harness.imported("f")
    #expect(imported.texts == ["one\n", "\u{FEFF}h\n", "last\n"])
    #expect(imported.exitCode == 1)
    for (commit, reason) in [
      (latin, "not UTF-8; --encoding names another one"), (binary, "a binary file: it has a NUL"),
      (link, "a symbolic link"),
    ] {
      #expect(
        imported.noted.contains("editlog: left out: commit \(commit.prefix(12)): \(reason)"),
        "\(imported.noted)")
    }
    let decoded = try await harness.imported("f", "--encoding", "ISO-8859-1")
    #expect(decoded.texts == ["one\n", "café\n", "\u{FEFF}h\n", "last\n"])
    let error = await #expect(throws: CommandError.self) {
      _ = try await harness.imported("f", "--encoding", "no-such/encoding")
    }
    #expect(error?.exitCode == 64)
  }

  @Test func encodingsAreDecoded() throws {
    let utf16 = try #require(CharacterDecoder(named: "UTF-16LE"))
    #expect(utf16.text([0x61, 0, 0xE9, 0]) == "aé")
    #expect(utf16.text([0x61, 0, 0xE9]) == nil)
    let long = [UInt8](repeating: 0xE9, count: 300_000)
    #expect(CharacterDecoder(named: "latin1")?.text(long) == String(repeating: "é", count: 300_000))
    #expect(CharacterDecoder(named: "latin1//TRANSLIT") == nil)
    #expect(CharacterDecoder(ofCommit: "ISO-8859-15") != nil)
    #expect(CharacterDecoder(ofCommit: "ISO-2022-CN-EXT") == nil)
  }

  /// The commits are those of `git log FILE`: merges with a content of their own too.
  @Test func mergesAreVersions() async throws {
    let harness = try await GitHarness()
    let lines = (0..<20).map { "line \($0)\n" }.joined()
    try await harness.commit("f", lines, at: "2026-01-01T00:00:00Z")
    try await harness.git("checkout", "-qb", "side")
    try await harness.commit("f", lines + "side\n", at: "2026-01-02T00:00:00Z")
    try await harness.git("checkout", "-q", "main")
    try await harness.commit("f", "main\n" + lines, at: "2026-01-03T00:00:00Z")
    try await harness.git("merge", "-q", "--no-edit", "side", at: "2026-01-04T00:00:00Z")
    try await harness.commit("f", "end\n", at: "2026-01-05T00:00:00Z")
    let imported = try await harness.imported("f")
    let listed = try await harness.git("log", "--format=%H", "--", "f").split(separator: "\n")
    #expect(listed.count == 5)
    #expect(Set(imported.labels.filter(GitObjectReader.isHash)) == Set(listed.map(String.init)))
    #expect(imported.texts.contains("main\n" + lines + "side\n"))
  }

  /// A file that was renamed on one line of history, and changed on another.
  @Test func namesBeforeAMergeAreFollowed() async throws {
    let harness = try await GitHarness()
    let lines = (0..<20).map { "line \($0)\n" }.joined()
    try await harness.commit("-old name", lines)
    try await harness.git("checkout", "-qb", "side")
    try await harness.commit("-old name", lines + "side\n")
    try await harness.git("checkout", "-q", "main")
    try await harness.git("mv", "--", "-old name", "-new")
    try await harness.git("commit", "-qm", "renamed")
    try await harness.git("merge", "-q", "--no-edit", "side")
    let imported = try await harness.imported("-new")
    #expect(imported.texts.count == 4 && imported.exitCode == 0)
    #expect(imported.texts.first == lines && imported.texts.last == lines + "side\n")
  }

  /// A folder that had the name of the file is another file's history.
  @Test func aFolderOfThisNameIsNotTheFile() async throws {
    let harness = try await GitHarness()
    mkdir(harness.path("f"), 0o700)
    try await harness.commit("f/inside", "no\n")
    try await harness.git("rm", "-qr", "f")
    try await harness.git("commit", "-qm", "removed")
    try await harness.commit("f", "yes\n")
    #expect(try await harness.imported("f").texts == ["yes\n"])
  }

  @Test func aFileInAFolderThatIsGone() async throws {
    let harness = try await GitHarness()
    mkdir(harness.path("sub"), 0o700)
    try await harness.commit("sub/f", "text\n")
    try await harness.git("rm", "-qr", "sub")
    try await harness.git("commit", "-qm", "removed")
    #expect(try await harness.imported("sub/f").texts == ["text\n", ""])
  }

  @Test func aShallowCloneIsNamed() async throws {
    let harness = try await GitHarness()
    for number in 1...4 { try await harness.commit("f", "\(number)\n") }
    let clone = harness.folder.path("clone")
    try await run("git", ["clone", "-q", "--depth", "2", "file://" + harness.path, clone])
    let store = try GitHarness.store()
    let result = try await store.run(ImportGitCommand.self, [clone + "/f", "--document", "d"])
    #expect(result.noted.contains("is in a shallow clone, which lacks the older commits"))
    #expect(result.noted.contains("in 2 transactions") && result.exitCode == 0)
  }

  /// Without the object of a version, the others are imported.
  @Test func aMissingObjectIsNamed() async throws {
    let harness = try await GitHarness()
    let first = try await harness.commit("f", "1\n")
    try await harness.commit("f", "2\n")
    let blob = try await harness.git("rev-parse", "\(first):f")
    unlink(harness.path(".git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))"))
    let imported = try await harness.imported("f")
    #expect(imported.texts == ["2\n"] && imported.exitCode == 1)
    #expect(imported.noted.contains("the repository does not have its content"))
    let commit = harness.path(".git/objects/\(first.prefix(2))/\(first.dropFirst(2))")
    unlink(commit)
    let cut = try await harness.imported("f")
    #expect(cut.texts == ["2\n"] && cut.exitCode == 1)
    #expect(cut.noted.contains("left out: commits before "))
    // A damaged object.
    let second = try await harness.git("rev-parse", "HEAD:f")
    try await harness.commit("f", "3\n")
    let object = harness.path(".git/objects/\(second.prefix(2))/\(second.dropFirst(2))")
    chmod(object, 0o600)
    truncate(object, 3)
    #expect(try await harness.imported("f").texts == ["3\n"])
  }

  /// One commit with a wrong clock keeps no other from its own time.
  @Test func aWrongClockChangesOneTime() async throws {
    let harness = try await GitHarness()
    let days = ["2023-11-14", "2023-11-15", "2050-01-01", "2023-11-17", "1971-01-01", "2023-11-18"]
    for (number, day) in days.enumerated() {
      try await harness.commit("f", "\(number)\n", at: day + "T22:00:00Z")
    }
    let imported = try await harness.imported("f")
    let expected = [
      "2023-11-14", "2023-11-15", "2023-11-17", "2023-11-17", "2023-11-17", "2023-11-18",
    ]
    #expect(imported.times == expected.map { time($0 + "T22:00:00Z") })
    #expect(imported.noted.contains("2 of 6 commits have times in the future or out of order"))
  }

  /// The rule of times against all subsequences.
  @Test(arguments: seeds(20)) func asManyTimesAsPossibleAreKept(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let now = Timestamp(nanoseconds: 10)
    for _ in 0..<50 {
      let count = Int.random(in: 0...9, using: &random)
      let own: [Timestamp?] = (0..<count).map { _ in
        let value = Int64.random(in: -1...12, using: &random)
        return value < 0 ? nil : Timestamp(nanoseconds: value)
      }
      let times = CommitTimes.fitting(own, now: now)
      #expect(
        zip(times, times.dropFirst()).allSatisfy { $0 <= $1 } && times.allSatisfy { $0 <= now })
      var most = 0
      for subset in 0..<(1 << count) {
        let chosen = (0..<count).filter { subset >> $0 & 1 == 1 }.map { own[$0] }
        let rises = zip(chosen, chosen.dropFirst()).allSatisfy { ($0 ?? now) <= ($1 ?? now) }
        if rises, chosen.allSatisfy({ $0.map { $0 <= now } == true }) {
          most = max(most, chosen.count)
        }
      }
      #expect(zip(own, times).count { $0 == $1 } >= most, "seed \(seed): \(own)")
    }
  }

  // MARK: There and back

  /// The messages of the versions come back as commits.
  @Test func importedVersionsAreExportedAsTheirCommits() async throws {
    let harness = try await GitHarness()
    let long = String(repeating: "a long line é ", count: 60)
    let messages = [
      "subject\n\nbody\nCo-authored-by: x <y>\n", "one line\n", long + "\n\n" + long + "\n",
      String(repeating: "0", count: 40) + "\n",
      "subject\n" + String(repeating: "line\n", count: 200),
    ]
    for (number, message) in messages.enumerated() {
      try await harness.commit(
        "f", "text \(number)\n", message,
        at: "2026-01-0\(number + 1)T10:00:00+02:00")
    }
    // A mode, and no other text.
    chmod(harness.path("f"), 0o700)
    try await harness.git("commit", "-qam", "mode")
    let store = try GitHarness.store()
    _ = try await store.run(ImportGitCommand.self, [harness.path("f"), "--document", "d"])
    // The user's mark is no part of a message.
    _ = try await store.run(MarkCommand.self, ["d", "done"])
    let copy = harness.folder.path("copy")
    let noted = try await store.run(ExportCommand.self, ["d", "--format", "git", "--output", copy])
      .noted
    #expect(noted.contains("Wrote 6 commits to "))
    let format = "--format=%an <%ae> %aI%n%B%x00"
    let log = try await harness.git("log", format)
    #expect(log.contains(long.dropLast()))
    #expect(try await harness.git("--git-dir", copy + "/.git", "log", format) == log)
    let hash = try await harness.git("rev-parse", "HEAD~3")
    let shown = try await store.run(ShowCommand.self, ["d", "--at", "mark:" + hash]).printed
    #expect(try await harness.git("show", hash + ":f") + "\n" == shown)
  }

  @Test func labelsCarryMessages() {
    let author = "author A <a@b> 1 +0100\n"
    for message in [
      "", "\n", "a", "a\n", "\na\n", "a\n\nb", String(repeating: "é", count: 125) + "\nb\n",
      String(repeating: "é", count: 124) + "x\nb\n", String(repeating: "é", count: 500),
      String(repeating: "f", count: 40) + "\nA <a@b> 1 +0100\nx\n",
    ] {
      let hash = String(repeating: "a", count: 40)
      let commit = ImportedCommit(GitCommit(hash, Array((author + "\n" + message).utf8)))
      #expect(commit.labels.allSatisfy { (1...HistoryEvent.labelSizeMax).contains($0.utf8.count) })
      let read = ImportedCommit.commits(in: commit.labels + commit.labels)
      let expected = message == "a" ? "a\n" : message
      #expect(read.map(\.message) == [expected, expected] && read.map(\.hash) == [hash, hash])
      #expect(read.first?.author == "A <a@b> 1 +0100")
    }
  }

  /// What is malformed in a commit is left out.
  @Test func commitsAreRead() {
    let latin = GitCommit(
      "",
      Array("author Andr".utf8) + [0xE9] + Array(" <a> 5 +9999\nencoding ISO-8859-1\n\nm".utf8) + [
        0xE9
      ])
    #expect(
      latin.name == "André" && latin.message == "mé" && latin.zone == "+0000" && latin.seconds == 5)
    for text in [
      "x", "author", "author x", "author <<>> x y", "author > < 9999999999999999999 +0000",
    ] {
      let commit = GitCommit("", Array((text + "\n\nm\0n").utf8))
      #expect(commit.seconds == nil && commit.message == "m")
    }
    #expect(GitCommit("", Array("author a <b> 9000000000000000000 +0000\n".utf8)).time == nil)
  }
}
