import Glibc
import Synchronization

/// Threads of their own, with a stack for deep recursion: work that never waits for anything does
/// not belong into the pool of tasks.
final class Threads: Sendable {
  private let running: Atomic<Int>

  /// Starts `count` threads that run `body` with their numbers.
  init(count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    running = Atomic(count)
    for number in 0..<count {
      start {
        body(number)
        self.running.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
  }

  /// Returns when all have ended; calls `tick` about five times a second until then.
  func wait(_ tick: () -> Void) {
    var count = 0
    while running.load(ordering: .sequentiallyConsistent) > 0 {
      usleep(5_000)
      count += 1
      if count % 40 == 0 { tick() }
    }
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private func start(_ run: @escaping @Sendable () -> Void) {
    // Several modules define its initializer, and which one counts differs from build to build.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // Safe: retained here once, released by the thread once.
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    let code = pthread_create(
      &thread, attributes,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, body)
    precondition(code == 0, "no thread: \(code)")
  }
}
