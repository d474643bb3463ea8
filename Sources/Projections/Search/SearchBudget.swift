import Synchronization

/// Bounds the work of a search: it ends when it is cancelled, or when a limit is passed.
public final class SearchBudget: Sendable {
  /// Why a search ended before the end of the history.
  public enum Failure: Error, Hashable, Sendable {
    /// The caller cancelled it.
    case cancelled
    /// There are more matches than this.
    case tooManyMatches(max: Int)
    /// The texts of the matches have more UTF-16 units than this.
    case tooMuchText(max: Int)
    /// The pattern takes too many steps on the lines of this history.
    case tooManySteps
    /// A line has too many units for this pattern.
    case lineTooLong(length: Int)
  }

  /// The maximum number of matches.
  let matchCountMax: Int
  /// The maximum number of UTF-16 units of all matches with the lines around them.
  let textLengthMax: Int
  /// The maximum number of steps of the search with a regular expression.
  let stepCountMax: Int
  private let isCancelled: @Sendable () -> Bool
  private let found = Mutex<Failure?>(nil)
  private let hasFailed = Atomic(false)

  /// Limits. `isCancelled` is called about a thousand times a second.
  public init(
    matchCountMax: Int = 1_000_000, textLengthMax: Int = 1 << 27, stepCountMax: Int = 1 << 35,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.matchCountMax, self.textLengthMax) = (matchCountMax, textLengthMax)
    (self.stepCountMax, self.isCancelled) = (stepCountMax, isCancelled)
  }

  /// Why the search ended; nil if it goes on.
  public var failure: Failure? { isExhausted ? found.withLock { $0 } : nil }

  /// True if the search is to end. O(1).
  public var isExhausted: Bool { hasFailed.load(ordering: .relaxed) }

  /// Ends the search.
  func fail(_ failure: Failure) {
    found.withLock { if $0 == nil { $0 = failure } }
    hasFailed.store(true, ordering: .relaxed)
  }

  /// Ends the search if it was cancelled or has taken too many steps.
  func check(steps: Int) {
    if steps > stepCountMax { fail(.tooManySteps) } else if isCancelled() { fail(.cancelled) }
  }
}
