import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// A client that sends as fast as it can, beside one that types.
struct Fairness {
  /// How much longer than a flush the one that types may wait, in seconds.
  private static let allowance = 0.005

  let program: String
  let seed: UInt64
  let seconds: Double

  /// What was measured; times are the 99th percentile, in seconds.
  struct Figures: CustomStringConvertible {
    var idleLatency = 0.0
    var latency = 0.0
    var flush = 0.0
    var delay = 0.0
    var fastRate = 0.0

    var description: String {
      "fairness: p99 \(rounded(latency * 1e3)) ms beside \(Int(fastRate)) requests/s of 1 KiB "
        + "(\(rounded(idleLatency * 1e3)) ms alone, \(rounded(flush * 1e3)) ms a flush, "
        + "\(rounded(delay * 1e3)) ms for a thread beside it)"
    }
  }

  /// - Throws: `StateCheck.Failure` if the one that types waits longer.
  func run() throws -> Figures {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(
      program, store: folder.path("store"), folder: folder.path, sealAfter: 65_536)
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    let (yardstick, flushes) = (Yardstick(), Flushes(in: folder.path))
    defer {
      yardstick.stop()
      flushes.stop()
    }
    let typist = HonestClients(socket: daemon.socket, count: 1, seed: seed)
    var figures = Figures()
    sleep(seconds: 1)
    _ = typist.takeLatency()
    sleep(seconds: seconds / 2)
    figures.idleLatency = typist.takeLatency()

    // The native dialect, with as much in flight as the daemon grants.
    var options = DaemonClients.Options()
    (options.textSize, options.largeEvery, options.windowCountMax) = (1_000, .max, 1_024)
    let fast = DaemonClients(socket: daemon.socket, options: options)
    fast.start(count: 1, seed: seed)
    sleep(seconds: 0.5)
    _ = (typist.takeLatency(), yardstick.takeDelay(), flushes.takeTime())
    let (before, start) = (fast.count, nanoseconds())
    sleep(seconds: seconds)
    figures.fastRate = Double(fast.count - before) / (Double(nanoseconds() - start) / 1e9)
    figures.latency = typist.takeLatency()
    figures.delay = yardstick.takeDelay()
    figures.flush = flushes.takeTime()
    try fast.finish()
    let acknowledged = try typist.finish() + fast.acknowledged
    daemon.stop()
    try fast.check(daemon.store, acknowledged: acknowledged)
    let bound = max(figures.flush + Self.allowance, figures.delay * FloodPlan.delayFactor)
    guard figures.latency <= bound else {
      throw StateCheck.Failure(what: "a fast client delays another", detail: "\(figures)")
    }
    return figures
  }
}

/// How long a flush of a small file takes on the disk of the store, while others use it.
private final class Flushes: Sendable {
  private let times = Mutex<[Double]>([])
  private let isStopping = Atomic<Bool>(false)

  init(in folder: String) {
    _ = Threads(count: 1) { [self] _ in measure("\(folder)/flushed") }
  }

  func stop() { isStopping.store(true, ordering: .relaxed) }

  /// The 99th percentile, in seconds, since this was last asked.
  func takeTime() -> Double {
    let all = times.withLock { times in
      defer { times = [] }
      return times.sorted()
    }
    return all.isEmpty ? 0 : all[all.count * 99 / 100]
  }

  private func measure(_ path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = [UInt8](repeating: 0x78, count: 4_096)
    while !isStopping.load(ordering: .relaxed) {
      let start = nanoseconds()
      guard write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else { return }
      let time = Double(nanoseconds() - start) / 1e9
      times.withLock { $0.append(time) }
      usleep(5_000)
    }
  }
}
