import EditLogCommands
import EditModel
import EditProtocol
import EditQueries
import Scrubbing

extension Figure {
  /// The screen of `editlog scrub`, without a terminal.
  static let scrub = Figure(
    name: "scrub",
    summary:
      "the screen of editlog scrub, a history of --largest edits, a real one again and again: "
      + "from a key to the frame, answers included, wall clock; one edit and one undo step, on and back; "
      + "a jump anywhere; the steps in a second"
  ) { session in
    guard let trace = session.traces.max(by: { $0.edits.count < $1.edits.count }) else { return }
    let (store, count) = (try BenchStore(), session.largest)
    try store.repeating(trace, count: count, sealCount: 1 << 20)
    let name = "\(trace.name), \(Numbers.grouped(count)) edits"
    let steps = session.isQuick ? 200 : 4_000
    for (figure, key) in [("on", "."), ("back", ","), ("undo-on", "l"), ("undo-back", "h")] {
      var screen = try ScrubBench(store, at: SequenceNumber(count / 2), latest: UInt64(count))
      let keys = Array(repeating: ScrubKey.character(Character(key)), count: steps)
      try session.show(screen.lines(of: keys, "scrub/\(figure)", name))
    }
    var screen = try ScrubBench(store, at: 0, latest: UInt64(count))
    let jumps = (0..<(session.isQuick ? 5 : 30)).map { $0 * 37 % 100 }
    try session.show(screen.jumpLines(to: jumps, name))
  }
}

/// A screen of 160 by 50 cells whose requests are answered by a query engine at once.
private struct ScrubBench {
  private let engine: QueryEngine
  private let document: HistoryReference
  private var state: ScrubState

  init(_ store: BenchStore, at version: SequenceNumber, latest: SequenceNumber) throws {
    engine = QueryEngine(try StoreFiles(at: store.path))
    document = HistoryReference(store.document)
    state = ScrubState(
      name: "bench", at: version, latest: latest, size: ScrubSize(columns: 160, rows: 50),
      options: ScrubOptions(),
      clock: ScrubClock(
        now: { Timestamp(nanoseconds: 0) }, day: { _ in "Fri 20 Nov 2026" },
        time: { _ in "15:04:05" }))
    try settle(state.start())
  }

  /// The times from a key to the frame after it.
  mutating func lines(
    of keys: [ScrubKey], _ figure: String, _ trace: String
  ) throws -> [ReportLine] {
    var (times, sum) = (Distribution(), 0.0)
    for key in keys {
      let before = Clock.now
      try settle(state.handle(.key(key)))
      _ = state.frame()
      let time = Double(Clock.now - before)
      times.add(time)
      sum += time
    }
    return times.lines(figure, trace) + [
      ReportLine(
        "\(figure)/rate", trace, Double(keys.count) / (sum / 1e9), "steps/s", samples: keys.count)
    ]
  }

  /// The times of jumps to parts of the history in percent.
  mutating func jumpLines(to percents: [Int], _ trace: String) throws -> [ReportLine] {
    var times = Distribution()
    for percent in percents {
      for digit in String(percent) { _ = state.handle(.key(.character(digit))) }
      let before = Clock.now
      try settle(state.handle(.key(.character("%"))))
      _ = state.frame()
      times.add(Double(Clock.now - before))
    }
    return times.lines("scrub/jump", trace)
  }

  /// Answers requests until the version is shown. What a screen asks in the background is left out.
  private mutating func settle(_ requests: [ScrubRequest]) throws {
    var waiting = requests[...]
    while let request = waiting.popFirst() {
      switch request {
      case .edits(let after, let through):
        let part = HistoryPart(after: after, limit: Int(through - after))
        let answer = try engine.ask(
          LogPreviewRequest(document, part, textMax: EditWindow.textMax))
        let edits = answer.entries.compactMap { if case .edit(let edit) = $0 { edit } else { nil } }
        waiting += state.handle(.answer(request, .edits(edits)))
      case .text(let version):
        let answer = try engine.ask(StateRequest(document, VersionPart(at: .sequence(version))))
        waiting += state.handle(.answer(request, .text(answer.text)))
      default: break
      }
    }
    guard !state.isBusy else { throw CommandError.internalError("the screen waits for an answer") }
  }
}
