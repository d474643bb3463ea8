import ArgumentParser
import EditIngest
import EditJSON
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EditLogCommands

/// The search of `bisect`, against a scan of all versions.
@Suite struct BisectionTests {
  /// A search among candidates, and what is found by trying each of them.
  private struct Case {
    let bounds: ClosedRange<SequenceNumber>
    let candidates: [SequenceNumber]
    let firstBad: SequenceNumber
    let skipped: Set<SequenceNumber>

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      let lower = SequenceNumber.random(in: 0...20, using: &random)
      let upper = lower + SequenceNumber.random(in: 1...400, using: &random)
      let share = Int.random(in: 1...10, using: &random)
      let skipShare = [0, 0, 1, 5, 9].randomElement(using: &random) ?? 0
      candidates = (lower...upper).filter { _ in Int.random(in: 1...10, using: &random) <= share }
      firstBad = SequenceNumber.random(in: lower + 1...upper, using: &random)
      var skipped = Set(
        candidates.filter { _ in Int.random(in: 1...10, using: &random) <= skipShare })
      if skipShare > 0 {
        // A part that cannot be tested at all.
        let start = SequenceNumber.random(in: lower...upper, using: &random)
        skipped.formUnion((start...start + 30).filter(candidates.contains))
      }
      (bounds, self.skipped) = (lower...upper, skipped)
    }

    var all: Bisection.Candidates {
      Bisection.Candidates(
        after: { version in candidates.first { $0 > version } },
        before: { version in candidates.last { $0 < version } })
    }

    /// The last version known to be good and the first known to be bad, if each is tried.
    var scanned: ClosedRange<SequenceNumber> {
      let tried = candidates.filter { bounds.contains($0) && !skipped.contains($0) }
      return
        (tried.last { $0 < firstBad } ?? bounds.lowerBound)...(tried.first { $0 >= firstBad }
        ?? bounds.upperBound)
    }
  }

  @Test(arguments: seeds(400)) func findsWhatAScanFinds(seed: UInt64) async throws {
    let given = Case(seed: seed)
    var search = try #require(
      Bisection(good: given.bounds.lowerBound, bad: given.bounds.upperBound))
    var tried: [SequenceNumber] = []
    while let version = try await search.next(given.all) {
      #expect(given.candidates.contains(version) && version > search.good && version < search.bad)
      #expect(!tried.contains(version))
      tried.append(version)
      let verdict: Bisection.Verdict =
        given.skipped.contains(version) ? .skipped : version < given.firstBad ? .good : .bad
      search.note(verdict, at: version)
    }
    #expect(search.good...search.bad == given.scanned)
    let left = given.candidates.filter { $0 > search.good && $0 < search.bad }
    #expect(search.skipped == Set(left))
    let span = Double(given.bounds.upperBound - given.bounds.lowerBound)
    let skippedCount = tried.count { given.skipped.contains($0) }
    #expect(Double(tried.count - skippedCount) <= 2 * log2(span) + 2)
  }

  @Test(arguments: [2, 3, 1_000, 1_000_000, SequenceNumber(1) << 40])
  func triesNoMoreThanTheLogarithm(count: SequenceNumber) async throws {
    for firstBad in [1, 2, count / 3 + 1, count - 1, count] {
      var search = try #require(Bisection(good: 0, bad: count))
      var tries = 0
      while let version = try await search.next(.allVersions) {
        search.note(version < firstBad ? .good : .bad, at: version)
        tries += 1
      }
      #expect(search.bad == firstBad && search.good == firstBad - 1)
      #expect(Double(tries) <= log2(Double(count)).rounded(.up))
    }
  }

  @Test func aLongSkippedPartIsLeftSoon() async throws {
    var search = try #require(Bisection(good: 0, bad: 1 << 20))
    var tries = 0
    // Versions from 1/4 to 3/4 cannot be tested.
    while let version = try await search.next(.allVersions), tries < 1_000 {
      let isSkipped = (1 << 18...3 << 18).contains(version)
      search.note(isSkipped ? .skipped : version < 1_000 ? .good : .bad, at: version)
      tries += 1
    }
    #expect(search.bad == 1_000)
    #expect(tries < 30)
  }
}

