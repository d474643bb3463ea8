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
    _ priority: JobThread.Priority = .usual,
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    let slices = stride(from: 0, to: count, by: Self.sliceCount).map { start in
      self[start..<Swift.min(start + Self.sliceCount, count)]
    }
    let results = SliceResults<Result, Failure>(count: slices.count)
    performConcurrently(slices.count, priority) { position in
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

/// The number of processors that are online.
var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// Calls `body` with each number below `count`, in ascending order, on at most `threadCount` threads, of
/// which this is one. The others end with the work: `concurrentPerform` would leave threads that wake the
/// process every second.
func performConcurrently(
  _ count: Int, threadCount: Int = processorCount, _ priority: JobThread.Priority = .usual,
  _ body: @escaping @Sendable (Int) -> Void
) {
  let numbers = NumberDealer(count: count)
  let helpers = DispatchGroup()
  for _ in 1..<max(1, min(count, threadCount)) {
    helpers.enter()
    // Without a thread, this one does all.
    let isBegun = JobThread.begin(priority) {
      while let number = numbers.next() { body(number) }
      helpers.leave()
    }
    if !isBegun { helpers.leave() }
  }
  while let number = numbers.next() { body(number) }
  helpers.wait()
}

/// Deals each number below `count` once, ascending.
private final class NumberDealer: Sendable {
  private let count: Int
  private let last = Atomic(-1)

  init(count: Int) { self.count = count }

  func next() -> Int? {
    let number = last.add(1, ordering: .relaxed).newValue
    return number < count ? number : nil
  }
}
