import EditModel
import EditProtocol
import Scrubbing
import Testing

/// Keys while an answer is awaited, and while there is no daemon.
@Suite struct WaitingKeyTests {
  private static func typeOnly(_ keys: String, _ harness: inout ScrubHarness) {
    for key in keys { harness.sendOnly(.key(key == "\n" ? .enter : .character(key))) }
  }

  private static func isRestored(_ harness: ScrubHarness) -> Bool {
    harness.requests.contains { if case .restore = $0 { true } else { false } }
  }

  @Test func `q and ^C end a screen that waits for an answer`() {
    for keys in [[ScrubKey.character("q")], [.control("c"), .control("c")]] {
      var harness = ScrubHarness(["a", "ab", "abc"])
      Self.typeOnly("/ab\n,,", &harness)
      #expect(harness.state.isBusy)
      for key in keys { harness.sendOnly(.key(key)) }
      #expect(harness.state.isDone)
    }
  }

  @Test func `a q in a line that is typed ahead does not quit`() {
    var harness = ScrubHarness(["a", "aq", "aqb"])
    Self.typeOnly("/a\n", &harness)
    harness.sendOnly(.key(.enter))
    Self.typeOnly("/q", &harness)
    #expect(!harness.state.isDone)
    harness.answerAll()
    #expect(harness.state.frame().line(23) == "/ both: q")
  }

  @Test(arguments: [40, 80])
  func `a search that runs is said`(columns: Int) {
    var harness = ScrubHarness(["a", "ab", "abc"], columns: columns)
    func bottom() -> String {
      (20..<24).map { harness.state.frame().line($0) }.joined(separator: " ")
    }
    Self.typeOnly("/ab\n", &harness)
    #expect(bottom().contains("searching all versions for ab ...  Esc cancels"))
    // Also while keys wait for it.
    Self.typeOnly("j", &harness)
    #expect(bottom().contains("searching all versions for ab ..."))
    harness.answerAll()
    #expect(!bottom().contains("searching"))
    // A long pattern is cut.
    harness.sendOnly(.key(.escape))
    Self.typeOnly("/" + String(repeating: "long ", count: 60) + "\n", &harness)
    #expect(bottom().contains("… ...  Esc cancels, q quits"))
    harness.sendOnly(.key(.control("c")))
    #expect(bottom().contains("cancelled"))
    #expect(!harness.state.isDone)
  }

  @Test func `what takes long is said to be loading`() {
    var harness = ScrubHarness(["one\ntwo", "one\ntwo\nthree"])
    #expect(!harness.state.isMoving)
    func isShown(_ words: String) -> Bool {
      (0..<24).contains { harness.state.frame().line($0).contains(words) }
    }
    var state = ScrubState(
      name: "essay", at: 2, latest: 2, size: ScrubSize(columns: 80, rows: 24),
      options: ScrubOptions(), clock: ScrubHarness.clock)
    let timelineRow = 20
    let times = state.start().first { if case .times = $0 { true } else { false } }
    _ = state.handle(.tick(5_000_000_000))
    _ = state.handle(.tick(5_200_000_000))
    #expect(state.isMoving && state.frame().line(timelineRow) == "")
    _ = state.handle(.tick(5_300_000_000))
    #expect(state.frame().line(timelineRow) == " loading ...")
    // No more ticks are needed.
    #expect(!state.isMoving)
    if let times {
      _ = state.handle(
        .answer(
          times, .times([TimeSample(1, harness.edits[0].time, author: nil)])))
    }
    #expect(state.frame().line(timelineRow) != " loading ...")

    harness.sendOnly(.key(.character("b")))
    for time: Int64 in [0, 100_000_000] { harness.sendOnly(.tick(time)) }
    #expect(!isShown("loading ..."))
    harness.sendOnly(.tick(300_000_000))
    #expect(harness.state.frame().line(1) == "  loading ...         │ one")
    harness.answerAll()
    #expect(!isShown("loading ...") && !harness.state.isMoving)

    // An answer that the user waits for.
    harness.sendOnly(.key(.character("s")))
    for time: Int64 in [0, 300_000_000] { harness.sendOnly(.tick(time)) }
    #expect(isShown("waiting for the answer ...  Esc cancels, q quits"))
    harness.answerAll()
    #expect(!isShown("waiting"))
  }

