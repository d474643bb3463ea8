import EditModel
import EditProtocol

/// The stretches of time spent on several documents.
struct TimesOfWork {
  /// The stretches of all documents, in any order.
  private(set) var stretches: [ShownStretch] = []
  /// The time of older stretches that the answers left out, in microseconds, counted document by document.
  private(set) var olderMicros: Int64 = 0

  mutating func add(_ answer: ActivityAnswer) {
    stretches += answer.stretches
    guard answer.stretches.count >= ActivityAnswer.stretchCountMax else { return }
    let known = answer.stretches.reduce(Int64(0)) { $0 + $1.micros }
    olderMicros += max(0, answer.total.activeMicros - known)
  }

  /// Times that do not overlap.
  struct Union {
    /// From the first to the last microsecond, ascending.
    fileprivate(set) var spans: [ClosedRange<Int64>] = []

    /// The sum of the lengths, in microseconds.
    var micros: Int64 { spans.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

    /// The number of periods that are 30 minutes or more apart.
    var periodCount: Int {
      guard !spans.isEmpty else { return 0 }
      return 1
        + zip(spans, spans.dropFirst()).count {
          $1.lowerBound - $0.upperBound >= TimesOfWork.periodPauseMin
        }
    }

    /// The time spent in each quarter of an hour, by the time at which it begins or the span does.
    var microsByQuarter: [(time: Timestamp, micros: Int64)] {
      var parts: [(time: Timestamp, micros: Int64)] = []
      for span in spans {
        var start = span.lowerBound
        while start < span.upperBound {
          let end = min(span.upperBound, TimesOfWork.endOfQuarter(start))
          parts.append((Timestamp(nanoseconds: max(.min / 1_000, start) * 1_000), end - start))
          start = end
        }
      }
      return parts
    }
  }

  private static let (periodPauseMin, quarter): (Int64, Int64) = (1_800_000_000, 900_000_000)

  /// The end of the quarter of an hour that a time is in, in microseconds since 1970.
  private static func endOfQuarter(_ time: Int64) -> Int64 {
    let rest = time % quarter
    return time - rest + (rest < 0 ? 0 : quarter)
  }

  /// The union of stretches. O(n log n).
  static func union(of stretches: [ShownStretch]) -> Union {
    var union = Union()
    let sorted = stretches.map {
      ($0.fromTime.microseconds, max($0.fromTime.microseconds, $0.toTime.microseconds))
    }
    for (start, end) in sorted.sorted(by: <) {
      if let last = union.spans.last, start <= last.upperBound {
        union.spans[union.spans.count - 1] = last.lowerBound...max(last.upperBound, end)
      } else {
        union.spans.append(start...end)
      }
    }
    return union
  }
}

extension ShownStretch {
  fileprivate var micros: Int64 { max(0, toTime.microseconds - fromTime.microseconds) }
}
