import Glibc
import Synchronization

/// Threads that block.
enum Threads {
  /// Runs `body` with each number below `count`, each on a thread of its own, and returns the results
  /// in their order.
  ///
  /// - Throws: The first error of `body`, when all threads have ended.
  static func run<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
  ) throws -> [Value] {
    let results = Results<Value>()
    let threads = try (0..<count).map { number in
      try start {
        let result = Result { try body(number) }
        results.byNumber.withLock { $0[number] = result }
      }
    }
    for thread in threads { pthread_join(thread, nil) }
    return try results.byNumber.withLock { results in
      try (0..<count).compactMap { try results[$0]?.get() }
    }
  }

  private final class Results<Value: Sendable>: Sendable {
    let byNumber = Mutex<[Int: Result<Value, any Error>]>([:])
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func start(_ run: @escaping @Sendable () -> Void) throws -> pthread_t {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(run))
    let status = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    guard status == 0 else {
      body.release()
      throw Failure("cannot start a thread: \(String(cString: strerror(status)))")
    }
    return thread
  }
}
