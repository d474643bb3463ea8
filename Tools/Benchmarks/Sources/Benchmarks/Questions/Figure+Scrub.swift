import Dispatch
import EditLogCommands
import EditModel
import EditProtocol
import EditQueries
import Scrubbing
import Synchronization

extension Figure {
  /// The screen of `editlog scrub`, without a terminal.
  static let scrub = Figure(
    name: "scrub",
    summary:
      "the screen of editlog scrub, a history of --largest edits, a real one again and again: "
      + "from a key to the frame, answers included, wall clock; one edit and one undo step, on and back; "
      + "a jump anywhere; the steps in a second. paced: 60 undo steps a second, answered by another thread as in "
      + "the program; from the moment at which a key is due to the frame with its version"
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
    for (figure, key) in [("paced-on", "l"), ("paced-back", "h")] {
      let screen = try PacedScrub(store, at: SequenceNumber(count / 2), latest: UInt64(count))
      try session.show(
        screen.lines(
          of: .character(Character(key)), count: session.isQuick ? 120 : 3_000,
          "scrub/\(figure)", name))
    }
    var screen = try ScrubBench(store, at: 0, latest: UInt64(count))
    let jumps = (0..<(session.isQuick ? 5 : 30)).map { $0 * 37 % 100 }
    try session.show(screen.jumpLines(to: jumps, name))
  }
}

extension ScrubState {
  /// A screen of 160 by 50 cells.
  fileprivate static func bench(at version: SequenceNumber, latest: SequenceNumber) -> ScrubState {
    ScrubState(
      name: "bench", at: version, latest: latest, size: ScrubSize(columns: 160, rows: 50),
      options: ScrubOptions(),
      clock: ScrubClock(
        now: { Timestamp(nanoseconds: 0) }, day: { _ in "Fri 20 Nov 2026" },
        time: { _ in "15:04:05" }))
  }
}

extension QueryEngine {
  /// The answer to a request of a screen, as the program gives it.
  fileprivate func answer(
    to request: ScrubRequest, _ document: HistoryReference
  ) async throws -> ScrubAnswer {
    switch request {
    case .edits(let after, let through):
      return .edits(
        try await EditWindow.edits(after: after, through: through) { part in
          try await answer(LogPreviewRequest(document, part, textMax: EditWindow.textMax)).entries
        })
    case .text(let version):
      return .text(
        try await answer(StateRequest(document, VersionPart(at: .sequence(version)))).text)
    default: throw CommandError.internalError("the benchmark has no answer to \(request)")
    }
  }
}

/// A screen whose requests are answered in tasks, while it takes keys at a fixed pace.
private final class PacedScrub {
  private let engine: QueryEngine
  private let document: HistoryReference
  private var state: ScrubState
  private let inbox = Inbox()
  /// Requests whose answers did not come yet.
  private var awaited = 0

  private final class Inbox: Sendable {
    let wake = DispatchSemaphore(value: 0)
    let inputs = Mutex<[ScrubInput]>([])
  }

  init(_ store: BenchStore, at version: SequenceNumber, latest: SequenceNumber) throws {
    engine = QueryEngine(try StoreFiles(at: store.path))
    document = HistoryReference(store.document)
    state = .bench(at: version, latest: latest)
    perform(state.start())
    while awaited > 0 { take(until: .distantFuture) }
  }

  /// The times from the moment at which each key is due to the frame that shows its version.
  func lines(of key: ScrubKey, count: Int, _ figure: String, _ trace: String) -> [ReportLine] {
    var times = Distribution()
    let start = DispatchTime.now()
    for index in 0..<count {
      let due = start + .nanoseconds(index * 1_000_000_000 / 60)
      while DispatchTime.now() < due { take(until: due) }
      perform(state.handle(.key(key)))
      while state.isBusy { take(until: .distantFuture) }
      _ = state.frame()
      let now = DispatchTime.now().uptimeNanoseconds
      times.add(Double(now - due.uptimeNanoseconds))
    }
    return times.lines(figure, trace)
  }

  private func perform(_ requests: [ScrubRequest]) {
    for request in requests where ScrubBench.isAnswered(request) {
      awaited += 1
      Task.detached { [engine, document, inbox] in
        let input: ScrubInput
        do {
          input = .answer(request, try await engine.answer(to: request, document))
        } catch { input = .failure(request, "\(error)") }
        inbox.inputs.withLock { $0.append(input) }
        inbox.wake.signal()
      }
    }
  }

  /// Takes the answers that are there by a time.
  private func take(until time: DispatchTime) {
    guard inbox.wake.wait(timeout: time) == .success else { return }
    let inputs = inbox.inputs.withLock { inputs in
      defer { inputs = [] }
      return inputs
    }
    awaited -= inputs.count
    for input in inputs { perform(state.handle(input)) }
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
    state = .bench(at: version, latest: latest)
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

  /// True for edits and texts. What a screen asks besides is left out.
  static func isAnswered(_ request: ScrubRequest) -> Bool {
    switch request {
    case .edits, .text: true
    default: false
    }
  }

  /// Answers requests until the version is shown.
  private mutating func settle(_ requests: [ScrubRequest]) throws {
    var requests = requests[...]
    while let request = requests.popFirst() {
      guard Self.isAnswered(request) else { continue }
      let (engine, document) = (engine, document)
      let answer = try waiting { try await engine.answer(to: request, document) }
      requests += state.handle(.answer(request, answer))
    }
    guard !state.isBusy else { throw CommandError.internalError("the screen waits for an answer") }
  }
}
