import EditModel
import EditProtocol
@testable import Scrubbing
import TestSupport
import Testing

/// What is on the screen.
@Suite struct FrameTests {
  /// The rows of the text on a roomy screen, without the two columns before it.
  private static func rows(_ frame: ScrubFrame) -> [String] {
    (1..<frame.size.rows - 4).map { String(frame.line($0).dropFirst(2)) }
  }

  /// Lines that fit are shown as they are: the oracle is the text of the version.
  @Test(arguments: seeds(8))
  func `the text of a version is on the screen`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let texts = ScrubHarness.randomTexts(
      120, pieces: ["word", "a b", "\n", "x\ny", ""], using: &random
    ).map { text in
      // Lines of at most 20 units.
      var (line, result) = (0, [UInt16]())
      for unit in text {
        line = unit == 0x0A || line == 20 ? 0 : line + 1
        if line == 0, unit != 0x0A { result.append(0x0A) }
        result.append(unit)
      }
      return result
    }
    var harness = ScrubHarness(units: texts, columns: 70, rows: 40)
    for _ in 0..<40 {
      let version = Int.random(in: 0...120, using: &random)
      harness.type(":\(version)")
      harness.send(.key(.enter))
      harness.type("g")
      var lines = String(decoding: texts.prefix(version).last ?? [], as: UTF16.self)
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0.reversed().drop { $0 == " " }.reversed()) }
      lines += Array(repeating: "", count: max(0, 35 - lines.count))
      #expect(
        Self.rows(harness.state.frame()) == Array(lines.prefix(35)), "seed \(seed) @\(version)")
    }
  }

  private static let keys: [ScrubKey] =
    " +-=,.hlHL()sS[]{}%:/nNbupamdizZrywMF?qvtT1230gGjk".map { .character($0) }
    + "cdfbuyelwz".map { .control($0) }
    + [
      .enter, .backspace, .tab, .escape, .up, .down, .left, .right, .shiftLeft, .shiftRight,
      .pageUp, .pageDown, .home, .end, .character("é"), .character("日"), .character("👩‍🚀"),
    ]

  /// Any keys, sizes, clicks, late answers and failures: no trap, and each frame fits.
  @Test(arguments: seeds(24))
  func `a frame always fits the screen`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "", "a", "\n", "日本語", "e\u{301}", "\u{1B}[31m", "\u{202E}", "\t", "👩‍👩‍👧‍👦", "\0", "\r\n",
      "\u{200B}",
      String(repeating: "long ", count: 90), "שלום",
    ]
    let texts = ScrubHarness.randomTexts(
      Int.random(in: 0...60, using: &random), pieces: pieces, using: &random)
    let options = ScrubOptions(
      isColoured: Bool.random(using: &random), isUnicode: Bool.random(using: &random))
    var harness = ScrubHarness(
      units: texts, columns: Int.random(in: -2...170, using: &random),
      rows: Int.random(in: -2...50, using: &random), options: options
    ) { $0 % 3 > 0 }
    var time: Int64 = 0
    for _ in 0..<150 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        harness.sendOnly(
          .resize(
            ScrubSize(
              columns: Int.random(in: 0...180, using: &random),
              rows: Int.random(in: 0...60, using: &random))))
      case 1:
        let kinds: [ScrubMouse.Kind] = [.press, .drag, .wheelUp, .wheelDown]
        harness.sendOnly(
          .mouse(
            ScrubMouse(
              kinds[Int.random(in: 0..<4, using: &random)],
              column: Int.random(in: 0...180, using: &random),
              row: Int.random(in: 0...60, using: &random))))
      case 2:
        time += Int64.random(in: 0...2_000_000_000, using: &random)
        harness.sendOnly(.tick(time))
      case 3, 4:
        if !harness.waiting.isEmpty {
          harness.answer(
            Int.random(in: 0..<harness.waiting.count, using: &random),
            fails: Int.random(in: 0..<8, using: &random) == 0)
        }
      case 5: harness.answerAll()
      default:
        harness.sendOnly(.key(Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]))
      }
      let problem = Self.problem(harness.state.frame(), harness.state.size)
      #expect(problem == nil, "seed \(seed): \(problem ?? "")")
    }
  }

  /// What is wrong with a frame; nil if nothing is.
  private static func problem(_ frame: ScrubFrame, _ size: ScrubSize) -> String? {
    guard frame.size == size, frame.cells.count == size.columns * size.rows else {
      return "the size is another one"
    }
    guard frame.caret.column < size.columns, frame.caret.row < size.rows else {
      return "the caret is outside"
    }
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let text = frame[column, row].text
        if text.utf8.count == 1, text >= " ", text < "\u{7F}" { continue }
        if text.isEmpty, column == 0 || frame[column - 1, row].text.isEmpty {
          return "half a character at \(column), \(row)"
        }
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) {
          return "a control character at \(column), \(row)"
        }
        if text.unicodeScalars.contains(where: { 0x202A...0x202E ~= $0.value }) {
          return "a change of direction at \(column), \(row)"
        }
      }
    }
    return nil
  }

  /// As `show` prints them on a terminal.
  @Test func `a change of what is not seen is seen`() {
    let options = ScrubOptions(isColoured: false, isUnicode: true)
    var harness = ScrubHarness(["one two", "one\u{200B} two", "one\u{200E} two"], options: options)
    #expect(harness.state.frame().line(1) == #"> one\u{200E} two"#)
    harness.type("h")
    #expect(harness.state.frame().line(1) == #"> one\u{200B} two"#)
  }

  @Test func `changes have signs without colours`() {
    let options = ScrubOptions(isColoured: false, isUnicode: false)
    var harness = ScrubHarness(["one two three", "one 2 three"], options: options)
    harness.type("d")
    #expect(harness.state.frame().line(1) == "> one [-two-]{+2+} three")
    harness.type("d")
    #expect(harness.state.frame().line(1) == "> one 2 three")
  }

  @Test func `deleted text is struck through`() {
    var harness = ScrubHarness(["one two three", "one 2 three"])
    harness.type("d")
    let line = harness.state.frame().line(1)
    #expect(line == "> one t\u{336}w\u{336}o\u{336}2 three")
  }

  /// The text on the screen, through which `j` leads from its first row.
  private static func readAll(_ harness: inout ScrubHarness, _ rows: Int) -> [String] {
    harness.type("g")
    var lines: [String] = []
    for _ in 0..<rows {
      let frame = harness.state.frame()
      lines.append(String(frame.line(frame.caret.row).dropFirst(2)))
      harness.type("j")
    }
    return lines
  }

  @Test(arguments: [257, 400, 4_000, 40_000])
  func `a long removal is shown by d, and can be read through`(length: Int) {
    let options = ScrubOptions(isColoured: false)
    let lines = (0..<length / 8).map { "line \($0 % 100 + 100)" }
    let removed = lines.joined(separator: "\n") + "\n"
    // At the beginning, in the middle, at the end; then typing in the same step.
    for (before, after) in [("", "end"), ("start\n", "end"), ("start\n", ""), ("", "")] {
      var harness = ScrubHarness(
        [before + removed + after, before + after, before + "x" + after],
        options: options, textMax: 256, continues: { $0 == 3 })
      harness.type("d")
      #expect(harness.state.frame().line(22).contains("+1 -\(removed.utf16.count.grouped)"))
      let frame = harness.state.frame()
      // The beginning of what was removed is on the screen.
      #expect((1..<20).contains { frame.line($0).contains("[-line 100") })
      let all = (before + "[-" + removed + "-]{+x+}" + after).split(
        separator: "\n", omittingEmptySubsequences: false
      ).map(String.init)
      let read = Self.readAll(&harness, min(all.count, 60))
      #expect(read == Array(all.prefix(60)))
      harness.type("G\(all.count)k")
      #expect(harness.state.frame().caret.row == 1)
      // Asked for once, and never more than is shown.
      let asked = harness.requests.filter { if case .removed = $0 { true } else { false } }
      #expect(asked.count == 1)
    }
  }

  @Test func `of a very long removal the beginning is asked for`() {
    let removed = String(repeating: "lost ", count: 60_000)
    var harness = ScrubHarness(
      ["a" + removed, "a"], options: ScrubOptions(isColoured: false))
    harness.type("d")
    #expect(harness.requests.contains(.removed(by: 2, UTF16Range(1..<65_537))))
    #expect(harness.state.frame().line(22).contains("+0 -300,000"))
    harness.type("G")
    let frame = harness.state.frame()
    let rows = (1..<20).map { frame.line($0).dropFirst(2) }.joined()
    #expect(rows.contains("… 234,464 more units-]"))
  }

  @Test func `many long removals of a step are asked for one by one, to a limit`() {
    let word = String(repeating: "x", count: 300)
    let texts = (0...60).map { String(repeating: "\(word)\n", count: 60 - $0) }
    var harness = ScrubHarness(texts, textMax: 256, continues: { $0 > 2 })
    harness.type("d")
    let asked = harness.requests.filter { if case .removed = $0 { true } else { false } }
    #expect(asked.count == 32 && Set(asked).count == 32)
    // While it plays, nothing is asked.
    harness.send(.key(.home))
    let count = harness.requests.count
    harness.type(" ")
    for time in 0...200 { harness.send(.tick(Int64(time) * 250_000_000)) }
    #expect(harness.state.goal > 40)
    let more = harness.requests.dropFirst(count).filter {
      if case .removed = $0 { true } else { false }
    }
    #expect(more.count <= 32)
  }

  @Test func `the anchor is compared with`() {
    let options = ScrubOptions(isColoured: false)
    var harness = ScrubHarness(["a", "ab", "abc", "abcd"], options: options)
    harness.send(.key(.home))
    harness.type(".m")
    harness.send(.key(.end))
    harness.type("d")
    #expect(harness.state.frame().line(1) == "> a{+bcd+}")
    #expect(harness.state.frame().line(0).contains("DIFF @1"))
  }

  @Test func `a match is selected in a list, and escape leads back`() {
    var harness = ScrubHarness(["x", "x needle", "x", "x y"])
    harness.type("/needle")
    harness.send(.key(.enter))
    #expect(harness.state.goal == 2)
    #expect((0..<24).contains { harness.state.frame().line($0).contains("1 match of needle") })
    harness.send(.key(.escape))
    #expect(harness.state.goal == 4)
  }

  @Test(arguments: [
    (59, 12, "match 1 of 1, now, @2  j k  Enter  Esc"),
    (38, 10, "match 1 of 1, now, @2  j k  Enter  Esc"),
    (33, 10, "match 1 of 1  j k  Enter  Esc"),
    (34, 10, "match 1 of 1, now  j k  Enter  Esc"), (20, 10, "1 of 1"),
    (22, 10, "1 of 1  j k Enter Esc"), (80, 11, "match 1 of 1, now, @2  j k  Enter  Esc"),
  ])
  func `a screen without room for the list says which match is chosen`(
    columns: Int, rows: Int, line: String
  ) {
    let texts = ["x", "x needle", "x needles", "x needles y"]
    var harness = ScrubHarness(texts, columns: columns, rows: rows)
    harness.type("/needle")
    harness.send(.key(.enter))
    #expect(harness.state.frame().line(rows - 1) == line)
    harness.send(.key(.escape))
    #expect(harness.state.frame().line(rows - 1).contains("@4/4"))
  }

  @Test(arguments: 60...80)
  func `hints of keys are left out as a whole, and that to all keys stays`(columns: Int) {
    let harness = ScrubHarness(["a"], columns: columns)
    let line = harness.state.frame().line(23)
    let hints: Set<String> = [
      "space play", ", . edit", "h l step", "/ find", "d diff", "b blame", "r restore", "? keys",
    ]
    let shown = line.replacing("  ", with: "|").split(separator: "|").map { String($0) }
    #expect(hints.isSuperset(of: shown) && shown.last == "? keys")
    #expect(shown.count == (columns < 65 ? 6 : columns < 74 ? 7 : 8))
  }

  /// Anything may listen at the socket.
  @Test(arguments: [(SequenceNumber(0), Int.max), (1, .max), (2, 1), (.max, 0)])
  func `a match that no edit made is shown, and traps nothing`(
    sequence: SequenceNumber, location: Int
  ) {
    var harness = ScrubHarness(["x", "xy"])
    let stamp = ShownStamp(sequence: sequence, time: Timestamp(nanoseconds: 0), author: "ann")
    let match = ShownMatch(
      text: "long text", paragraph: ParagraphID(sequence: 1, ordinal: 0), appeared: stamp,
      vanished: stamp, location: location, livingLocation: nil, context: "x",
      contextLocation: location,
      last: .init(location: location, context: "x", contextLocation: location))
    harness.type("/x")
    harness.sendOnly(.key(.enter))
    harness.send(.answer(.search(pattern: "x", fate: nil), .matches([match], count: 1)))
    #expect(harness.state.frame().line(0) != "")
    harness.send(.key(.enter))
    #expect(harness.state.frame().line(0) != "")
  }

  /// So that the next line of `scrub --plain` has the usual keys.
  @Test func `a printed list of matches ends, and its match stays chosen`() {
    var harness = ScrubHarness(["x", "x needle", "x", "x y"])
    harness.type("/needle")
    harness.send(.key(.enter))
    harness.state.leaveList()
    #expect(harness.state.mode == .browse && harness.state.goal == 2)
    harness.type("h")
    #expect(harness.state.goal == 1)
    harness.type("n")
    #expect(harness.state.goal == 2)
  }

  /// Where it is whole, and can be restored; not half typed, as where it appeared.
  @Test func `a deleted match is shown in the last version that has it`() {
    let texts = ["The bees", "The bees fly.", "A line.\nThe bees fly.", "A line.\n"]
    var harness = ScrubHarness(texts)
    harness.type("/bees")
    harness.send(.key(.enter))
    #expect(harness.state.goal == 3)
    #expect((0..<24).contains { harness.state.frame().line($0).hasPrefix("> deleted @3") })
    harness.type("/A line")
    harness.send(.key(.enter))
    #expect(harness.state.goal == 3)
  }

  @Test func `a search that finds nothing says when case is ignored`() {
    var harness = ScrubHarness(["x"])
    harness.type("/Needle")
    harness.send(.key(.enter))
    #expect(
      harness.state.frame().line(23) == "no version has Needle; in small letters, it ignores case")
    harness.type("/needle")
    harness.send(.key(.enter))
    #expect(harness.state.frame().line(23) == "no version has needle")
    harness.type("/needle")
    harness.send(.key(.tab))
    harness.send(.key(.enter))
    #expect(harness.state.frame().line(23) == "the newest text does not have needle")
  }

  @Test func `keys wait for the answer that gives them their meaning`() {
    var harness = ScrubHarness(["x", "x needle", "x", "x y"])
    for key in "/needle" { harness.sendOnly(.key(.character(key))) }
    for key in [ScrubKey.enter, .enter, .character("r"), .character("p")] {
      harness.sendOnly(.key(key))
    }
    #expect(harness.state.goal == 4)
    harness.answerAll()
    #expect(harness.state.goal == 2)
    #expect(harness.requests.contains(.preview(.paragraph(at: 2, offset: 2))))
    harness.type("n")
    // Escape waits no longer.
    for key in "/x" { harness.sendOnly(.key(.character(key))) }
    harness.sendOnly(.key(.enter))
    harness.sendOnly(.key(.escape))
    harness.answerAll()
    harness.type(",")
    #expect(harness.state.goal == 1)
  }

  @Test func `a restore asks first`() {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.type(",rv")
    #expect(harness.state.frame().line(23).contains("restore all of version 2? y n"))
    #expect(harness.state.frame().line(1) == "-old")
    harness.type("n")
    func isRestored() -> Bool {
      harness.requests.contains { if case .restore = $0 { true } else { false } }
    }
    #expect(!isRestored())
    harness.type("rvy")
    #expect(harness.requests.contains(.restore(.version(2), base: 3)))
    harness.type("rp")
    harness.send(.key(.escape))
    #expect(!harness.requests.contains(.restore(.paragraph(at: 2, offset: 0), base: 3)))
  }

  @Test(arguments: [30, 40, 60, 80, 120])
  func `a restore asks whether to write the file`(columns: Int) {
    var harness = ScrubHarness(["a", "ab", "abc"], columns: columns)
    func bottom() -> String {
      (18..<24).map { harness.state.frame().line($0) }.joined(separator: " ")
    }
    harness.type(",rvw")
    #expect(!bottom().contains("file"))
    #expect(!harness.requests.contains(.restore(.version(2), base: 3, writesFile: true)))
    harness.type("n")
    harness.file = "essay.md"
    harness.type("rv")
    #expect(harness.state.frame().line(23).contains(" w"))
    if columns >= 80 { #expect(bottom().contains("y: history only, w: also the file essay.md, n")) }
    harness.type("w")
    #expect(harness.requests.contains(.restore(.version(2), base: 3, writesFile: true)))
    #expect(bottom().replacing(" ", with: "").contains("essay.mdiswritten"))
    harness.type(",rvy")
    #expect(harness.requests.contains(.restore(.version(2), base: 3)))
    let said = bottom().replacing(" ", with: "")
    #expect(said.contains("Thefileessay.mdwasnotchanged"))
    #expect(said.contains("editlogrestoreessay--atlatest--toessay.restored"))
  }

  @Test(arguments: [20, 50, 90], [ScrubAnswer.FileProblem.open, .changed])
  func `a restore that cannot write the file says why`(
    columns: Int, problem: ScrubAnswer.FileProblem
  ) {
    var harness = ScrubHarness(["a", "ab", "abc"], columns: columns)
    harness.fileProblem = problem
    harness.type(",rv")
    let line = harness.state.frame().line(22)
    let isOpen = problem == .open
    #expect(harness.state.plainNotes().last?.contains("restore? y n; no w, as ") == true)
    switch columns {
    case 20: #expect(line == "the end of the chang")
    case 50: #expect(line.hasSuffix(isOpen ? "no w: open in an editor" : "no w: the file differs"))
    default:
      #expect(line.hasSuffix(isOpen ? "has the file open" : "another text than the newest version"))
    }
  }

  @Test func `long lines of a restore are wrapped, each by itself`() {
    let harness = ScrubHarness(["a", "ab"], columns: 40)
    let lines = ["-", "+"].map { sign in
      sign + (0..<30).map { "\(sign == "-" ? "old" : "new")\($0)" }.joined(separator: " ")
    }
    let rows = harness.state.questionRows(lines)
    for (line, sign) in zip(lines, "-+") {
      let words = rows.filter { $0.sign == sign }.flatMap { $0.text.split(separator: " ") }
      #expect(words == line.dropFirst().split(separator: " "))
    }
    // One of very many rows is cut, and says so.
    let long = harness.state.questionRows(["+" + String(repeating: "word ", count: 6_000)])
    #expect(long.last?.text == "… the rest of this line is not shown")
  }

  @Test func `a part of all edits is a point`() {
    var harness = ScrubHarness(["a", "ab", "abc", "abcd"])
    harness.type(":50%")
    harness.send(.key(.enter))
    #expect(harness.state.goal == 2)
    harness.type("?")
    harness.state.leaveList()
    harness.type(".")
    #expect(harness.state.goal == 3)
  }

  @Test func `a narrow screen has the text and one line`() {
    let harness = ScrubHarness(["hello"], columns: 30, rows: 5)
    let frame = harness.state.frame()
    #expect(frame.line(0) == "> hello")
    #expect(frame.line(4) == "@1/1 ? help")
  }

  @Test func `the line of a narrow screen says what is selected, and that it plays`() {
    var harness = ScrubHarness(["a\n", "a\nb\n", "a\nb\nc\n"], columns: 30, rows: 6)
    harness.type("vk")
    #expect(harness.state.frame().line(5) == "@3/3 2 lines ? help")
    harness.type("v:1")
    harness.send(.key(.enter))
    harness.type(" ")
    #expect(harness.state.frame().line(5) == "@1/3 ▶ 1x ? help")
    harness.send(.resize(ScrubSize(columns: 14, rows: 6)))
    #expect(harness.state.frame().line(5) == "@1/3 ▶ 1x ?")
    harness.send(.resize(ScrubSize(columns: 8, rows: 6)))
    #expect(harness.state.frame().line(5) == "@1/3 ?")
  }

  @Test func `both figures of a change are in the row of the state, or neither`() {
    let long = String(repeating: "six by", count: 1_000)
    for columns in 12...80 {
      var harness = ScrubHarness(
        Array(repeating: ["a", "a" + long], count: 40).flatMap(\.self) + ["a"], columns: columns,
        rows: 15)
      harness.type("d")
      let row = harness.state.frame().line(13)
      #expect(!row.contains("+0") || row.hasSuffix("+0 -6,000"), "\(columns)")
      if columns >= 60 { #expect(row.hasSuffix("+0 -6,000"), "\(columns)") }
    }
  }

  @Test func `of a long path the end is in the title`() {
    var state = ScrubState(
      name: "/home/user/notes/日本/letter.md", at: 0, latest: 0,
      size: ScrubSize(columns: 60, rows: 15), options: ScrubOptions(), clock: ScrubHarness.clock)
    _ = state.handle(.answer(.text(0), .text("")))
    #expect(state.frame().line(0).hasPrefix(" …es/日本/letter.md @0"))
    let ascii = ScrubState(
      name: "/home/user/letter.md", at: 0, latest: 0, size: ScrubSize(columns: 60, rows: 15),
      options: ScrubOptions(isUnicode: false), clock: ScrubHarness.clock)
    #expect(ascii.frame().line(0).hasPrefix(" ...r/letter.md @0"))
    let long = ScrubState(
      name: "/home/user/a letter to the editor.md", at: 0, latest: 0,
      size: ScrubSize(columns: 60, rows: 15), options: ScrubOptions(), clock: ScrubHarness.clock)
    #expect(long.frame().line(0).hasPrefix(" …r/a letter to the editor.md @0"))
  }

  @Test(arguments: ["", "F"])
  func `the place of the user stays in view of another size`(keys: String) {
    let lines = (1...60).map { "line \($0)" }.joined(separator: "\n")
    var harness = ScrubHarness(["line 1", lines], rows: 50)
    harness.type(keys + "gjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj")
    for size in [ScrubSize(columns: 80, rows: 14), ScrubSize(columns: 30, rows: 6)] {
      harness.send(.resize(size))
      let frame = harness.state.frame()
      #expect((0..<size.rows).contains { frame.line($0) == "> line 31" }, "\(size)")
    }
  }

  @Test func `panes need room`() {
    var harness = ScrubHarness(["hello"], columns: 160, rows: 30)
    #expect(harness.state.frame().line(1).hasPrefix("@ 1 "))
    harness.send(.resize(ScrubSize(columns: 119, rows: 30)))
    #expect(harness.state.frame().line(1) == "> hello")
    harness.type("u")
    #expect(harness.state.frame().line(1).contains("@ 1 "))
  }

  @Test func `the timeline has rows of authors and of a paragraph`() {
    var harness = ScrubHarness((1...9).map { String(repeating: "x", count: $0) })
    func rows() -> [String] {
      let frame = harness.state.frame()
      return (0..<24).map { frame.line($0) }
    }
    let before = rows()
    harness.type("T")
    #expect(rows()[23] == "a ann  b ben")
    #expect(rows()[19] == before[20])
    #expect(rows()[21...22] == before[21...22])
    // Every third edit is ben's.
    #expect(rows()[20].filter { $0 != "─" } == "ababab")
    harness.type("p")
    #expect(harness.state.areas.timeline?.height == 4)
    #expect(rows()[18] == before[20])
    // The first and the last edit changed the paragraph.
    #expect(rows()[20] == "█" + String(repeating: " ", count: 78) + "█")
    harness.type("pT")
    #expect(rows().dropLast() == before.dropLast())
    // A high screen has the authors without a key.
    harness = ScrubHarness(["x"], columns: 160, rows: 45)
    #expect(harness.state.areas.timeline?.height == 3)
    harness.type("T")
    #expect(harness.state.areas.timeline?.height == 2)
    // There is no room, so nothing is lost by it.
    harness.send(.resize(ScrubSize(columns: 40, rows: 9)))
    harness.type("T")
    let frame = harness.state.frame()
    #expect((0..<9).contains { frame.line($0).hasPrefix("the timeline needs") })
  }

  /// A label of the timeline is there as a whole or not at all, and every sign is seen.
  @Test(arguments: seeds(20))
  func `labels of the timeline give way to signs, and dots to labels`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let version = { SequenceNumber.random(in: 1...400, using: &random) }
    var harness = ScrubHarness((1...400).map { String(repeating: "x", count: $0) })
    harness.state.sessions = (0..<200).map { _ in version() }
    harness.state.saves = (0..<Int(version() % 3)).map { _ in version() }
    harness.state.marks = (0..<Int(version() % 3)).map {
      ShownMark(
        label: "mark \($0)", sequence: version(), time: Timestamp(nanoseconds: 0), author: nil)
    }
    for _ in 0..<40 {
      harness.type(":\(version())")
      harness.send(.key(.enter))
      let line = harness.state.frame().line(21)
      let column = harness.state.timeline.column(of: harness.state.goal, count: 80)
      #expect(Array(line)[column] == "▲", "seed \(seed)")
      let words = line.split { " ·".contains($0) }.map { String($0) }
      let signs: Set<String> = ["▲", "S", "M", "80001", "80400"]
      for word in words where !signs.contains(word) {
        #expect(word.allSatisfy { "▲SM".contains($0) }, "seed \(seed): \(line)")
      }
      for mark in harness.state.marks {
        let place = harness.state.timeline.column(of: mark.sequence, count: 80)
        #expect(place == column || Array(line)[place] == "M", "seed \(seed)")
      }
    }
  }

  /// A letter of Hindi with its vowel sign, and one of Thai, have two cells each.
  @Test func `marks beside their letters have cells`() {
    var frame = ScrubFrame(ScrubSize(columns: 6, rows: 1))
    frame.write("\u{928}\u{93F}\u{E19}\u{E33}|", at: 0, 0)
    let texts = ["\u{928}\u{93F}", "", "\u{E19}\u{E33}", "", "|", " "]
    #expect((0..<6).map { frame[$0, 0].text } == texts)
    #expect([0, 2, 4].map { frame.width($0, 0) } == [2, 2, 1])
  }

  @Test func `authors have letters of their own`() {
    var harness = ScrubHarness(["x"])
    harness.state.timeline = Timeline(0...9)
    // The last two names are spelled differently, and look the same.
    let names = ["ann", "anna", "an", "a", "日本", nil, "\u{E9}", "e\u{301}"]
    harness.state.timeline.insert(
      names.enumerated().map {
        TimeSample(
          SequenceNumber($0.offset + 1), Timestamp(nanoseconds: Int64($0.offset)),
          author: $0.element)
      })
    let signs = harness.state.authorSigns
    #expect(
      names.map { signs[$0.map(ExactString.init)] } == ["0", "1", "n", "a", "4", "?", "3", "2"])
    #expect(signs.count == names.count)
  }

  @Test func `a plain line tells the version and the changed line`() {
    var harness = ScrubHarness(["one\ntwo", "one\nto"])
    #expect(harness.state.plainLine().hasSuffix("+0 -1  line 2: to"))
    harness.send(.key(.home))
    #expect(harness.state.plainLine().contains("the empty document"))
  }

  @Test func `a lost daemon is in the title, and not that the screen is busy`() {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.sendOnly(.key(.character("s")))
    #expect(harness.state.frame().line(0).hasSuffix("busy"))
    harness.sendOnly(.connection(isLost: true))
    #expect(harness.state.frame().line(0).hasSuffix("NO DAEMON"))
    harness.sendOnly(.connection(isLost: false))
    #expect(!harness.state.frame().line(0).contains("busy"))
    #expect(harness.state.frame().line(23) == "the daemon is back")
  }

  /// A field of the title is there as a whole or not at all, whatever is said at its end.
  @Test(arguments: [60, 66, 72, 78, 80, 90, 100])
  func `fields of the title are left out as a whole`(columns: Int) {
    var harness = ScrubHarness(["a", "ab", "abc"], columns: columns)
    let fields: Set<Substring> = [
      "essay", "@3", "day 19675 80003", "day 19675 80003 (9 y ago)", "ben", "typing",
      "day 19675 80003 (3472 d ago)", "+1 new", "DIFF",
    ]
    func isWhole() -> Bool {
      let parts = harness.state.frame().line(0).replacing("@3", with: " @3")
        .split(separator: "  ").map { $0.drop { $0 == " " } }
      return parts.allSatisfy { fields.contains($0) } && parts.contains("essay")
    }
    #expect(isWhole(), "\(harness.state.frame().line(0))")
    harness.append(Array("abcd".utf16), continues: false)
    harness.send(.logged(latest: 4, time: nil, events: []))
    #expect(isWhole(), "\(harness.state.frame().line(0))")
    #expect(harness.state.frame().line(0).hasSuffix("+1 new"))
    harness.type("d")
    #expect(isWhole(), "\(harness.state.frame().line(0))")
    // The title fills the row.
    let frame = harness.state.frame()
    #expect((0..<columns).allSatisfy { frame[$0, 0].look.isReversed })
  }

  /// All words of the help are read by scrolling, at any width, and its last row says how.
  @Test(arguments: [12, 40, 56, 80])
  func `the help is shown whole`(columns: Int) {
    var harness = ScrubHarness(["a"], columns: columns, rows: 10)
    harness.type("?")
    var read: [String] = []
    for _ in HelpLines.lines(columns: columns) {
      let frame = harness.state.frame()
      read.append(frame.line(0))
      if columns >= 26 { #expect(frame.line(9).contains("scroll, q closes")) }
      harness.type("j")
    }
    read += (1..<9).map { harness.state.frame().line($0) }
    let letters = Set(read).joined().filter { $0 != " " }
    for (keys, action) in HelpLines.keys {
      for word in (keys + " " + action).split(separator: " ") where word.count <= columns - 4 {
        #expect(letters.contains(word), "\(columns)")
      }
    }
    #expect(read.allSatisfy { $0.count <= columns })
    // The end stays at the end when the screen grows.
    harness.send(.resize(ScrubSize(columns: 120, rows: 60)))
    #expect(harness.state.frame().line(0) == HelpLines.keys[0].action)
    #expect(harness.state.frame().line(59) == "keys: q closes")
    harness.type("q")
    #expect(harness.state.frame().line(59) != "keys: q closes")
  }

  @Test func `a forgotten document is said`() throws {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.sendOnly(.key(.character("s")))
    let request = try #require(harness.waiting.last)
    harness.sendOnly(.forgotten(request))
    #expect(!harness.state.isBusy)
    for key in "," { harness.sendOnly(.key(.character(key))) }
    #expect(harness.state.frame().line(0).hasSuffix("FORGOTTEN"))
    harness.sendOnly(.forgotten(nil))
    #expect(harness.state.frame().line(23).hasPrefix("the document was forgotten"))
    // Nothing more is logged.
    harness.sendOnly(.key(.character(",")))
    harness.sendOnly(.key(.character("F")))
    #expect(harness.state.frame().line(23).hasPrefix("the document was forgotten"))
    #expect(!harness.state.frame().line(0).contains("LIVE"))
  }

  /// All words of a long error are on the screen, and the rest of the screen is as before.
  @Test(arguments: [30, 80, 120])
  func `a long error is shown whole`(columns: Int) throws {
    var harness = ScrubHarness(["a", "ab"], columns: columns, rows: 14)
    let before = (0..<14).map { harness.state.frame().line($0) }
    harness.sendOnly(.key(.character(":")))
    for key in "x" { harness.sendOnly(.key(.character(key))) }
    harness.sendOnly(.key(.enter))
    let words = (1...40).map { "word\($0)" }
    let request = try #require(harness.waiting.last)
    harness.sendOnly(.failure(request, words.joined(separator: " ")))
    let frame = harness.state.frame()
    let rows = (0..<14).map { frame.line($0) }
    let first = try #require(rows.firstIndex { $0.hasPrefix("word1 ") })
    #expect(rows[first...].flatMap { $0.split(separator: " ").map(String.init) } == words)
    #expect(Array(rows[..<first]) == Array(before[..<first]))
    harness.sendOnly(.key(.escape))
    #expect((0..<14).map { harness.state.frame().line($0) } == before)
  }

  @Test func `an error that is too long for the screen ends with an ellipsis`() throws {
    var harness = ScrubHarness(["a", "ab"], columns: 30, rows: 8)
    harness.sendOnly(.key(.character("/")))
    harness.sendOnly(.key(.character("x")))
    harness.sendOnly(.key(.enter))
    let words = (100...199).map { "word\($0)" }
    let request = try #require(harness.waiting.last)
    harness.sendOnly(.failure(request, words.joined(separator: " ")))
    let rows = (0..<8).map { harness.state.frame().line($0) }
    #expect(rows[7].hasSuffix("…"))
    let shown = rows.flatMap { $0.split(separator: " ").map(String.init) }
    #expect(Array(shown.dropLast()) == Array(words.prefix(shown.count - 1)))
    #expect(shown.count >= 24)
  }

  @Test func `selected lines are restored`() {
    var harness = ScrubHarness(["one\ntwo\nthree\nfour", "one\nfour"])
    harness.type(",rs")
    #expect(harness.state.frame().line(23) == "no lines are selected; v selects them")
    harness.type("gjvj")
    let signs = (1...4).map { harness.state.frame().line($0).prefix(2) }
    #expect(signs[1] == "* " && signs[2] == "> ")
    harness.type("rs")
    let lines = ScrubRestore.lines(at: 1, UTF16Range(4..<14))
    #expect(harness.requests.contains(.preview(lines)))
    #expect(harness.state.frame().line(23).contains("restore these lines of version 1? y n"))
    harness.type("y")
    #expect(harness.requests.contains(.restore(lines, base: 2)))
    // Another version has no selection.
    harness.type("gv.rs")
    #expect(harness.state.frame().line(23) == "no lines are selected; v selects them")
  }

  @Test func `a selection is counted, copied and ended`() {
    var harness = ScrubHarness(["one\ntwo\nthree\nfour"])
    func state() -> String { harness.state.frame().line(22) }
    harness.type("gv")
    #expect(state().hasSuffix("1 line selected"))
    harness.type("2j")
    #expect(state().hasSuffix("3 lines selected"))
    harness.type("y")
    #expect(harness.requests.last == .copy("one\ntwo\nthree\n"))
    harness.type("v")
    #expect(!state().contains("selected"))
    // Upwards, with the last line, which no line feed ends.
    harness.type("Gvk")
    #expect(state().hasSuffix("2 lines selected"))
    harness.type("y")
    #expect(harness.requests.last == .copy("three\nfour"))
    #expect(harness.state.frame().line(23).hasPrefix("copied 10 characters, "))
    var short = ScrubHarness(["👍"])
    short.type("y")
    #expect(short.state.frame().line(23).hasPrefix("copied 1 character, "))
    harness.send(.key(.escape))
    #expect(!state().contains("selected"))
    // The end of a text whose last line is empty.
    var empty = ScrubHarness([""])
    empty.type("vrs")
    #expect(empty.state.frame().line(23) == "no lines are selected; v selects them")
  }

  @Test(arguments: [20, 40, 60, 80])
  func `what can be restored is shown whole`(columns: Int) {
    var harness = ScrubHarness(["one", "one two"], columns: columns, rows: 12)
    for (keys, words) in [
      ("r", "restore: v this version p the paragraph at > Esc nothing"),
      ("xvr", "restore: v this version p the paragraph at > s the selection Esc nothing"),
    ] {
      harness.type(keys)
      let rows = (0..<12).map { harness.state.frame().line($0) }.joined(separator: " ")
      #expect(rows.split(separator: " ").joined(separator: " ").hasSuffix(words))
    }
  }
}
