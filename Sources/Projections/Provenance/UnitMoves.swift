import EditModel

/// The rule by which text that is removed and inserted again is a move.
///
/// An insertion continues a removal if all of this is true:
///
/// - it comes at most `pauseNanosecondsMax` after the removal, or with it, in one edit;
/// - the text of one holds the text of the other, without terminators at its ends;
/// - that is at least 20 UTF-16 units and not blank, or it is whole lines in both, with a letter or a digit.
///
/// Terminators at the ends move too if they are in both.
///
/// Of several removals the newest counts.
public struct TextMoveRule: Hashable, Sendable {
  /// The maximum time between removal and insertion, in nanoseconds: 5 minutes.
  public var pauseNanosecondsMax: Int64 = 300_000_000_000
  /// The number of removals that are remembered.
  public var removalCountMax = 16
  /// UTF-16 units above which a removal is not remembered.
  public var lengthMax = 1 << 20

  /// The defaults.
  public init() {}

  /// The minimum length of a part of a line that moves, in UTF-16 units.
  static let lengthMin = 20
}

/// Where units that were cut and pasted come from.
struct UnitMoves: Hashable, Sendable {
  /// Units that were pasted, and the first of the same number of units that were typed.
  struct Move: Hashable, Sendable {
    var units: Range<Int>
    var source: Int
  }

  /// A removal whose text may be inserted again.
  struct Removal: Hashable, Sendable {
    var time: Timestamp
    /// The units in order.
    var units: [Range<Int>]
    var text: [UInt16]
  }

  var rule = TextMoveRule()
  /// By ascending units.
  private(set) var moves: [Move] = []
  /// The newest last.
  private(set) var recent: [Removal] = []

  /// Remembers a removal.
  mutating func noteRemoval(_ units: [Range<Int>], _ text: [UInt16], at time: Timestamp) {
    guard rule.removalCountMax > 0 else { return }
    if recent.count == rule.removalCountMax { recent.removeFirst() }
    recent.append(Removal(time: time, units: units, text: text))
  }

  /// True if a text of `length` units may be part of a move.
  func mayMove(_ length: Int, _ hasTerminator: Bool) -> Bool {
    length <= rule.lengthMax && (length >= TextMoveRule.lengthMin || hasTerminator)
  }

  /// Adds a move of units after all that were moved.
  mutating func append(_ move: Move) { moves.append(move) }

  /// Notes an insertion, which is a move if its text was removed a short time before.
  mutating func noteInsertion(_ units: Range<Int>, _ text: [UInt16], at time: Timestamp) {
    for removal in recent.reversed() {
      let pause = time.nanoseconds.subtractingReportingOverflow(removal.time.nanoseconds)
      guard !pause.overflow, (0...rule.pauseNanosecondsMax).contains(pause.partialValue) else {
        return
      }
      guard let (inserted, removed) = Self.common(text, removal.text) else { continue }
      var next = units.lowerBound + inserted.lowerBound
      var offset = 0
      for source in removal.units {
        let part = (offset..<offset + source.count).clamped(to: removed)
        let first = source.lowerBound + part.lowerBound - offset
        // What was moved before comes from where it was typed.
        var new: [Move] = []
        forEachOrigin(of: first..<first + part.count) { origin, first in
          new.append(Move(units: next..<next + origin.count, source: first))
          next += origin.count
        }
        moves += new
        offset += source.count
      }
      return
    }
  }

  /// Calls `body` with parts of a range of units in order, and the first of the units that were typed:
  /// where they come from through all moves. O(log moves + moves).
  func forEachOrigin(of units: Range<Int>, _ body: (Range<Int>, _ first: Int) -> Void) {
    var next = units.lowerBound
    var index = moves.partitionPoint { $0.units.upperBound <= next }
    while next < units.upperBound {
      guard index < moves.count, moves[index].units.lowerBound < units.upperBound else {
        return body(next..<units.upperBound, next)
      }
      let move = moves[index]
      if next < move.units.lowerBound {
        body(next..<move.units.lowerBound, next)
        next = move.units.lowerBound
      }
      let part = next..<min(units.upperBound, move.units.upperBound)
      body(part, move.source + part.lowerBound - move.units.lowerBound)
      next = part.upperBound
      index += 1
    }
  }

