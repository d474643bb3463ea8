/// What of a spool was not logged, and why. A spool with faults is kept.
package struct SpoolFaults: Hashable, Sendable, CustomStringConvertible {
  /// The number of records that are not messages which this version knows, or of another session.
  package var unreadCount = 0
  /// The number of messages that are missing between others.
  package var missingCount: UInt64 = 0
  /// The number of messages that were refused for good.
  package var refusedCount = 0
  /// True if bytes after the last message have changed since they were written.
  package var isDamaged = false

  package init() {}

  package var isEmpty: Bool { self == SpoolFaults() }

  package static func += (left: inout Self, right: Self) {
    left.unreadCount += right.unreadCount
    left.missingCount = left.missingCount.addingClamped(right.missingCount)
    left.refusedCount += right.refusedCount
    left.isDamaged = left.isDamaged || right.isDamaged
  }

  package var description: String {
    var faults: [String] = []
    func add(_ count: UInt64, _ one: String, _ many: String) {
      if count > 0 { faults.append(count == 1 ? "1 \(one)" : "\(count) \(many)") }
    }
    add(UInt64(unreadCount), "message cannot be read", "messages cannot be read")
    add(missingCount, "message is missing", "messages are missing")
    add(UInt64(refusedCount), "message was refused", "messages were refused")
    if isDamaged { faults.append("the end is damaged") }
    return faults.joined(separator: ", ")
  }
}

extension UInt64 {
  fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

/// Finds messages that are missing in a spool: the counters of its messages follow one another.
package struct SpoolCounters: Sendable {
  private var last: UInt64?
  /// The number of records since `last` that could not be read: each may have had a counter.
  private var unreadCount: UInt64 = 0

  package init() {}

  /// Notes a record that is not a message.
  package mutating func noteUnread() { unreadCount += 1 }

  /// Notes the counter of the next message. Returns the number of messages that are missing before it.
  package mutating func note(_ counter: UInt64) -> UInt64 {
    defer { unreadCount = 0 }
    guard let last, counter > last else {
      // One that is there again.
      last = last ?? counter
      return 0
    }
    self.last = counter
    let between = counter - last - 1
    return between - min(between, unreadCount)
  }
}
