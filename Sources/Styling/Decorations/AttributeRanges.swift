import EditModel
import TextState

/// A walk over the ranges of an attribute, each the longest with its value.
struct AttributeRanges: Sequence, IteratorProtocol {
  private let name: String
  private let state: TextState
  private var place: Int
  private let end: Int

  /// The ranges that hold a unit of `bounds`.
  init(_ name: String, in bounds: Range<Int>, _ state: TextState) {
    (self.name, self.state) = (name, state)
    (place, end) = (bounds.lowerBound, bounds.upperBound)
  }

  /// The next range, whole, and its value. O(log n + runs in it).
  mutating func next() -> (range: UTF16Range, value: AttributeValue)? {
    guard place < end, let run = state.nextAttributeRun(carrying: name, from: place) else {
      return nil
    }
    place = Swift.max(place, run.range.location)
    guard place < end else { return nil }
    let found = state.attribute(name, at: place)
    place = found.range.upperBound
    return found.value.map { (found.range, $0) }
  }
}
