import EditModel
import TextState

/// Finds a string in a text, unit by unit. (Knuth, Morris and Pratt, 1977: each unit is looked at once,
/// whatever the string.)
struct FixedMatcher: Sendable {
  /// The units of the string, folded if case is ignored. At least one.
  let units: [UInt16]
  private let ignoresCase: Bool
  /// For each number of matched units, the length of the longest proper prefix that is also their end.
  private let fallbacks: [Int]
  /// One bit for each unit value: those that the string holds.
  private let held: [UInt64]

  init(_ pattern: [UInt16], ignoresCase: Bool) {
    precondition(!pattern.isEmpty)
    self.ignoresCase = ignoresCase
    units = ignoresCase ? pattern.map { LetterCase.folded($0) } : pattern
    var (fallbacks, length) = ([0, 0], 0)
    for index in units.indices.dropFirst() {
      while length > 0, units[length] != units[index] { length = fallbacks[length] }
      if units[length] == units[index] { length += 1 }
      fallbacks.append(length)
    }
    self.fallbacks = fallbacks
    var held = [UInt64](repeating: 0, count: 1 << 10)
    for unit in units { held[Int(unit >> 6)] |= 1 << UInt64(unit & 63) }
    self.held = held
  }

  var length: Int { units.count }

  /// True if the string holds this unit of a text.
  @inline(__always)
  func holds(_ unit: UInt16) -> Bool {
    let unit = folded(unit)
    return held[Int(unit >> 6)] & (1 << UInt64(unit & 63)) != 0
  }

  @inline(__always)
  private func folded(_ unit: UInt16) -> UInt16 {
    ignoresCase ? LetterCase.folded(unit) : unit
  }

  /// The start of the first match that starts in `range`; nil if there is none.
  /// O(log n + units up to the end of the match).
  func first(startingIn range: Range<Int>, of state: TextState) -> Int? {
    let end = min(state.length, range.upperBound - 1 + length)
    guard !range.isEmpty, end - range.lowerBound >= length else { return nil }
    struct Found: Error { var start: Int }
    var (matched, next) = (0, range.lowerBound)
    do throws(Found) {
      try units.withUnsafeBufferPointer { pattern throws(Found) in
        try state.withChunks(in: UTF16Range(range.lowerBound..<end)) { chunk throws(Found) in
          for unit in chunk {
            let unit = folded(unit)
            while matched > 0, pattern[matched] != unit { matched = fallbacks[matched] }
            if pattern[matched] == unit { matched &+= 1 }
            next &+= 1
            if matched == pattern.count { throw Found(start: next &- pattern.count) }
          }
        }
      }
    } catch { return error.start }
    return nil
  }
}
