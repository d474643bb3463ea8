import Dispatch
import EditLogFormat
import Synchronization

extension Array where Element: Sendable {
  /// The number of elements that a thread maps at a time.
  private static var sliceCount: Int { 1_024 }

  /// Maps the elements on all processors, and returns the results in order. Throws the error of the
  /// first element that fails.
  package func concurrentMap<Result: Sendable, Failure: Error>(
    _ transform: @Sendable (Element) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    let slices = stride(from: 0, to: count, by: Self.sliceCount).map { start in
      self[start..<Swift.min(start + Self.sliceCount, count)]
    }
    let results = Mutex([Swift.Result<[Result], Failure>?](repeating: nil, count: slices.count))
    DispatchQueue.concurrentPerform(iterations: slices.count) { position in
      let result = Swift.Result { () throws(Failure) in
        try slices[position].map { (element) throws(Failure) in try transform(element) }
      }
      results.withLock { $0[position] = result }
    }
    var all: [Result] = []
    all.reserveCapacity(count)
    for result in results.withLock({ $0 }) { if let result { all += try result.get() } }
    return all
  }
}
