/// A part of the screen that waits for an answer.
enum LoadingPart: Hashable, Sendable {
  case timeline, writers
  /// What the user asked for.
  case answer
}

// Loading messages appear after a pause, so that fast answers do not flicker.
extension ScrubState {
  /// Nanoseconds before a loading message appears.
  private static let loadingPause: Int64 = 300_000_000

  /// The parts that wait for an answer.
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

  /// True if a part waits without a loading message. Ticks are needed until the message appears.
  var isLoadingSoon: Bool { !waitingParts.subtracting(slowParts).isEmpty }

  /// Marks parts as slow that have waited for `loadingPause` at `time`, in nanoseconds.
  mutating func noteLoading(at time: Int64) {
    for part in waitingParts {
      guard let start = waitingSince[part] else {
        waitingSince[part] = time
        continue
      }
      if time &- start >= Self.loadingPause { slowParts.insert(part) }
    }
  }

  /// Forgets parts that no longer wait.
  mutating func updateLoading() {
    let parts = waitingParts
    waitingSince = waitingSince.filter { parts.contains($0.key) }
    slowParts.formIntersection(parts)
  }
}
