import EditModel

/// The search for the first version for which a test fails, between a version that is good and a later
/// one that is bad.
///
/// Only candidates are tried. A version that cannot be tested is skipped, and another candidate of the
/// same part is tried. A search of n versions takes at most about 2·log2(n) tries, and log2(n) if all of
/// them are candidates and none is skipped.
struct Bisection: Sendable {
  /// The result of a try.
  enum Verdict: String, CaseIterable, Hashable, Sendable { case good, bad, skipped }

  /// The versions that may be tried.
  struct Candidates {
    /// The first candidate after a version; nil if there is none.
    var after: (SequenceNumber) async throws -> SequenceNumber?
    /// The last candidate before a version; nil if there is none.
    var before: (SequenceNumber) async throws -> SequenceNumber?

    /// Every version is a candidate.
    static var allVersions: Candidates {
      Candidates(after: { $0 + 1 }, before: { $0 == 0 ? nil : $0 - 1 })
    }
  }

  /// The last version known to be good, and the first known to be bad. `good` is less than `bad`.
  private(set) var (good, bad): (SequenceNumber, SequenceNumber)
  /// The versions that could not be tested, between `good` and `bad`.
  private(set) var skipped: Set<SequenceNumber> = []
  /// The number of versions that were skipped since the last result.
  private(set) var skippedInARow = 0

  /// A search between two versions. Nil if `good` is not before `bad`.
  init?(good: SequenceNumber, bad: SequenceNumber) {
    guard good < bad else { return nil }
    (self.good, self.bad) = (good, bad)
  }

  /// Records the result for a version that `next` returned.
  mutating func note(_ verdict: Verdict, at version: SequenceNumber) {
    guard version > good, version < bad else { return }
    switch verdict {
    case .good: good = version
    case .bad: bad = version
    case .skipped:
      skipped.insert(version)
      skippedInARow += 1
      return
    }
    skipped = skipped.filter { $0 > good && $0 < bad }
    skippedInARow = 0
  }

  /// The version to try next; nil if all candidates between `good` and `bad` were skipped, or there are
  /// none.
  func next(_ candidates: Candidates) async throws -> SequenceNumber? {
    // The middle; after that was skipped the quarters, the eighths and so on, because the neighbours of a
    // version that cannot be tested often cannot be tested either.
    for index in 0...min(2 * skipped.count, Self.fractionCount) {
      if let found = try await candidate(near: target(index), candidates) { return found }
    }
    var version = good
    while let found = try await candidates.after(version), found < bad {
      if !skipped.contains(found) { return found }
      version = found
    }
    return nil
  }

  private static let fractionCount = 62

  /// A version between `good` and `bad`: at 1/2, 1/4, 3/4, 1/8, 3/8, … of the way.
  private func target(_ index: Int) -> SequenceNumber {
    let (number, span) = (index + 1, bad - good)
    let level = Int.bitWidth - number.leadingZeroBitCount
    let place = 2 * (number - (1 << (level - 1))) + 1
    let distance = Double(span) * Double(place) / Double(1 << level)
    return good + min(max(1, SequenceNumber(distance)), max(1, span - 1))
  }

  /// The candidate that is nearest to a version and was not skipped, of the one before and the one at or
  /// after it.
  private func candidate(
    near target: SequenceNumber, _ candidates: Candidates
  ) async throws -> SequenceNumber? {
    func usable(_ version: SequenceNumber?) -> SequenceNumber? {
      version.flatMap { $0 > good && $0 < bad && !skipped.contains($0) ? $0 : nil }
    }
    let above = usable(try await candidates.after(target - 1))
    if above == target { return above }
    guard let below = usable(try await candidates.before(target)) else { return above }
    guard let above else { return below }
    return above - target < target - below ? above : below
  }
}
