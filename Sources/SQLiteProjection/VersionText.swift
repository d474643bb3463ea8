import EditModel
import Projections
import TextState

/// The UTF-16 units at the start and at the end of a paragraph's text that edits left as they were. The two
/// do not overlap, but for `all`.
struct KeptUnits: StoredValue, Hashable {
  var start: Int
  var end: Int

  /// More than any text has: no edit changed the text.
  static let all = KeptUnits(start: .max, end: .max)

  init(start: Int, end: Int) { (self.start, self.end) = (start, end) }

  /// What an edit left of a paragraph that had the range `old` before it, and has `new` after it.
  init(of old: UTF16Range, in new: UTF16Range, by change: Change) {
    // Text before the edit has its place, and text after it is shifted.
    let (edit, shift) = (change.range, change.changeInLength)
    start =
      old.location == new.location
      ? max(0, min(edit.location, old.upperBound, new.upperBound) - old.location) : 0
    end =
      old.upperBound + shift == new.upperBound
      ? max(
        0, old.upperBound - max(edit.upperBound, old.location, new.location - shift)) : 0
  }

  /// Takes away what another edit changed.
  mutating func narrow(to other: KeptUnits) {
    (start, end) = (min(start, other.start), min(end, other.end))
  }

  func encode(to encoder: inout ValueEncoder) {
    start.encode(to: &encoder)
    end.encode(to: &encoder)
  }

  init(from decoder: inout ValueDecoder) throws(StoredValueError) {
    (start, end) = (max(0, try Int(from: &decoder)), max(0, try Int(from: &decoder)))
  }
}

/// A version's text as a row has it: whole, or what differs from the version before.
struct VersionText {
  /// The numbers of scalars that it has from the start and from the end of the text before. Nil if `text`
  /// is the whole text.
  var kept: (start: Int, end: Int)?
  var text: UTF16Text

  /// The whole text.
  init(_ text: UTF16Text) { self.text = text }

  /// The difference of the text in a range of `state` from the version before. O(range).
  init(in range: UTF16Range, of state: TextState, keeping units: KeptUnits) {
    let (lower, upper) = units.bounds(in: range.length) { state[range.location + $0] }
    func part(_ bounds: Range<Int>) -> UTF16Range {
      UTF16Range(range.location + bounds.lowerBound..<range.location + bounds.upperBound)
    }
    var (start, end) = (ScalarCount(), ScalarCount())
    state.withChunks(in: part(0..<lower)) { start.add($0) }
    state.withChunks(in: part(upper..<range.length)) { end.add($0) }
    kept = (start.count, end.count)
    text = state.text(in: part(lower..<upper))
  }

  /// The difference of a whole text from the version before. O(n).
  init(_ text: UTF16Text, keeping units: KeptUnits) {
    let all = text.units
    let (lower, upper) = units.bounds(in: all.count) { all[$0] }
    var (start, end) = (ScalarCount(), ScalarCount())
    all.withUnsafeBufferPointer {
      start.add($0.extracting(..<lower))
      end.add($0.extracting(upper...))
    }
    kept = (start.count, end.count)
    self.text = UTF16Text(units: Array(all[lower..<upper]))
  }
}

extension KeptUnits {
  /// Where the start ends and the end begins in a text of `length` units. Neither has one unit of a pair of
  /// surrogates, which is one scalar there or in the text before.
  fileprivate func bounds(
    in length: Int, _ unit: (Int) -> UInt16
  ) -> (lower: Int, upper: Int) {
    var lower = min(start, length)
    var upper = length - min(end, length - lower)
    if lower > 0, UTF16.isLeadSurrogate(unit(lower - 1)) { lower -= 1 }
    if upper < length, UTF16.isTrailSurrogate(unit(upper)) { upper += 1 }
    return (lower, upper)
  }
}

/// Counts scalars, each lone surrogate as one.
private struct ScalarCount {
  private(set) var count = 0
  private var previous: UInt16 = 0

  mutating func add(_ units: UnsafeBufferPointer<UInt16>) {
    var (pairs, previous) = (0, previous)
    for unit in units {
      if unit & 0xFC00 == 0xDC00, previous & 0xFC00 == 0xD800 { pairs += 1 }
      previous = unit
    }
    count += units.count - pairs
    self.previous = previous
  }
}
