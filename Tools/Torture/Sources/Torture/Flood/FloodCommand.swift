import ArgumentParser
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Hostile clients of the real daemon beside honest ones.
struct FloodCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flood",
    abstract: "Runs the real daemon under 1,000 hostile connections beside 8 honest clients.",
    discussion: """
      A case is a daemon with a large document, and a mix of hostile clients by its seed. The \
      honest ones must be answered, nothing acknowledged to them may be lost, memory must stay in \
      the budget, and what hostile clients cause must end with their connections. Every case also \
      starts a daemon that may open few files, one that is asked each question about the text on \
      which that costs most, and one that gets an edit of 64 MiB, which may take three times its frame.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  @Option(help: "How many hostile connections.")
  var connections = 1_000

  @Option(help: "How long each case is flooded, in seconds.")
  var seconds = 6.0

  func validate() throws {
    guard (1...1_000).contains(connections), seconds > 0, seconds < 1e6 else {
      throw ValidationError("--connections is 1 to 1000, --seconds above 0")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try FileLimit.raise(to: connections + 200)
    let plan = FloodPlan(
      program: daemon.daemon, connectionCount: connections, seconds: seconds)
    let campaign = Campaign("flood", options, defaultCount: 8)
    let worst = Mutex(FloodFigures())
    try campaign.run(
      threads: 1,
      { seed, worker in
        worker.begin(0)
        // One finding does not hide another.
        for check in [
          {
            let figures = try FloodRun(plan, seed: seed).run()
            worst.withLock { $0.takeWorst(of: figures) }
          },
          { try FewFiles.check(plan.program) },
          {
            let figures = try WorstQuestions(program: plan.program, seed: seed).run()
            worst.withLock { $0.questions.takeWorst(of: figures) }
          },
          {
            let factor = try LargeEdit.check(plan.program)
            worst.withLock { $0.takeWorst(of: FloodFigures(largeEditFactor: factor)) }
          },
        ] {
          do { try check() } catch let failure as StateCheck.Failure {
            worker.found(failure.what, failure.detail)
          }
        }
        campaign.note()
      },
      atEnd: { campaign.add(worst.withLock { $0.description }) })
  }
}

/// What a run of `flood` does, whatever the seed.
struct FloodPlan: Sendable {
  var program: String
  var connectionCount: Int
  var seconds: Double
  var honestCount = 8
  /// UTF-16 units of the document that hostile clients ask for.
  var largeLength = 10 << 20

  /// Bytes in flight that the daemon allows itself, by default.
  static let budget = 256 << 20
  /// Bytes it may take beyond: what the allocator keeps, threads, and what each of the
  /// connections has that was read and not yet asked for.
  static let allowance = 64 << 20
  /// How long an honest client may wait at the 99th percentile, in seconds.
  static let latencyMax = 0.1
  /// Beside the flood the same machine may be this many times slower than without, since the
  /// clients take their share of it.
  static let latencyFactor = 10.0
  /// An edit and its answer pass through five threads, each of which waits as long as any other
  /// thread of a busy machine.
  static let delayFactor = 5.0
}

/// What was measured.
struct FloodFigures: CustomStringConvertible {
  var peak = 0
  var left = 0
  var idleLatency = 0.0
  var latency = 0.0
  /// What a thread waits beside the flood.
  var delay = 0.0
  var acknowledged = 0
  /// The peak memory of a large edit, in sizes of its frame.
  var largeEditFactor = 0.0
  var questions = WorstQuestions.Figures()

  mutating func takeWorst(of other: FloodFigures) {
    peak = max(peak, other.peak)
    left = max(left, other.left)
    idleLatency = max(idleLatency, other.idleLatency)
    latency = max(latency, other.latency)
    delay = max(delay, other.delay)
    acknowledged += other.acknowledged
    largeEditFactor = max(largeEditFactor, other.largeEditFactor)
    questions.takeWorst(of: other.questions)
  }

  var description: String {
    "\(acknowledged) acknowledged, at most \(peak >> 20) MiB more and \(left >> 20) MiB kept, p99 "
      + "\(rounded(latency * 1e3)) ms (\(rounded(idleLatency * 1e3)) ms without a flood, "
      + "\(rounded(delay * 1e3)) ms for a thread beside it), a large edit took "
      + "\(rounded(largeEditFactor)) times its frame; \(questions)"
  }
}

/// How many files this program may open.
enum FileLimit {
  struct Failure: Error, CustomStringConvertible { var description: String }

  static func raise(to count: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    guard limit.rlim_cur == rlim_t(count),
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    else { throw Failure(description: "this needs \(count) open files: raise `ulimit -Hn`") }
  }
}
