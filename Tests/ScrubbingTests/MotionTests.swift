import EditModel
import EditProtocol
import Scrubbing
import TestSupport
import TextState
import Testing

/// Keys that move in time lead where they say, and the text is that of the version.
@Suite struct MotionTests {
  private static let pieces = ["", "a", "bcd", "\n", "two words ", "ä", "👩‍🚀", "\r\n", "\t"]

  private static func isShown(_ harness: ScrubHarness) -> Bool {
    guard let cursor = harness.state.cursor, cursor.sequence == harness.state.goal else {
      return false
    }
    return cursor.text.hasText(UTF16Text(units: harness.texts[Int(harness.state.goal)]))
  }

  @Test(arguments: seeds(24))
  func `keys lead to the version that a list says`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...300, using: &random)
    let texts = ScrubHarness.randomTexts(count, pieces: Self.pieces, using: &random)
    let flags = (0...count).map { _ in Int.random(in: 0..<3, using: &random) > 0 }
    var harness = ScrubHarness(units: texts) { flags[$0] }
    /// The versions at the ends of undo steps.
    let ends = (1...count).filter { $0 == count || !harness.edits[$0].isContinuation }
    var expected = count
    for _ in 0..<80 {
      let times = Int.random(in: 1...12, using: &random)
      let prefix = times == 1 ? "" : "\(times)"
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        harness.type(prefix + ",")
        expected = max(0, expected - times)
      case 1:
        harness.type(prefix + ".")
        expected = min(count, expected + times)
      case 2:
        harness.type(prefix + "l")
        for _ in 0..<times { expected = ends.first { $0 > expected } ?? expected }
      case 3:
        harness.type(prefix + "h")
        for _ in 0..<times {
          guard expected > 0 else { break }
          // Before the step that the version is in.
          expected = ends.last { $0 < expected } ?? 0
        }
      case 4:
        let percent = Int.random(in: 0...100, using: &random)
        harness.type("\(percent)%")
        expected = percent == 0 ? 0 : count * percent / 100
      case 5:
        harness.send(.key(.home))
        expected = 0
      case 6:
        harness.send(.key(.end))
        expected = count
      default:
        expected = Int.random(in: 0...count, using: &random)
        harness.type(":\(expected)")
        harness.send(.key(.enter))
      }
      #expect(harness.state.goal == SequenceNumber(expected), "seed \(seed)")
      #expect(Self.isShown(harness), "seed \(seed), version \(expected)")
    }
  }

  /// A number typed before `0` and `%` is read as such: `0` alone is no count.
  @Test func `percent without a number is the beginning`() {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.type("%")
    #expect(harness.state.goal == 0)
    harness.type("100%")
    #expect(harness.state.goal == 3)
    harness.type(",101%")
    #expect(harness.state.goal == 2)
    #expect(harness.state.frame().line(23) == "a percentage goes to 100")
    harness.type("50%:101%")
    harness.send(.key(.enter))
    #expect(harness.state.goal == 1)
    #expect(harness.state.frame().line(23) == "a percentage goes to 100")
  }

  @Test(arguments: seeds(8))
  func `late answers lead to the same version`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let texts = ScrubHarness.randomTexts(2_500, pieces: Self.pieces, using: &random)
    var harness = ScrubHarness(units: texts, at: 1_200) { _ in true }
    for _ in 0..<120 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: harness.sendOnly(.key(.character(".")))
      case 1:
        for digit in "700" { harness.sendOnly(.key(.character(digit))) }
        harness.sendOnly(.key(.character(Bool.random(using: &random) ? "," : ".")))
      case 2: harness.sendOnly(.key(.home))
      default:
        if !harness.waiting.isEmpty {
          harness.answer(Int.random(in: 0..<harness.waiting.count, using: &random))
        }
      }
    }
    harness.answerAll()
    #expect(Self.isShown(harness), "seed \(seed)")
  }

  @Test func `an edit that is too long for a preview is stepped over`() {
    let long = String(repeating: "long text ", count: 100)
    var harness = ScrubHarness(["a", "a" + long, "ab" + long, "ab", "abc"])
    for version in (0...4).reversed() {
      harness.type(",")
      #expect(harness.state.goal == SequenceNumber(version))
      #expect(Self.isShown(harness))
    }
    for version in 1...5 {
      harness.type(".")
      #expect(harness.state.goal == SequenceNumber(version))
      #expect(Self.isShown(harness))
    }
  }

  @Test func `a step in a long history asks for few edits`() {
    let latest: SequenceNumber = 10_000_000
    var state = ScrubState(
      name: "big", at: 5_000_000, latest: latest, size: ScrubSize(columns: 80, rows: 24),
      options: ScrubOptions(), clock: ScrubHarness.clock)
    func answer(_ requests: [ScrubRequest], _ state: inout ScrubState) -> Int {
      var (queue, count) = (requests[...], 0)
      while let request = queue.popFirst() {
        switch request {
        case .text:
          queue += state.handle(
            .answer(request, .text(UTF16Text(String(repeating: "x", count: 4_096)))))
        case .edits(let after, let through):
          count += Int(through - after)
          let edits = (after + 1...through).map { number in
            // Letters come and go.
            let isAdded = number % 2 == 1
            let edit = Edit(
              sequence: number,
              action: EditAction(
                replacing: UTF16Range(7..<(isAdded ? 7 : 8)), with: isAdded ? "y" : ""))
            return EditPreview(edit, textMax: 8, removed: isAdded ? nil : "y")
          }
          queue += state.handle(.answer(request, .edits(edits)))
        default: break
        }
      }
      return count
    }
    var loaded = answer(state.start(), &state)
    for _ in 0..<1_100 {
      loaded += answer(state.handle(.key(.character(","))), &state)
      #expect(state.cursor?.sequence == state.goal)
    }
    for _ in 0..<2_200 { loaded += answer(state.handle(.key(.character("."))), &state) }
    #expect(state.goal == 5_001_100)
    #expect(state.cursor?.sequence == state.goal)
    // No edit is loaded twice, and none far ahead.
    #expect(loaded <= 2_200 + 12 * 1_024)
    #expect(state.cursor?.stepCount == 3_300)
  }

  /// Going back, no key waits although each answer comes 500 edits late, and few answers are asked for: the
  /// text before the first edit of each has to be made.
  @Test func `blocks are there before they are needed on the way back`() {
    var state = ScrubState(
      name: "big", at: 5_000_000, latest: 10_000_000, size: ScrubSize(columns: 80, rows: 24),
      options: ScrubOptions(), clock: ScrubHarness.clock)
    var waiting: [(request: ScrubRequest, due: Int)] = []
    var (count, loaded, time) = (0, 0, 0)
    func take(_ requests: [ScrubRequest], delay: Int) {
      for request in requests {
        waiting.append((request, time + delay))
        if case .edits = request { count += 1 }
      }
    }
    func answer() {
      while let index = waiting.firstIndex(where: { $0.due <= time }) {
        let request = waiting.remove(at: index).request
        switch request {
        case .text:
          let text = UTF16Text(String(repeating: "x", count: 4_096))
          take(state.handle(.answer(request, .text(text))), delay: 0)
        case .edits(let after, let through):
          loaded += Int(through - after)
          let edits = (after + 1...through).map { number in
            let edit = Edit(
              sequence: number, action: EditAction(replacing: UTF16Range(7..<8), with: "y"))
            return EditPreview(edit, textMax: 8, removed: "y", isContinuation: number % 30 != 0)
          }
          take(state.handle(.answer(request, .edits(edits))), delay: 500)
        default: break
        }
      }
    }
    take(state.start(), delay: 0)
    answer()
    time += 500
    answer()
    var late = 0
    for _ in 0..<3_000 {
      time += 30
      take(state.handle(.key(.character("h"))), delay: 500)
      answer()
      if state.isBusy { late += 1 }
    }
    time += 500
    answer()
    #expect(state.cursor?.sequence == state.goal)
    #expect(state.goal == 4_910_009)
    #expect(late == 0)
    #expect(count <= 16)
    #expect(loaded <= 90_000 + 32 * 1_024)
  }

  @Test func `marks and saves are stepped through`() {
    var harness = ScrubHarness((1...20).map { String(repeating: "x", count: $0) })
    harness.marks = [4, 9].map {
      ShownMark(label: "m\($0)", sequence: $0, time: ScrubHarness.clock.now(), author: nil)
    }
    harness.saves = [6, 12]
    harness.send(.answer(.places, .places(marks: harness.marks, saves: [6, 12], sessions: [0])))
    harness.type("[")
    #expect(harness.state.goal == 9)
    harness.type("[")
    #expect(harness.state.goal == 4)
    #expect(harness.state.frame().line(23) == "m4")
    harness.type("[")
    #expect(harness.state.goal == 4)
    #expect(harness.state.frame().line(23) == "there is no earlier mark")
    harness.type("]]")
    #expect(harness.state.goal == 9)
    #expect(harness.state.frame().line(23) == "there is no later mark")
    harness.type("[s")
    #expect(harness.state.goal == 6)
    harness.type("]S")
    #expect(harness.state.goal == 6)
  }

  @Test func `backspace leads back from jumps`() {
    var harness = ScrubHarness((1...50).map { String(repeating: "x", count: $0) })
    harness.type(":10")
    harness.send(.key(.enter))
    harness.send(.key(.home))
    harness.send(.key(.backspace))
    #expect(harness.state.goal == 10)
    harness.send(.key(.backspace))
    #expect(harness.state.goal == 50)
  }

  @Test func `following shows what is logged, until a key moves`() {
    var harness = ScrubHarness(["a", "ab"])
    harness.type("F")
    harness.append(Array("abc".utf16), continues: false)
    harness.send(.logged(latest: 3, time: nil, events: []))
    #expect(harness.state.goal == 3)
    #expect(Self.isShown(harness))
    harness.type(",")
    harness.append(Array("abcd".utf16), continues: false)
    harness.send(.logged(latest: 4, time: nil, events: []))
    #expect(harness.state.goal == 2)
    #expect(harness.state.frame().line(0).contains("+1 new"))
  }

  @Test(arguments: ["end", "step", "play"])
  func `nothing is new once the newest version was shown`(way: String) {
    var harness = ScrubHarness(["a", "ab"])
    harness.append(Array("abc".utf16), continues: false)
    harness.send(.logged(latest: 3, time: nil, events: []))
    #expect(harness.state.frame().line(0).contains("+1 new"))
    switch way {
    case "end": harness.send(.key(.end))
    case "step": harness.type("l")
    default:
      harness.type(" ")
      for second in 0..<20 { harness.send(.tick(Int64(second) * 250_000_000)) }
    }
    #expect(harness.state.goal == 3)
    #expect(!harness.state.frame().line(0).contains("new"))
    harness.type("h")
    #expect(!harness.state.frame().line(0).contains("new"))
  }

  @Test func `the user's own restore is not new`() {
    var harness = ScrubHarness(["a", "ab"])
    harness.file = "a.txt"
    harness.type(",rv")
    harness.append(Array("a".utf16), continues: false)
    harness.type("y")
    #expect(harness.state.goal == 3)
    harness.type(",")
    #expect(!harness.state.frame().line(0).contains("new"))
  }

  @Test func `playing takes the time of the edits, idle time cut`() {
    var harness = ScrubHarness((1...10).map { String(repeating: "x", count: $0) })
    harness.type(" ")
    var clock: Int64 = 0
    harness.send(.tick(clock))
    for _ in 0..<31 {
      clock += 100_000_000
      harness.send(.tick(clock))
    }
    // The edits are a second apart: three were made in 3.1 seconds after the first.
    #expect(harness.state.goal == 4)
    harness.type("+++")
    for _ in 0..<10 {
      clock += 100_000_000
      harness.send(.tick(clock))
    }
    #expect(harness.state.goal == 10)
    #expect(!harness.state.isMoving)
  }

  /// The labels at the ends of the timeline are those of its first and its last version.
  @Test func `a label of the timeline leads to its version`() {
    var harness = ScrubHarness((1...10).map { String(repeating: "x", count: $0) })
    // On one day, the labels are times of day.
    let rows = (0..<24).map { harness.state.frame().line($0) }
    for (label, version) in [("80001", SequenceNumber(1)), ("80010", 10)] {
      #expect(rows.contains { $0.contains(label) })
      harness.type(":" + label)
      harness.send(.key(.enter))
      #expect(harness.state.goal == version)
    }
    #expect(!harness.requests.contains { if case .point = $0 { true } else { false } })
  }

  /// The timeline shows no today.
  @Test(arguments: ["02:09", "02:09:30", " 02:09 "])
  func `a time of day is one of a day that the timeline shows`(text: String) {
    var harness = ScrubHarness((1...10).map { String(repeating: "x", count: $0) })
    harness.type(":" + text)
    harness.sendOnly(.key(.enter))
    let time = text.split(separator: " ").joined()
    #expect(harness.waiting == [.point("day 19675 \(time)")])
    #expect(harness.state.frame().line(23).contains("\(time) on day 19675"))
  }

  /// `scrub --plain` asks for no timeline.
  @Test(arguments: [0, 2] as [SequenceNumber])
  func `without a timeline, a time of day is one of the day that is shown`(version: SequenceNumber)
  {
    let (texts, edits) = (["", "x", "xx"], ScrubHarness(["x", "xx"]).edits)
    var state = ScrubState(
      name: "essay", at: version, latest: 2, size: ScrubSize(columns: 80, rows: 24),
      options: ScrubOptions(), clock: ScrubHarness.clock)
    _ = state.start()
    _ = state.handle(.answer(.text(version), .text(UTF16Text(texts[Int(version)]))))
    _ = state.handle(.answer(.edits(after: 0, through: 2), .edits(edits)))
    for key in ":02:09" { _ = state.handle(.key(.character(key))) }
    #expect(state.handle(.key(.enter)).contains(.point("day 19675 02:09")))
    #expect(state.plainNotes() == ["02:09 on day 19675"])
  }

  @Test(arguments: ["02:09 today", "mark:a:b", "2023-11-14 02:09", "yesterday"])
  func `other points are read as everywhere`(text: String) {
    var harness = ScrubHarness(["x", "xx"])
    harness.type(":" + text)
    harness.sendOnly(.key(.enter))
    #expect(harness.waiting == [.point(text)])
  }
}
