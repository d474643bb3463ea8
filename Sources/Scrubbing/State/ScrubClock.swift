package import EditModel

/// How times are shown: in the zone and the style of the user.
package struct ScrubClock: Sendable {
  /// The time now.
  package var now: @Sendable () -> Timestamp
  /// A date: `Fri 20 Nov 2026`.
  package var day: @Sendable (Timestamp) -> String
  /// A time of day: `15:04:05`.
  package var time: @Sendable (Timestamp) -> String

  /// A clock.
  ///
  /// - Parameters:
  ///   - now: The time now.
  ///   - day: A date, as `Fri 20 Nov 2026`.
  ///   - time: A time of day, as `15:04:05`.
  package init(
    now: @escaping @Sendable () -> Timestamp, day: @escaping @Sendable (Timestamp) -> String,
    time: @escaping @Sendable (Timestamp) -> String
  ) {
    (self.now, self.day, self.time) = (now, day, time)
  }

  /// A date and a time of day.
  func moment(_ time: Timestamp) -> String { "\(day(time)) \(self.time(time))" }

  /// A date and a time of day in few columns: `20 Nov 15:04`.
  func shortMoment(_ time: Timestamp) -> String {
    let date = day(time).split(separator: " ").dropFirst().prefix(2).joined(separator: " ")
    return "\(date) \(self.time(time).prefix(5))"
  }

  /// The time since, in one unit: `5 s`, `2 m`, `3 h`, `12 d`.
  func age(_ time: Timestamp) -> String {
    let (difference, overflow) = now().nanoseconds.subtractingReportingOverflow(time.nanoseconds)
    let seconds = overflow ? .max : max(0, difference / 1_000_000_000)
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3_600: return "\(seconds / 60) m"
    case ..<86_400: return "\(seconds / 3_600) h"
    default: return "\(seconds / 86_400) d"
    }
  }
}

/// The styles of times in the title.
enum TimeStyle: CaseIterable {
  case both, absolute, relative

  var next: TimeStyle {
    switch self {
    case .both: .absolute
    case .absolute: .relative
    case .relative: .both
    }
  }
}
