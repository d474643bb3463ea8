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
  /// The maximum number of steps: of any search, and those more for each edit and each unit inserted.
  let (stepCountMax, stepCountMaxEach): (Int, Int)
  private let isCancelled: @Sendable () -> Bool
  private let found = Mutex<Failure?>(nil)
  private let hasFailed = Atomic(false)

  /// Limits. `isCancelled` is called about a thousand times a second.
  public init(
    matchCountMax: Int = 1_000_000, textLengthMax: Int = 1 << 27,
    stepCountMax: (once: Int, each: Int) = (1 << 30, 1 << 12),
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.matchCountMax, self.textLengthMax) = (matchCountMax, textLengthMax)
    (self.stepCountMax, stepCountMaxEach) = (stepCountMax.once, stepCountMax.each)
    self.isCancelled = isCancelled
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

  /// Ends the search if it was cancelled or has taken too many steps for its input, which is the number of
  /// edits and of the units that they inserted.
  func check(steps: Int, of input: Int = 0) {
    if steps > stepCountMax + input * stepCountMaxEach {
      fail(.tooManySteps)
    } else if isCancelled() {
      fail(.cancelled)
    }
  }
}
