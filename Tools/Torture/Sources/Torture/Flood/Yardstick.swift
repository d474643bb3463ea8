import Glibc
import Synchronization

/// How long this machine makes a thread wait that has a little to do now and then: what clients
/// wait is judged beside it, since the daemon is not alone on the machine.
final class Yardstick: Sendable {
  private let delays = Mutex<[Double]>([])
  private let isStopping = Atomic<Bool>(false)

  init() { _ = Threads(count: 1) { [self] _ in measure() } }

  func stop() { isStopping.store(true, ordering: .relaxed) }

  /// The 99th percentile, in seconds, since this was last asked.
  func takeDelay() -> Double {
    let all = delays.withLock { delays in
      defer { delays = [] }
      return delays.sorted()
    }
    return all.isEmpty ? 0 : all[all.count * 99 / 100]
  }

  private func measure() {
    while !isStopping.load(ordering: .relaxed) {
      let start = nanoseconds()
      usleep(2_000)
      // A few milliseconds of work: a thread that only sleeps is woken before all others.
      let used = threadNanoseconds()
      while threadNanoseconds() < used + 3_000_000 {}
      let delay = Double(nanoseconds() - start) / 1e9 - 0.005
      delays.withLock { $0.append(max(0, delay)) }
    }
  }
}
