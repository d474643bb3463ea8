import ArgumentParser
import Glibc
import Synchronization

/// One run of a subcommand: its limits, its workers, what they did and found.
final class Campaign: Sendable {
  /// The subcommand.
  let name: String
  /// Arguments that a finding's command needs besides seed and case.
  let arguments: String
  let options: RunOptions
  private let countMax: Int
  private let deadline: UInt64
  private let start: UInt64
  private let ran = Atomic<Int>(0)
  private let distinct = Atomic<Int>(0)
  private let found = Atomic<Int>(0)
  private let isEnded = Atomic<Bool>(false)
  private let skipped = Mutex<[String: Int]>([:])
  private let notes = Mutex<[String]>([])

  /// A run of `defaultCount` cases where no limit was given.
  init(_ name: String, _ options: RunOptions, defaultCount: Int, arguments: String = "") {
    (self.name, self.options, self.arguments) = (name, options, arguments)
    let start = nanoseconds()
    self.start = start
    countMax = options.count ?? (options.minutes == nil ? defaultCount : .max)
    deadline = options.minutes.map { start + UInt64($0 * 60e9) } ?? .max
    CaseSlots.prepare(command: "Tools/torture \(name)\(arguments)")
  }

  /// True once a limit was reached.
  var isOver: Bool {
    if isEnded.load(ordering: .relaxed) { return true }
    let count = options.onlyCase == nil ? distinct.load(ordering: .relaxed) : 0
    guard count >= countMax || nanoseconds() >= deadline else { return false }
    isEnded.store(true, ordering: .relaxed)
    return true
  }

  // MARK: Telling

  /// Counts cases that were run, and those among them that no case before was equal to.
  func note(ran: Int = 1, distinct: Int = 1) {
    self.ran.add(ran, ordering: .relaxed)
    self.distinct.add(distinct, ordering: .relaxed)
  }

  func skip(_ reason: String, count: Int = 1) {
    skipped.withLock { $0[reason, default: 0] += count }
  }

  /// Adds to the last line.
  func add(_ note: String) { notes.withLock { $0.append(note) } }

  private static let findingMax = 20

  /// Prints a finding as a line of JSON.
  func found(_ what: String, _ detail: String, seed: UInt64, case number: Int?) {
    let count = found.add(1, ordering: .relaxed).newValue
    guard count <= Self.findingMax else { return }
    let place = number.map { " --case \($0)" } ?? ""
    let command = "Tools/torture \(name)\(arguments) --seed \(seed)\(place)"
    var line = "{\"found\":\(quoted(what)),\"detail\":\(quoted(detail))"
    line += ",\"command\":\(quoted(command))}\n"
    writeAll(line, to: STDOUT_FILENO)
    if count == Self.findingMax {
      writeAll("{\"found\":\"more than is printed\"}\n", to: STDOUT_FILENO)
    }
  }

  /// Runs `body` for one seed after the other in two threads until a limit is reached, then
  /// prints the last line.
  ///
  /// - Throws: `ExitCode(1)` where anything was found.
  func run(
    threads: Int = 2,
    _ body: @escaping @Sendable (_ seed: UInt64, _ worker: Worker) throws -> Void,
    atEnd: () -> Void = {}
  ) throws {
    let next = Atomic<UInt64>(options.seed)
    let isAlone = options.onlyCase != nil
    let workers = Threads(count: isAlone ? 1 : threads) { slot in
      let worker = Worker(self, slot: slot)
      while !self.isOver {
        let seed = next.add(1, ordering: .relaxed).oldValue
        worker.seed = seed
        do { try body(seed, worker) } catch {
          self.found("the run itself failed", "\(error)", seed: seed, case: worker.number)
        }
        worker.end()
        if isAlone { break }
      }
    }
    workers.wait { self.showProgress() }
    atEnd()
    try finish()
  }

  private func showProgress() {
    if let (seed, number) = CaseSlots.hanging(longerThan: 120_000_000_000) {
      found("hangs", "no end after 120 s", seed: seed, case: number)
      printSummary()
      exit(1)
    }
    guard isatty(STDERR_FILENO) == 1 else { return }
    writeAll("\r\(summary)\u{1B}[K", to: STDERR_FILENO)
  }

  /// Prints the last line.
  func finish() throws {
    if isatty(STDERR_FILENO) == 1 { writeAll("\r\u{1B}[K", to: STDERR_FILENO) }
    printSummary()
    if found.load(ordering: .relaxed) > 0 { throw ExitCode(1) }
  }

  private func printSummary() { writeAll(summary + "\n", to: STDOUT_FILENO) }

  /// That time was up before the count was reached, where both were asked for.
  private var shortfall: String {
    guard let wanted = options.count, distinct.load(ordering: .relaxed) < wanted,
      nanoseconds() >= deadline
    else { return "" }
    return ", time was up before \(wanted)"
  }

  private var summary: String {
    let seconds = Double(nanoseconds() - start) / 1e9
    let count = ran.load(ordering: .relaxed)
    let skips = skipped.withLock { $0 }.sorted { $0.key < $1.key }
    let skippedText =
      skips.isEmpty
      ? "skipped 0"
      : skips.map { "skipped \($0.value) because \($0.key)" }.joined(separator: ", ")
    let notes = notes.withLock { $0 }.map { ", \($0)" }.joined()
    return "\(name): ran \(count), distinct \(distinct.load(ordering: .relaxed)), found "
      + "\(found.load(ordering: .relaxed)), \(skippedText), \(rounded(seconds)) s, "
      + "\(Int(Double(count) / max(seconds, 0.001)))/s, seed \(options.seed)\(notes)\(shortfall)"
  }
}

/// One thread of a run, and the case it is at.
final class Worker {
  let campaign: Campaign
  private let slot: Int
  var seed: UInt64 = 0
  private(set) var number: Int?
  private var cpuStart: UInt64 = 0

  init(_ campaign: Campaign, slot: Int) { (self.campaign, self.slot) = (campaign, slot) }

  /// True if the case with this number must run.
  func wants(_ number: Int) -> Bool {
    campaign.options.onlyCase.map { $0 == number } ?? !campaign.isOver
  }

  /// Begins a case: from here on a trap or a hang is told as one of this case.
  func begin(_ number: Int) {
    self.number = number
    cpuStart = threadNanoseconds()
    CaseSlots.set(slot, seed: seed, number: number)
  }

  /// Tells a case that took more of the processor than it may.
  func checkTime(_ limit: Double) {
    let seconds = Double(threadNanoseconds() - cpuStart) / 1e9
    if seconds > limit { found("too slow", "\(rounded(seconds)) s of processor time") }
  }

  /// Ends a case.
  func end() {
    number = nil
    CaseSlots.clear(slot)
  }

  func found(_ what: String, _ detail: String) {
    campaign.found(what, detail, seed: seed, case: number)
  }
}
