import TestSupport

/// What a hostile client does.
enum HostileKind: CaseIterable {
  /// Sends three bytes and waits.
  case idle
  /// Asks for a large document a hundred times, and reads nothing.
  case unreadQuestions
  /// Sends a frame of many megabytes.
  case giant
  /// Asks for a large document a hundred times, and is gone.
  case goneQuestions
  /// Sends a frame of a million small values.
  case manyValues
  /// Announces a frame, sends half of it and waits.
  case halfFrame
  /// Sends a frame byte by byte.
  case slow
  /// Appends edits, and reads no answer.
  case unreadAppends
  /// Sends one valid message and waits.
  case idleAfterMessage
  /// Sends bytes that are no frames.
  case garbage
}

/// How many of each kind there are: many of one, by the seed, and some of all others.
struct HostileMix: Sendable {
  private var weights: [Double]

  init(seed: UInt64, _ random: inout SplitMix64) {
    weights = HostileKind.allCases.map { _ in
      let share = Double.random(in: 0...1, using: &random)
      return share * share * share + 0.02
    }
    weights[Int(seed % UInt64(weights.count))] += 5
  }

  /// One kind alone.
  init(only kind: HostileKind) {
    weights = HostileKind.allCases.map { $0 == kind ? 1 : 0 }
  }

  func kind(_ random: inout SplitMix64) -> HostileKind {
    var place = Double.random(in: 0..<weights.reduce(0, +), using: &random)
    for (kind, weight) in zip(HostileKind.allCases, weights) {
      place -= weight
      if place < 0 { return kind }
    }
    return .idle
  }
}