  /// The ranges of two texts that hold the same, if it is enough for a move: all of the shorter one
  /// without terminators at its ends.
  private static func common(
    _ first: [UInt16], _ second: [UInt16]
  ) -> (Range<Int>, Range<Int>)? {
    let (left, right) = (first[content(of: first)], second[content(of: second)])
    let isFirstShort = left.count <= right.count
    let (needle, hay) = isFirstShort ? (left, right) : (right, left)
    let isLine = needle.count < (isFirstShort ? first.count : second.count)
    let isLong = needle.count >= TextMoveRule.lengthMin
    // Anyone types a line such as `}`.
    guard isLong ? !needle.isBlank : isLine && needle.hasWord,
      let place = hay.firstOffset(of: needle)
    else { return nil }
    let found = hay.startIndex + place..<hay.startIndex + place + needle.count
    guard isLong || hay.isLines(found) else { return nil }
    let (here, there) = isFirstShort ? (needle.indices, found) : (found, needle.indices)
    let (before, after) = terminators(around: here, in: first, and: there, in: second)
    return (
      here.lowerBound - before..<here.upperBound + after,
      there.lowerBound - before..<there.upperBound + after
    )
  }

  /// The numbers of units of terminators that two texts have both before, and both after, equal parts.
  private static func terminators(
    around here: Range<Int>, in first: [UInt16], and there: Range<Int>, in second: [UInt16]
  ) -> (before: Int, after: Int) {
    func isCommon(_ index: Int, _ other: Int) -> Bool {
      first.indices.contains(index) && second.indices.contains(other)
        && first[index].endsLine && first[index] == second[other]
    }
    var (before, after) = (0, 0)
    while isCommon(here.lowerBound - before - 1, there.lowerBound - before - 1) { before += 1 }
    while isCommon(here.upperBound + after, there.upperBound + after) { after += 1 }
    return (before, after)
  }

  private static func content(of text: [UInt16]) -> Range<Int> {
    let lower = text.firstIndex { !$0.endsLine } ?? text.count
    let upper = text.lastIndex { !$0.endsLine }.map { $0 + 1 } ?? lower
    return lower..<max(lower, upper)
  }
}

extension UInt16 {
  /// True for a unit that ends a paragraph, alone or as half of CR LF.
  var endsLine: Bool { self == 0x0A || self == 0x0D || self == 0x2029 }
}

extension ArraySlice<UInt16> {
  fileprivate var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0xA0 } }

  /// True if there is a letter or a digit of any script, or a symbol beyond the Basic Multilingual Plane.
  fileprivate var hasWord: Bool {
    contains { unit in
      guard let scalar = Unicode.Scalar(unit) else { return true }
      return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
  }

  /// True if a range is all of some lines, the last terminator perhaps excepted.
  fileprivate func isLines(_ range: Range<Int>) -> Bool {
    (range.lowerBound == startIndex || self[range.lowerBound - 1].endsLine)
      && (range.upperBound == endIndex || self[range.upperBound].endsLine)
  }

  /// The offset of the first occurrence of `needle`; nil if there is none. O(n), by the algorithm of
  /// Knuth, Morris and Pratt.
  fileprivate func firstOffset(of needle: ArraySlice<UInt16>) -> Int? {
    if count == needle.count { return self == needle ? 0 : nil }
    let needle = Array(needle)
    guard !needle.isEmpty, needle.count < count else { return nil }
    var borders = [0]
    borders.reserveCapacity(needle.count)
    for unit in needle.dropFirst() {
      var border = borders[borders.count - 1]
      while border > 0, needle[border] != unit { border = borders[border - 1] }
      borders.append(needle[border] == unit ? border + 1 : 0)
    }
    var matched = 0
    for (offset, unit) in enumerated() {
      while matched > 0, needle[matched] != unit { matched = borders[matched - 1] }
      if needle[matched] == unit { matched += 1 }
      if matched == needle.count { return offset + 1 - matched }
    }
    return nil
  }
}
