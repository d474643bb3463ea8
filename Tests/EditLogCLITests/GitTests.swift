import ArgumentParser
import EditModel
import EditProtocol
import Glibc
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
      let name = try #require(FileURI.uris(of: new).first)
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
}
