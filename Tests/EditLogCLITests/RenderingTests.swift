import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// How numbers, excerpts, durations and counters are printed.
@Suite struct RenderingTests {
  /// A line of JSON that is written in pieces has each byte once.
  @Test(arguments: [
    String(repeating: "x", count: 200_000), String(repeating: "ä\u{2028}\"\n😀", count: 20_000),
  ])
  func longLinesOfJSONAreWhole(text: String) throws {
    let bench = Bench(CannedBackend(MarkAnswer(label: "", sequence: 0)))
    try bench.session.printJSON(["text": JSON(text), "end": true])
    let line: JSON = ["v": 1, "text": JSON(text), "end": true]
    #expect(bench.output.captured == line.serialized() + [0x0A])
  }

  @Test func traces() async throws {
    func trace(_ sequence: SequenceNumber, _ total: Int64) -> ShownTrace {
      ShownTrace(
        sequence: sequence, time: time("2026-11-20T10:00:00Z"), origin: .removal, author: nil,
        units: 12_345, paragraphs: 67, unitsBefore: 20_000, paragraphsBefore: 100,
        phases: .init(
          locate: 500, text: 1500, attributes: 2_500_000, paragraphs: 0, notify: 7),
        total: total, linear: 1_000_000)
    }
    let backend = CannedBackend(
      TraceAnswer(
        traces: [trace(7, 2_502_007), trace(1000, 12_000_000)], chrome: #"{"traceEvents":[]}"#))
    let bench = Bench(backend)
    try await TraceCommand.parse(["essay", "--min-length", "200"]).run(in: bench.session)
    // After it comes what is measured on this machine.
    let end = try #require(bench.printed.firstRange(of: "\nDeleting all but two of 128,000 "))
    #expect(
      bench.printed[..<end.lowerBound] == """
        EDIT  TIME                  UNITS  PARAGRAPHS    TOTAL  LINEAR  RATIO
           7  2026-11-20 11:00:00  12,345          67   2.5 ms  1.0 ms   2.50
        1000  2026-11-20 11:00:00  12,345          67  12.0 ms  1.0 ms  12.00

        2 EDITS  MEDIAN      P90      P99      MAX
        total    2.5 ms  12.0 ms  12.0 ms  12.0 ms
        ratio      2.50    12.00    12.00    12.00

        REMOVED   EDITS  MEDIAN  LINEAR
        10 to 99      2  2.5 ms  1.0 ms

        """)
    let chrome = Bench(backend)
    try await TraceCommand.parse(["essay", "--format", "chrome"]).run(in: chrome.session)
    #expect(chrome.printed == #"{"traceEvents":[]}"# + "\n")
    #expect(
      backend.calls == [
        #"editlog/trace {"document":"essay","minLength":200,"format":"table","limit":1024}"#,
        #"editlog/trace {"document":"essay","format":"chrome"}"#,
      ])
  }

