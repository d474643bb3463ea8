/// A part of the screen that waits for an answer.
enum LoadingPart: Hashable, Sendable {
  case timeline, writers
  /// What the user asked for.
  case answer
}

// What is said to be loading, after a moment: what comes at once should not flicker.
extension ScrubState {
  /// Nanoseconds after which a part is said to be loading.
  private static let loadingPause: Int64 = 300_000_000

  /// The parts that wait now.
  private var waitingParts: Set<LoadingPart> {
    Set(
      outstanding.compactMap { request in
        switch request {
        case .times: .timeline
        case .blame: .writers
        default: request.isAwaited ? .answer : nil
        }
      })
  }

  /// True if a part waits and is not said to be loading yet: ticks tell when it is.
  var isLoadingSoon: Bool { !waitingParts.subtracting(late).isEmpty }

  /// Notes the time.
  mutating func noteLoading(at time: Int64) {
    for part in waitingParts {
      guard let start = waitingSince[part] else {
        waitingSince[part] = time
        continue
      }
      if time &- start >= Self.loadingPause { late.insert(part) }
    }
  }

  /// Notes what does not wait any more.
  mutating func updateLoading() {
    let parts = waitingParts
    waitingSince = waitingSince.filter { parts.contains($0.key) }
    late.formIntersection(parts)
  }
}
