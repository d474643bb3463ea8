import EditJSON
import EditModel
import EditProtocol
import Testing

@testable import EditLogCommands

/// What `activity` prints of real stores. The tests' local time is two hours ahead of UTC in summer.
@Suite struct ActivityTests {
  private func store() throws -> RealStore {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "one fish\ntwo fish\n", .load, author: "ann")
    script.wait(seconds: 60)
    try script.replace(4..<8, "", .removal, author: "bob")
    try script.type("a dog", at: 4, author: "ann")
    script.wait(until: "2026-07-03T21:50:00Z")
    try script.replace(0..<0, "so it goes\n", .program, author: "claude AI")
    script.wait(until: "2026-07-20T22:10:00Z")
    try script.type("!", at: 0, author: "ann")
    return try RealStore(script.entries)
  }

  @Test func `a strip, shares, pauses and paragraphs`() async throws {
    let (printed, noted, code) = try await store().run(ActivityCommand.self, ["d"], width: 80)
    #expect(code == 0 && noted == "")
    #expect(
      printed == """
        d
          9 edits in 3 work periods, 1 min, 6 words, +35 -4
          2026-07-01 12:00:00 to 2026-07-21 00:10:00

        DAY         00    06    12    18      EDITS  WORDS   +  -   TIME
        2026
        Wed 1 Jul   ............%...........      7      2  23  4  1 min
        Thu 2 Jul   ........................
        Fri 3 Jul   .......................=      1      3  11  0    0 s
        17 days without edits
        Tue 21 Jul  =.......................      1      1   1  0    0 s
        edits an hour:  . none  = 1  # 2-3  % 4-7

        AUTHOR     EDITS  SHARE  WORDS   +  -   TIME
        ann            7   69 %      3  24  0    0 s
        bob            1    0 %      0   0  4  1 min
        claude AI      1   31 %      3  11  0    0 s

        ORIGIN   EDITS  SHARE  WORDS   +  -   TIME
        typing       6   17 %      3   6  0    0 s
        load         1   51 %      0  18  0    0 s
        removal      1    0 %      0   0  4  1 min
        program      1   31 %      3  11  0    0 s

        AGENT      EDITS  SHARE  WORDS   +  -  TIME
        claude AI      1   31 %      3  11  0   0 s

           PAUSE  FROM                 TO                   AFTER EDIT
        17 d 0 h  2026-07-03 23:50:00  2026-07-21 00:10:00           8
        2 d 11 h  2026-07-01 12:01:00  2026-07-03 23:50:00           7

        REWORKED  -  EDITS  TEXT
        0.0       4      7  "one a dog"

        """)
  }

  /// Fifty documents that are touched within 20 seconds are 20 seconds of work in one period.
  @Test func `time that is spent on several documents counts once`() async throws {
    let store = try RealStore([])
    for number in 0..<50 {
      var script = HistoryScript(at: "2026-07-01T10:00:00Z")
      for author in ["ann", "bob"] {
        try script.replace(0..<0, "some words\n", .external, author: author)
        script.wait(seconds: 10)
        try script.replace(0..<0, "more\n", .external, author: author)
      }
      try store.append(script.entries, to: "d\(number)")
    }
    let (printed, _, _) = try await store.run(ActivityCommand.self, [], width: 80)
    let lines = printed.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(printed.contains("200 edits in 1 work period, 20 s, "), "\(printed)")
    #expect(lines.first { $0.starts(with: ["Wed", "1", "Jul"]) }?.suffix(2) == ["20", "s"])
    for author in ["ann", "bob"] {
      #expect(lines.first { $0.first == author[...] }?.suffix(2) == ["10", "s"])
    }
    #expect(lines.first { $0.first == "external" }?.suffix(2) == ["20", "s"])
    #expect(lines.first { $0.first?.hasPrefix("d") == true }?.suffix(2) == ["20", "s"])
  }

  /// Times of documents that overlap in part, on two days.
  @Test func `sums over documents are unions`() async throws {
    let store = try RealStore([])
    for (number, start) in ["22:58:00", "22:59:00", "23:30:00"].enumerated() {
      var script = HistoryScript(at: "2026-07-01T20:00:00Z")
      script.wait(until: "2026-07-01T\(start)Z")
      try script.replace(0..<0, "a")
      script.wait(seconds: 240)
      try script.replace(0..<0, "b")
      try store.append(script.entries, to: "d\(number)")
    }
    let (printed, _, _) = try await store.run(ActivityCommand.self, [], width: 80)
    // 22:58 to 23:03 and 23:30 to 23:34 UTC; 2 hours later here, so on the next day.
    #expect(printed.contains("6 edits in 1 work period, 9 min, "), "\(printed)")
  }

  /// The time before it was spent with reading.
  @Test func `the time before an undo or a restore is no work`() async throws {
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "one\n")
    script.wait(seconds: 10)
    try script.replace(0..<4, "", .removal)
    script.wait(seconds: 240)
    try script.replace(0..<0, "one\n", .undo)
    script.wait(seconds: 20)
    try script.replace(0..<0, "two\n")
    let (printed, _, _) = try await RealStore(script.entries).run(
      ActivityCommand.self, ["d"], width: 80)
    #expect(printed.contains("4 edits in 1 work period, 30 s, "), "\(printed)")
  }

  @Test func `JSON has a line for each document`() async throws {
    let store = try store()
    var script = HistoryScript(at: "2026-07-01T10:00:00Z")
    try script.replace(0..<0, "hi")
    try store.append(script.entries, to: "other")
    let (printed, _, code) = try await store.run(ActivityCommand.self, ["--json"])
    let lines = try printed.split(separator: "\n").map { try JSON.parse(String($0)) }
    #expect(code == 0 && lines.count == 2)
    #expect(
      String(printed.split(separator: "\n").last ?? "") == #"""
        {"v":1,"document":"other","sequence":1,"total":{"edits":1,"words":1,"inserted":2,"removed":0,"activeMicros":0,"sessions":1},"firstTime":"2026-07-01T10:00:00Z","lastTime":"2026-07-01T10:00:00Z","quarters":[{"time":"2026-07-01T10:00:00Z","edits":1,"words":1,"inserted":2,"removed":0,"activeMicros":0,"sessions":1}],"shares":[{"origin":"typing","edits":1,"words":1,"inserted":2,"removed":0,"activeMicros":0}],"pauses":[],"paragraphs":[]}
        """#)
  }

  @Test(
    "options choose edits",
    arguments: [
      ([], 9), (["--since", "2"], 8), (["--until", "2"], 2), (["--since", "3", "--until", "7"], 5),
      (["--since", "2026-07-02"], 2), (["--until", "2026-07-02"], 7),
      (["--since", "2027-01-01"], 0),
    ])
  func options(arguments: [String], count: Int) async throws {
    let (printed, _, _) = try await store().run(
      ActivityCommand.self, ["d", "--json"] + arguments)
    let answer = try ActivityAnswer.codec.decode(JSON.parse(printed))
    #expect(answer.total.edits == count)
  }

  @Test func `older rows are summed up`() async throws {
    let (printed, _, _) = try await store().run(
      ActivityCommand.self, ["d", "--days", "2"], width: 80)
    #expect(printed.contains("2 earlier days with 8 edits; --days 0 shows them\n"))
    #expect(!printed.contains("Fri 3 Jul"))
    let (all, _, _) = try await store().run(ActivityCommand.self, ["d", "--days", "0"], width: 80)
    #expect(all.contains("Wed 1 Jul"))
    // Days without edits count as rows, but none comes before the first day shown.
    for (days, rows) in [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (60, 5)] {
      let (printed, _, _) = try await store().run(
        ActivityCommand.self, ["d", "--days", "\(days)", "--format", "svg"])
      #expect(printed.components(of: "Jul 2026</text>") + printed.components(of: "without") == rows)
    }
  }

  @Test(arguments: [20, 40, 60, 80, 140])
  func `lines fit the terminal`(width: Int) async throws {
    let (printed, _, _) = try await store().run(ActivityCommand.self, ["d"], width: width)
    for line in printed.split(separator: "\n") where width >= 60 {
      #expect(line.displayWidth <= width, "\(line)")
    }
    #expect(printed.contains(".......") || width < 60)
  }

  @Test func `nothing is said in words`() async throws {
    let (printed, noted, code) = try await RealStore([]).run(ActivityCommand.self, [])
    #expect((printed, noted, code) == ("", "no edits\n", 0))
    let (picture, _, _) = try await RealStore([]).run(ActivityCommand.self, ["--format", "svg"])
    #expect(picture.hasSuffix("</svg>\n"))
  }

  @Test func `a picture holds no markup of names`() async throws {
    var script = HistoryScript()
    try script.replace(0..<0, "x", author: "</svg>")
    let name = "<script>\u{1B}[2J&\"\u{0}\u{202E}"
    let (picture, _, _) = try await RealStore(script.entries, document: name).run(
      ActivityCommand.self, ["--format", "svg"])
    #expect(picture.contains("<title id=\"title\">Activity in \"&lt;script&gt;"))
    #expect(picture.contains("<desc id=\"desc\">1 edit in 1 work period, 0 s, 1 word, +1 -0. "))
    #expect(picture.contains("prefers-color-scheme: dark"))
    #expect(!picture.contains("<script>") && picture.components(of: "</svg>") == 1)
    #expect(picture.unicodeScalars.allSatisfy { $0 == "\n" || $0.showsItself })
  }

  @Test func `wrong arguments are refused`() async throws {
    let store = try store()
    for arguments in [["--days", "-1"], ["--format", "png"], ["--json", "--format", "svg"]] {
      await #expect(throws: (any Error).self) {
        try await store.run(ActivityCommand.self, arguments)
      }
    }
    let error = await #expect(throws: ProtocolError.self) {
      try await store.run(ActivityCommand.self, ["missing"])
    }
    #expect(error?.code == .unknownDocument)
    // A point that only some documents have: the others are reported.
    try store.append(HistoryScript().entries, to: "empty")
    let (printed, noted, code) = try await store.run(
      ActivityCommand.self, ["--since", "mark:none", "--json"])
    #expect(printed == "" && noted.contains("mark") && code == 66)
  }

  @Test(
    "levels double",
    arguments: [
      (1, [0, 5]), (2, [0, 4, 5]), (7, [0, 3, 4, 4, 5, 5, 5, 5]),
    ])
  func levels(max: Int, expected: [Int]) {
    let scale = HeatScale(max: max)
    #expect((0...max).map(scale.level) == expected)
    for level in 1...5 {
      for count in scale.range(level) ?? 1...0 + max where scale.range(level) != nil {
        #expect(scale.level(count) == level)
      }
    }
  }
}

extension String {
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
