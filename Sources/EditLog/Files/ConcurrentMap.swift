import Dispatch
import EditLogFormat
import Glibc
import Synchronization

extension Array where Element: Sendable {
  /// The number of elements that a thread maps at a time.
  private static var sliceCount: Int { 1_024 }

  /// Maps the elements on all processors, and returns the results in order. Throws the error of the
  /// first element that fails.
  package func concurrentMap<Result: Sendable, Failure: Error>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    let slices = stride(from: 0, to: count, by: Self.sliceCount).map { start in
      self[start..<Swift.min(start + Self.sliceCount, count)]
    }
    let results = SliceResults<Result, Failure>(count: slices.count)
    performConcurrently(slices.count) { position in
      let result = Swift.Result { () throws(Failure) in
        try slices[position].map { (element) throws(Failure) in try transform(element) }
      }
      results.all.withLock { $0[position] = result }
    }
    var all: [Result] = []
    all.reserveCapacity(count)
    for result in results.all.withLock({ $0 }) { if let result { all += try result.get() } }
    return all
  }
}

/// What the threads have made of each slice.
private final class SliceResults<Value: Sendable, Failure: Error>: Sendable {
  let all: Mutex<[Result<[Value], Failure>?]>

  init(count: Int) { all = Mutex(Array(repeating: nil, count: count)) }
}

/// Calls `body` with each number below `count`, on as many threads as there are processors. They end
/// with the work: `concurrentPerform` would leave threads that wake the process every second.
private func performConcurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threadCount = max(1, min(count, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  let helpers = DispatchGroup()
  for first in 1..<threadCount {
    helpers.enter()
    JobThread.run(.usual) {
      for number in stride(from: first, to: count, by: threadCount) { body(number) }
      helpers.leave()
    }
  }
  for number in stride(from: 0, to: count, by: threadCount) { body(number) }
  helpers.wait()
}
