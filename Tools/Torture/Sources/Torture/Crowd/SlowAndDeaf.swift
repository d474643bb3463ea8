import EditJSON
import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Connections that never finish a frame, and subscribers that read nothing, beside honest clients.
struct SlowAndDeaf {
  /// What the daemon may have in memory, in bytes.
  private static let residentMax = 128 << 20
  private static let count = 500
  private static let shared = "shared"
  /// How much longer than without them honest clients may wait.
  private static let latencyFactor = 2.0

  let program: String
  let seed: UInt64
  let seconds: Double

  /// What was measured.
  struct Figures: CustomStringConvertible {
    var idleLatency = 0.0
    var latency = 0.0
    var delay = 0.0
    var peak = 0
    var endedCount = 0
    var resumedCount = 0

    var description: String {
      "slow and deaf: p99 \(rounded(latency * 1e3)) ms (\(rounded(idleLatency * 1e3)) ms without, "
        + "\(rounded(delay * 1e3)) ms for a thread beside it), peak \(peak >> 20) MiB, "
        + "\(endedCount) slow ones sent away, \(resumedCount) subscribers went on"
    }
  }

  /// - Throws: `StateCheck.Failure` where the honest wait, memory grows, or a subscriber misses something.
  func run() throws -> Figures {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(
      program, store: folder.path("store"), folder: folder.path, sealAfter: 65_536,
      settings: ["--connections", "1100"])
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    let feeder = try Feeder(daemon.socket, document: Self.shared)
    let clients = HonestClients(socket: daemon.socket, count: 4, seed: seed)
    var figures = Figures()
    // From the start, because it takes a part of the machine too.
    let yardstick = Yardstick()
    defer { yardstick.stop() }
    // The first moments of a connection are not typical.
    sleep(seconds: 1)
    _ = clients.takeLatency()
    sleep(seconds: seconds / 4)
    figures.idleLatency = clients.takeLatency()

    // Half of them from now on, half with a backlog of megabytes.
    let deaf = try (0..<Self.count).map { number in
      let client = try HonestClient(daemon.socket)
      try client.subscribe(
        to: Self.shared, after: number.isMultiple(of: 2) ? nil : 0, credit: 1_000_000)
      return client
    }
    _ = (clients.takeLatency(), yardstick.takeDelay())
    figures.endedCount = sendSlowly(to: daemon.socket)
    figures.latency = clients.takeLatency()
    figures.delay = yardstick.takeDelay()
    figures.peak = try ProcessFigures(of: daemon).peak
    _ = try clients.finish()
    try feeder.finish()
    for client in deaf {
      try resume(client, daemon.socket)
      figures.resumedCount += 1
    }
    try check(figures)
    return figures
  }

  /// Returns how many were sent away.
  private func sendSlowly(to socket: String) -> Int {
    let end = nanoseconds() + UInt64(seconds * 1e9)
    let endedCount = Atomic(0)
    let thread = Threads(count: 1) { [seed] _ in
      var flock = HostileFlock(
        socket: socket, mix: HostileMix(only: .slow), count: Self.count,
        random: SplitMix64(seed: seed))
      endedCount.add(flock.run(until: end), ordering: .relaxed)
    }
    thread.wait {}
    return endedCount.load(ordering: .relaxed)
  }

  /// What it had read is its place: from there on, nothing is missing or twice.
  private func resume(_ client: HonestClient, _ socket: String) throws {
    guard let last = try client.deliveredSoFar() else {
      throw StateCheck.Failure(what: "a subscriber got nothing", detail: "not even an answer")
    }
    let next = try HonestClient(socket)
    try next.subscribe(to: Self.shared, after: last, credit: 1)
    let delivery = try next.delivery()
    guard case .array(let entries)? = delivery["entries"],
      entries.first?["sequence"] == JSON(last + 1)
    else {
      throw StateCheck.Failure(
        what: "a subscriber cannot go on", detail: "what follows edit \(last) is not the next one")
    }
  }

  private func check(_ figures: Figures) throws {
    guard figures.peak <= Self.residentMax else {
      throw StateCheck.Failure(
        what: "deaf subscribers cost memory",
        detail: "\(figures.peak >> 20) MiB, and \(Self.residentMax >> 20) MiB are allowed")
    }
    guard figures.endedCount >= Self.count else {
      throw StateCheck.Failure(
        what: "slow ones stay", detail: "\(figures.endedCount) of \(Self.count) were sent away")
    }
    // A busy machine lets each of the five threads that an edit passes wait.
    let bound = max(
      figures.idleLatency * Self.latencyFactor, figures.delay * FloodPlan.delayFactor)
    guard figures.latency <= bound else {
      throw StateCheck.Failure(what: "honest clients wait", detail: "\(figures)")
    }
  }

  /// Appends to one document all the time.
  private final class Feeder: Sendable {
    private let isStopping = Atomic(false)
    private let failure = Mutex<String?>(nil)
    private let threads = Mutex<Threads?>(nil)

    init(_ socket: String, document: String) throws {
      // The subscribers need a document.
      let client = try HonestClient(socket)
      guard let session = SessionID("feeder"), let name = DocumentID(document) else { return }
      _ = try client.append("begin", to: name, session, 1)
      let running = Threads(count: 1) { [self] _ in
        do {
          let client = try HonestClient(socket)
          let text = String(repeating: "0123456789abcde\n", count: 64)
          var counter: UInt64 = 1
          while !isStopping.load(ordering: .relaxed) {
            counter += 1
            _ = try client.append(text, to: name, session, counter)
            usleep(5_000)
          }
        } catch { failure.withLock { $0 = "\(error)" } }
      }
      threads.withLock { $0 = running }
    }

    func finish() throws {
      isStopping.store(true, ordering: .relaxed)
      threads.withLock { $0 }?.wait {}
      if let failure = failure.withLock({ $0 }) {
        throw StateCheck.Failure(what: "the feeder failed", detail: failure)
      }
    }
  }
}