/// `editlog bisect` on real stores, with real commands.
@Suite struct BisectTests {
  /// The digits 0 to 9 again and again, each in an edit; saved after each 7 edits.
  private func store(_ count: Int = 40, document: String = "d.txt") throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    let digest = try #require(ContentDigest(bytes: Array(repeating: 0, count: 32)))
    for index in 0..<count {
      try script.replace(index..<index, "\(index % 10)", author: index % 2 == 0 ? "ann" : nil)
      script.wait(seconds: 10)
      if index % 7 == 6 { script.note(.saved(digest)) }
    }
    return try RealStore(script.entries, document: document)
  }

  private func run(
    _ store: RealStore, _ options: [String], _ script: String, document: String = "d.txt"
  ) async throws -> (printed: String, noted: String, exitCode: Int32) {
    try await store.run(
      BisectCommand.self, [document, "--quiet"] + options + ["--", "sh", "-c", script])
  }

  @Test func `the edit is printed, and what to do next`() async throws {
    let (printed, noted, code) = try await run(
      try store(), ["--from", "0"], "! grep -q 0123456789012")
    #expect(code == 0)
    #expect(
      printed == """
        edit 13 is the first after which the command fails
          time         2026-07-01 12:02:00
          author       ann
          origin       typing
          range        {12, 0}
          inserted     "2"
          runs         7 versions tried, 0 skipped

        Next:
          editlog diff d.txt --from 12 --to 13
          editlog undo d.txt --since 13 --until 13 --dry-run

        """)
    #expect(
      noted == """
        good  0   the empty document
        bad   40  2026-07-01 12:06:30
        bad   20  2026-07-01 12:03:10  20 edits left, about 5 runs
        good  10  2026-07-01 12:01:30  10 edits left, about 4 runs
        bad   15  2026-07-01 12:02:20  5 edits left, about 3 runs
        good  12  2026-07-01 12:01:50  3 edits left, about 2 runs
        bad   13  2026-07-01 12:02:00

        """)
  }

  @Test func `JSON has the edit and all tries`() async throws {
    let (printed, _, code) = try await run(
      try store(), ["--from", "8", "--to", "20", "--json"],
      "[ $EDITLOG_SEQUENCE = 14 ] && exit 125; [ $EDITLOG_SEQUENCE -lt 12 ]")
    #expect(code == 0)
    #expect(
      printed == #"""
        {"v":1,"document":"d.txt","sequence":12,"time":"2026-07-01T10:01:50Z","origin":"typing","location":11,"length":0,"changeInLength":1,"text":"1","good":11,"bad":12,"skipped":[14],"tried":[{"sequence":8,"result":"good","exit":0},{"sequence":20,"result":"bad","exit":1},{"sequence":14,"result":"skipped","exit":125},{"sequence":13,"result":"bad","exit":1},{"sequence":10,"result":"good","exit":0},{"sequence":11,"result":"good","exit":0},{"sequence":12,"result":"bad","exit":1}]}

        """#)
  }

  @Test func `the command gets the text twice, and what it is`() async throws {
    let script = """
      [ "$(cat)" = "$(cat "$1")" ] && [ "$1" = "$EDITLOG_FILE" ] && [ "$EDITLOG_DOCUMENT" = d.txt ] \
      && [ "$(wc -c < "$1")" -eq $EDITLOG_SEQUENCE ] && [ "$(stat -c %a "$1")" = 600 ] \
      && case "$1" in *.txt) ;; *) exit 1;; esac || exit 99
      [ $EDITLOG_SEQUENCE -lt 30 ]
      """
    let (printed, _, code) = try await store().run(
      BisectCommand.self,
      ["d.txt", "-q", "--from", "0", "--json", "--", "sh", "-c", script, "sh", "{}"])
    #expect(code == 0)
    #expect(printed.contains(#""sequence":30,"#))
    #expect(!printed.contains("99"))
  }

  @Test func `the file is removed after each run`() async throws {
    let folder = TemporaryFolder()
    let list = folder.path("list")
    _ = try await run(
      try store(), ["--from", "0"], "echo $EDITLOG_FILE >> \(list); [ $EDITLOG_SEQUENCE -lt 9 ]")
    let paths = String(decoding: try InputFile.read(list), as: UTF8.self).split(separator: "\n")
    #expect(paths.count == 8)
    for path in paths { #expect(access(String(path), F_OK) != 0) }
  }

  @Test(
    "steps and saves",
    arguments: [
      // Saves are at 7, 14, 21, 28 and 35.
      ("save", 17, 14, 21), ("save", 7, 0, 7), ("save", 40, 35, 40), ("10s", 17, 16, 17),
      ("step", 17, 16, 17), ("undo", 17, 16, 17), ("edit", 17, 16, 17),
    ])
  func units(
    unit: String, firstBad: Int, good: SequenceNumber, bad: SequenceNumber
  ) async throws {
    let (printed, _, code) = try await run(
      try store(), ["--from", "0", "--by", unit, "--json"], "[ $EDITLOG_SEQUENCE -lt \(firstBad) ]")
    #expect(code == 0)
    let answer = try JSON.parse(printed)
    #expect(answer["good"] == JSON(good) && answer["bad"] == JSON(bad), "\(printed)")
    #expect(answer["sequence"] == answer["bad"])
    #expect((answer["text"] != nil) == (bad == good + 1))
  }

  @Test func `a step of several edits is printed as log prints it`() async throws {
    let (printed, _, code) = try await run(
      try store(), ["--from", "0", "--by", "save"], "[ $EDITLOG_SEQUENCE -lt 17 ]")
    #expect(code == 0)
    #expect(
      printed.hasPrefix(
        "edits 15 to 21 made the first version for which the command fails\nWed 1 Jul 2026\n"))
    #expect(
      printed.hasSuffix(
        """
        Next:
          editlog diff d.txt --from 14 --to 21
          editlog bisect d.txt --from 14 --to 21 -- sh -c '[ $EDITLOG_SEQUENCE -lt 17 ]'

        """))
  }

  @Test(arguments: seeds(6)) func `the edit is that of a scan`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 2...60, using: &random)
    let firstBad = Int.random(in: 1...count, using: &random)
    let skipped = (1..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    let script = """
      case " \(skipped.map(String.init).joined(separator: " ")) " in
      *" $EDITLOG_SEQUENCE "*) exit 125;; esac
      [ $(wc -c) -lt \(firstBad) ]
      """
    let (printed, _, code) = try await run(try store(count), ["--from", "0", "--json"], script)
    var (good, bad) = (firstBad - 1, firstBad)
    while skipped.contains(good) { good -= 1 }
    while skipped.contains(bad) { bad += 1 }
    let answer = try JSON.parse(printed)
    #expect(answer["good"] == JSON(good) && answer["bad"] == JSON(bad), "\(printed)")
    #expect(code == (bad == good + 1 ? 0 : 1))
    #expect((answer["sequence"] != nil) == (code == 0))
  }

  /// Counts the versions that are read with the links of their chain checked, and without.
  private final class CountingBackend: Backend {
    private let store: any Backend
    private let counts = Mutex((verified: 0, other: 0))

    init(_ store: any Backend) { self.store = store }

    var stateCounts: (verified: Int, other: Int) { counts.withLock { $0 } }

    func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
      if let question = question as? StateRequest {
        counts.withLock {
          if question.history.isVerified { $0.verified += 1 } else { $0.other += 1 }
        }
      }
      return try await store.ask(question)
    }

    func perform<C: Change>(_ change: C) async throws -> C.Answer {
      try await store.perform(change)
    }

    func close() async { await store.close() }
  }

  @Test func `the chain is checked once, before the first run`() async throws {
    let store = try store()
    let backend = CountingBackend(try await makeStoreBackend(path: store.path))
    let bench = Bench(backend)
    try await BisectCommand.parse([
      "d.txt", "-q", "--verified", "--from", "0", "--json", "--", "sh", "-c",
      "[ $EDITLOG_SEQUENCE -lt 13 ]",
    ]).run(in: bench.session)
    await backend.close()
    #expect(bench.printed.contains(#""sequence":13,"#))
    #expect(backend.stateCounts.verified == 1 && backend.stateCounts.other == 7)
  }

  @Test func `only skipped versions are left`() async throws {
    let (printed, _, code) = try await run(
      try store(), ["--from", "0"],
      "[ $EDITLOG_SEQUENCE -lt 15 ] && exit 0; [ $EDITLOG_SEQUENCE -lt 18 ] && exit 125; exit 1")
    #expect(code == 1)
    #expect(
      printed.hasPrefix(
        """
        the command first fails after one of the edits 15 to 18; 3 versions between were skipped

        """))
    #expect(printed.contains("editlog log d.txt --since 15 --until 18 --edits"))
  }

  @Test func `the search gives up after many skipped versions`() async throws {
    let (printed, _, code) = try await run(
      try store(), ["--from", "0", "--skips", "4", "--json"],
      "[ $EDITLOG_SEQUENCE = 0 ] && exit 0; [ $EDITLOG_SEQUENCE = 40 ] && exit 1; exit 125")
    #expect(code == 1)
    let answer = try JSON.parse(printed)
    guard case .array(let tried)? = answer["tried"] else { throw Missing() }
    #expect(tried.count == 6)
  }

  private struct Missing: Error {}

  @Test func `a command need not read, and may print much`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, String(repeating: "ten bytes\n", count: 1 << 20))
    try script.replace(0..<0, "x")
    let store = try RealStore(script.entries)
    let (printed, _, code) = try await run(
      store, ["--from", "1", "--json"], "[ $EDITLOG_SEQUENCE = 1 ]", document: "d")
    #expect(code == 0 && printed.contains(#""sequence":2"#))
    let (counted, _, _) = try await run(
      store, ["--from", "1", "--json"],
      "cat; cat {} >&2; [ \"$(wc -c < $EDITLOG_FILE)\" -eq 10485760 ]", document: "d")
    #expect(counted.contains(#""sequence":2"#))
  }

  @Test(
    "a search that cannot be made is refused",
    arguments: [
      (["--from", "3", "--", "false"], 65, "fails for version 3, which --from names"),
      (["--from", "3", "--", "true"], 65, "succeeds for version 40, which --to names"),
      (["--from", "3", "--", "sh", "-c", "exit 125"], 65, "cannot test (status 125) version 3"),
      (["--from", "3", "--", "sh", "-c", "exit 126"], 69, "status 126"),
      (["--from", "3", "--", "sh", "-c", "exit 127"], 69, "status 127 (there is no such command)"),
      (["--from", "3", "--", "sh", "-c", "exit 128"], 69, "status 128"),
      (["--from", "3", "--", "sh", "-c", "kill -KILL $$"], 69, "signal 9"),
      (["--from", "3", "--", "no-such-program"], 69, "cannot run no-such-program"),
      (["--from", "3", "--", "./no-such-program"], 69, "cannot run ./no-such-program"),
      (["--from", "3", "--to", "3", "--", "true"], 64, "--from must be before --to"),
      (["--from", "9", "--to", "3", "--", "true"], 64, "--from must be before --to"),
    ])
  func refusals(arguments: [String], exitCode: Int32, message: String) async throws {
    let store = try store()
    let error = await #expect(throws: CommandError.self) {
      try await store.run(BisectCommand.self, ["d.txt", "-q"] + arguments)
    }
    #expect(error?.exitCode == exitCode)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    ["--from", "3"], ["--from", "3", "--"], ["--from", "3", "--", ""], ["--", "true"],
    ["--from", "3", "--by", "nonsense", "--", "true"],
    ["--from", "3", "--skips", "0", "--", "true"],
    ["--from", "3", "--run-timeout", "0s", "--", "true"],
  ])
  func wrongArguments(arguments: [String]) {
    #expect(throws: (any Error).self) { try BisectCommand.parse(["d"] + arguments) }
  }

  @Test func `points outside the history are refused`() async throws {
    let store = try store()
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(
        BisectCommand.self, ["d.txt", "-q", "--from", "1", "--to", "99", "--", "true"])
    }
    #expect(error?.code == .unknownPoint)
  }

  @Test(arguments: [
    ("essay", ""), ("essay.md", ".md"), ("file:///a/b.tar.gz", ".gz"), (".vimrc", ""), ("a.", ""),
    ("a.b/c", ""), ("x.a-b", ""), ("x.é", ""), ("x.abcdefghijklmnopq", ""), ("/a.c", ".c"),
  ])
  func extensions(name: String, suffix: String) throws {
    #expect(VersionFile.suffix(of: try #require(DocumentID(name))) == suffix)
  }
}