  @Test func `escape ends the work on an answer`() throws {
    var harness = ScrubHarness(["a", "ab", "abc"])
    Self.typeOnly("/ab\n", &harness)
    let search = try #require(harness.requests.last)
    harness.sendOnly(.key(.escape))
    #expect(harness.requests.last == .cancel([search]))
    // Its failure comes too late to be said.
    harness.sendOnly(.failure(search, "cancelled"))
    #expect(harness.state.frame().line(23) == "cancelled")
  }

  @Test func `no key answers a question that was not drawn`() {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.type(",")
    Self.typeOnly("rvyyy", &harness)
    harness.answerAll()
    #expect(harness.state.hasNewQuestion)
    // Typed after the answer came, and before the frame.
    Self.typeOnly("y", &harness)
    #expect(!Self.isRestored(harness))
    #expect(harness.state.frame().line(23).contains("restore all of version 2? y n"))
    harness.state.noteDrawn()
    #expect(!harness.state.hasNewQuestion)
    Self.typeOnly("y", &harness)
    #expect(Self.isRestored(harness))
  }

  @Test(arguments: [40, 80])
  func `a lost daemon is said until it is back`(columns: Int) {
    var harness = ScrubHarness(["a", "ab", "abc"], columns: columns)
    func bottom() -> String {
      (18..<24).map { harness.state.frame().line($0) }.joined(separator: " ")
    }
    harness.sendOnly(.connection(isLost: true))
    #expect(bottom().contains("the daemon is gone: waiting for it"))
    Self.typeOnly(",j", &harness)
    #expect(bottom().contains("the daemon is gone: waiting for it"))
    Self.typeOnly("s", &harness)
    #expect(bottom().contains("this needs the daemon, which is gone"))
    #expect(!harness.requests.contains { if case .step = $0 { true } else { false } })
    harness.sendOnly(.connection(isLost: false))
    #expect(bottom().contains("the daemon is back"))
    Self.typeOnly("s", &harness)
    #expect(harness.requests.contains { if case .step = $0 { true } else { false } })
  }

  @Test func `keys of before and during the loss are not run after it`() {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.type(",")
    Self.typeOnly("rvyMname\n", &harness)
    harness.sendOnly(.connection(isLost: true))
    #expect(!harness.state.isBusy)
    Self.typeOnly("rvy", &harness)
    harness.sendOnly(.connection(isLost: false))
    harness.answerAll()
    #expect(!Self.isRestored(harness))
    #expect(!harness.requests.contains { if case .mark = $0 { true } else { false } })
    #expect(!harness.state.isDone)
    harness.sendOnly(.connection(isLost: true))
    Self.typeOnly("q", &harness)
    #expect(harness.state.isDone)
  }

  @Test func `a change whose answer is lost may have been made`() throws {
    var harness = ScrubHarness(["a", "ab", "abc"])
    harness.type(",rv")
    Self.typeOnly("y", &harness)
    let restore = try #require(harness.requests.last)
    harness.sendOnly(.connection(isLost: true))
    harness.sendOnly(.failure(restore, "the connection was lost"))
    #expect(harness.state.frame().line(23).contains("the change may or may not have been made"))
  }

  @Test func `what was asked for in the background is asked for again`() {
    var harness = ScrubHarness((1...3_000).map { String(repeating: "x", count: $0 % 7 + 1) })
    harness.sendOnly(.key(.home))
    let asked = harness.waiting
    harness.sendOnly(.connection(isLost: true))
    while !harness.waiting.isEmpty { harness.answer(0, fails: true) }
    #expect(harness.state.goal == 0)
    harness.sendOnly(.connection(isLost: false))
    #expect(asked.allSatisfy { harness.waiting.contains($0) })
    harness.answerAll()
    #expect(harness.state.cursor?.sequence == 0)
  }
}
