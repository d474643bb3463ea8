/// The last four places in the text that edits moved away from, latest first, each adjusted for the
/// edits since. One author who edits in two places, and two authors at once, return to them.
struct RecentPositions {
  /// Places that are remembered.
  static let count = 4

  private var places = SIMD4<Int>(repeating: Self.none)
  private static let none = -1

  /// Where in the row `place` is; nil if it was not left.
  @inline(__always)
  func index(of place: Int) -> Int? {
    let found = places .== place
    guard any(found) else { return nil }
    return found[0] ? 0 : found[1] ? 1 : found[2] ? 2 : 3
  }

  /// The place at `index`; nil if fewer were left.
  @inline(__always)
  func place(at index: Int) -> Int? {
    let place = places[index]
    return place == Self.none ? nil : place
  }

  /// Notes that `place` is left: for the one at `index`, which is so no longer one of the row,
  /// or with nil for another, and the oldest is forgotten.
  @inline(__always)
  mutating func leave(_ place: Int, for index: Int?) {
    for slot in stride(from: index ?? Self.count - 1, to: 0, by: -1) {
      places[slot] = places[slot - 1]
    }
    places[0] = place
  }

  /// Moves the places along with a replacement of `lower..<upper` by `newLength` units. Those
  /// within go to its start, and those at its start stay.
  @inline(__always)
  mutating func move(_ lower: Int, _ upper: Int, newLength: Int) {
    let after = (places .>= upper) .& (places .> lower)
    let within = (places .< upper) .& (places .> lower)
    places.replace(with: places &+ (newLength &- (upper &- lower)), where: after)
    places.replace(with: lower, where: within)
  }
}