  @Test func statusOfADaemon() async throws {
    let daemon = DaemonStatus(
      started: time("2026-11-20T10:00:00Z"), unsealedCount: 7, inMemoryCount: 2, checkedCount: 1)
    let bench = Bench(CannedBackend(StatusAnswer(daemon: daemon)))
    try await StatusCommand.parse([]).run(in: bench.session)
    #expect(
      bench.printed == """
                    version:  0.1.0
                     daemon:  yes
                    started:  2026-11-20 11:00:00
                       path:  /s
                      store:  00
                  documents:  3
                      edits:  259,778
                     sealed:  0 B
                    journal:  2.0 KiB
            accepted losses:  0
                quarantined:  0
                last minute:  nothing logged
                  last seal:  none since the start
           unsealed entries:  7
        documents in memory:  2
                    checked:  1
                     damage:  none known; `editlog verify` reads every byte

        """)
  }

  @Test func statusShowsTheConnectedClients() async throws {
    let client = try #require(
      SessionDescription(client: "Neovim", version: "0.7.2", host: "desk", process: 4711))
    let session = try #require(SessionID("s"))
    var skipped = SkippedFiles()
    (skipped[.notUTF8], skipped[.binary], skipped[.tooLarge]) = (1, 1_200, 0)
    let identities = [
      ClientIdentity(session: session, client: client, author: "ann", skipped: skipped),
      SessionDescription(client: "x\u{1B}").flatMap {
        ClientIdentity(session: session, client: $0)
      },
    ].compactMap { $0 }
    let daemon = DaemonStatus(
      started: time("2026-11-20T10:00:00Z"), unsealedCount: 7, inMemoryCount: 2, checkedCount: 1,
      clients: zip(identities, [2, 0]).map { ConnectedClient($0, openCount: $1) })
    let bench = Bench(CannedBackend(StatusAnswer(daemon: daemon)))
    try await StatusCommand.parse([]).run(in: bench.session)
    #expect(
      bench.printed.hasSuffix(
        """

        connected: Neovim 0.7.2 on desk, process 4711, author ann, 2 open; files skipped: 1,200 binary, 1 not UTF-8
        connected: "x\\033"

        """), "\(bench.printed)")
  }

  @Test func statusForPrometheus() async throws {
    let daemon = DaemonStatus(
      started: time("2026-11-20T10:00:00.5Z"), unsealedCount: 7, inMemoryCount: 2, checkedCount: 1,
      shortage: ShownShortage(since: time("2026-11-20T10:00:00Z"), missingSize: 5, message: "m"))
    let bench = Bench(CannedBackend(StatusAnswer(damage: ["d"], daemon: daemon)))
    try await StatusCommand.parse(["--metrics"]).run(in: bench.session)
    let lines = bench.printed.split(separator: "\n")
    #expect(
      lines.prefix(3) == [
        "# HELP editlog_build_info The version that answers.", "# TYPE editlog_build_info gauge",
        "editlog_build_info{version=\"0.1.0\"} 1",
      ])
    #expect(
      lines.filter { !$0.hasPrefix("#") }.dropFirst() == [
        "editlog_daemon_up 1", "editlog_documents 3", "editlog_edits 259778",
        "editlog_sealed_bytes 0", "editlog_journal_bytes 2048", "editlog_known_damages 1",
        "editlog_accepted_losses 0", "editlog_quarantined_files 0",
        "editlog_daemon_start_time_seconds 1795168800.5", "editlog_unsealed_entries 7",
        "editlog_documents_in_memory 2", "editlog_checked_documents 1",
        "editlog_last_seal_time_seconds 0.0", "editlog_no_space 1",
        "editlog_no_space_missing_bytes 5", "editlog_waiting_spools 0",
        "editlog_waiting_messages 0", "editlog_waiting_bytes 0",
      ])
    let files = Bench(CannedBackend(StatusAnswer()))
    try await StatusCommand.parse(["--metrics"]).run(in: files.session)
    #expect(files.printed.contains("\neditlog_daemon_up 0\n"))
    #expect(!files.printed.contains("editlog_unsealed_entries"))
  }

  @Test func statusThatIsWatched() async throws {
    let bench = Bench(CannedBackend(StatusAnswer()), width: 80)
    try await StatusCommand.parse(["--watch"]).watch(bench.session, count: 2, pause: .zero)
    let screens = bench.printed.split(separator: "\u{1B}[H")
    #expect(screens.count == 3 && screens[0] == "\u{1B}[2J")
    #expect(!screens[1].contains("edits per second"))
    #expect(
      screens[2].contains("edits per second:  0\u{1B}[K\n") && screens[2].hasSuffix("\u{1B}[J"))
    let failing = Bench(
      CannedBackend(failing: ProtocolError(.unreachable, "no daemon")), width: 80)
    try await StatusCommand.parse(["--watch"]).watch(failing.session, count: 1, pause: .zero)
    #expect(failing.printed == "\u{1B}[2J\u{1B}[Hno daemon\u{1B}[K\n\u{1B}[J")
    let error = await #expect(throws: CommandError.self) {
      let piped = Bench(CannedBackend(StatusAnswer()))
      try await StatusCommand.parse(["--watch"]).run(in: piped.session)
    }
    #expect(error?.exitCode == 64)
    #expect(StatusCommand.rate(from: 5, to: 25, in: 2_000_000_000) == 10)
    #expect(StatusCommand.rate(from: 25, to: 5, in: 1) == 0)
  }

  @Test(arguments: [["--watch", "--metrics"], ["--watch", "--json"], ["--metrics", "--heads"]])
  func statusFlagsThatExcludeEachOther(arguments: [String]) {
    #expect(throws: (any Error).self) { try StatusCommand.parse(arguments) }
  }

  @Test func damagedDocumentsAreSaid() async throws {
    let document = try #require(DocumentID("a"))
    let bench = Bench(
      CannedBackend(
        DocumentsAnswer(documents: [
          ListedDocument(document: document, number: 1, sequence: 0, size: 0, problem: "bad")
        ])))
    let error = await #expect(throws: ExitCode.self) {
      try await DocumentsCommand.parse([]).run(in: bench.session)
    }
    #expect(
      error?.rawValue == 65 && bench.noted == "1 document is damaged; see `editlog verify`\n")
    #expect(bench.printed.contains("0 B  a"))
    let none = Bench(CannedBackend(DocumentsAnswer(documents: [])))
    try await DocumentsCommand.parse([]).run(in: none.session)
    #expect(none.printed.isEmpty && none.noted == "There are no documents yet.\n")
  }

  @Test(arguments: [
    ("plain", 5, "plain"), ("plain!", 5, "plai…"), ("日本語", 5, "日本…"), ("日本語", 6, "日本語"),
    ("a\tb\r\n", 9, #"a\tb\r\n"#), ("\u{1B}]0;x\u{7}", 40, #"\u{1B}]0;x\u{7}"#),
    ("a\u{202E}b", 40, #"a\u{202E}b"#), ("👩‍🚀x", 3, "👩‍🚀x"),
    ("e\u{301}\u{301}x", 2, "e\u{301}\u{301}x"),
    ("\u{2029}", 40, #"\u{2029}"#), ("xyz", 0, "…"),
    // No escape is cut.
    ("abc\ndef", 5, "abc…"), ("abc\ndef", 6, #"abc\n…"#), ("a\u{202E}b", 6, "a…"),
    ("日\u{1B}本", 5, "日…"),
  ])
  func excerpts(text: String, width: Int, shown: String) {
    #expect(Excerpt.line(text, width: width) == shown)
  }

  @Test(arguments: [
    ("Ann", 5, "Ann"), ("Annabel", 5, "Anna…"), ("日本語", 5, "日本…"), ("a\nb", 6, #""a\nb""#),
    ("a\nbcd", 5, #""a\n…"#), ("a\nbcd", 4, #""a…"#), ("\u{202E}abc", 12, #""…"#),
    ("\u{202E}abc", 14, #""\342\200\256…"#),
  ])
  func names(text: String, width: Int, shown: String) {
    #expect(Excerpt.name(text, width: width) == shown)
  }

  /// Lines of ASCII take a path of their own: it shows what characters show one by one.
  @Test(arguments: UInt64(0)..<20)
  func excerptsOfASCII(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          ["a", " ", "\n", "\t", "\r", "~", "\r\n"].randomElement(using: &random) ?? "a"
        }.joined())
      let width = Bool.random(using: &random) ? Int.random(in: 2...14, using: &random) : nil
      let isCut = Bool.random(using: &random)
      // The control character before the text takes five columns, and the other path.
      let slow = Excerpt.line("\u{1}" + text, isCut: isCut, width: width.map { $0 + 5 })
      let fast = Excerpt.line(text, isCut: isCut, width: width)
      #expect("\\u{1}" + fast == slow, "\(text.debugDescription) \(isCut) \(width ?? -1)")
    }
  }

  @Test func numbers() {
    #expect(Numbers.grouped(-1_234_567) == "-1,234,567")
    #expect(Numbers.grouped(Int64.min) == "-9,223,372,036,854,775,808")
    #expect(Numbers.size(1023) == "1023 B")
    #expect(Numbers.size(1536) == "1.5 KiB")
    #expect(Numbers.duration(1_500) == "1.5 µs")
    #expect(Numbers.duration(12_340_000_000) == "12.3 s")
    #expect(Numbers.decimal(0.05, 1) == "0.1")
    #expect(Numbers.decimal(1234.5, 0) == "1,235")
    #expect(ProgressBar.bar(0.5).count == 28)
    #expect(ProgressBar.bar(2) == String(repeating: "█", count: 28))
  }
}
