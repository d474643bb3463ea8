import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// One case of `flood`.
struct FloodRun {
  private let plan: FloodPlan
  private let seed: UInt64

  init(_ plan: FloodPlan, seed: UInt64) { (self.plan, self.seed) = (plan, seed) }

  func run() throws -> FloodFigures {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(
      plan.program, store: folder.path("store"), folder: folder.path, sealAfter: 65_536)
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    try HonestClient.write(plan.largeLength, to: "large", at: daemon.socket)

    let clients = HonestClients(socket: daemon.socket, count: plan.honestCount, seed: seed)
    var figures = FloodFigures()
    sleep(seconds: 2)
    figures.idleLatency = clients.takeLatency()
    let before = try ProcessFigures(of: daemon)
    let yardstick = Yardstick()
    defer { yardstick.stop() }
    try flood(daemon)
    figures.delay = yardstick.takeDelay()
    figures.latency = clients.takeLatency()
    figures.peak = try ProcessFigures(of: daemon).peak - before.resident
    let acknowledged = try clients.finish()
    figures.acknowledged = acknowledged.count
    figures.left = try waitForRest(daemon, before)
    try check(figures)
    daemon.stop()
    let reader = DaemonClients(socket: daemon.socket)
    try reader.check(daemon.store, acknowledged: acknowledged, allowsGaps: true)
    return figures
  }

  /// Lets the hostile clients loose, and ends them.
  private func flood(_ daemon: DaemonProcess) throws {
    let end = nanoseconds() + UInt64(plan.seconds * 1e9)
    var random = SplitMix64(seed: seed)
    let mix = HostileMix(seed: seed, &random)
    let threads = Threads(count: 2) { [plan, seed, socket = daemon.socket] number in
      var flock = HostileFlock(
        socket: socket, mix: mix, count: plan.connectionCount / 2,
        random: SplitMix64(seed: seed &* 2 &+ UInt64(number)))
      flock.run(until: end)
    }
    threads.wait {}
    guard daemon.isRunning else {
      throw StateCheck.Failure(
        what: "the daemon ended by itself",
        detail: "status \(daemon.lastStatus ?? 0): \(daemon.lastWords)")
    }
  }

  /// Waits until the daemon has nothing to do any more, and gives the memory it keeps.
  private func waitForRest(_ daemon: DaemonProcess, _ before: ProcessFigures) throws -> Int {
    var (kept, share) = (0, 0.0)
    for _ in 0..<40 {
      let start = try ProcessFigures(of: daemon)
      let time = nanoseconds()
      sleep(seconds: 0.5)
      let end = try ProcessFigures(of: daemon)
      share = (end.cpuSeconds - start.cpuSeconds) / (Double(nanoseconds() - time) / 1e9)
      kept = end.anonymous - before.anonymous
      if share < 0.1, kept < FloodPlan.allowance { return kept }
    }
    throw StateCheck.Failure(
      what: "hostile work outlives its connections",
      detail: "20 s later \(kept >> 20) MiB more are kept, and \(rounded(share * 100)) % of a "
        + "processor are used")
  }

  private func check(_ figures: FloodFigures) throws {
    guard figures.peak <= FloodPlan.budget + FloodPlan.allowance else {
      throw StateCheck.Failure(
        what: "memory beyond the budget",
        detail: "\(figures.peak >> 20) MiB more than before, the budget is "
          + "\(FloodPlan.budget >> 20) MiB and \(FloodPlan.allowance >> 20) MiB are allowed beside")
    }
    let bound = max(
      FloodPlan.latencyMax, figures.idleLatency * FloodPlan.latencyFactor,
      figures.delay * FloodPlan.delayFactor)
    guard figures.latency <= bound else {
      throw StateCheck.Failure(
        what: "honest clients wait",
        detail:
          "p99 \(rounded(figures.latency * 1e3)) ms, \(rounded(figures.idleLatency * 1e3)) ms "
          + "without a flood, and \(rounded(figures.delay * 1e3)) ms for a thread beside it; \(rounded(bound * 1e3)) ms are allowed"
      )
    }
  }
}

/// Sleeps, whatever signals come.
func sleep(seconds: Double) {
  let end = nanoseconds() + UInt64(seconds * 1e9)
  while nanoseconds() < end { usleep(10_000) }
}
