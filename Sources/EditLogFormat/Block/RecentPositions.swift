/// The last four places in the text that edits moved away from, latest first, each adjusted for the
/// edits since. One author who edits in two places, and two authors at once, return to them.
struct RecentPositions {
  /// The number of places that are kept.
  static let count = 4

  private var places = SIMD4<Int>(repeating: Self.none)
  private static let none = -1

  /// The index of `place` in the row; nil if it is not in the row.
  @inline(__always)
  func index(of place: Int) -> Int? {
    let found = places .== place
    guard any(found) else { return nil }
    return found[0] ? 0 : found[1] ? 1 : found[2] ? 2 : 3
  }

  /// The place at `index`; nil if the row has fewer places.
  @inline(__always)
  func place(at index: Int) -> Int? {
    let place = places[index]
    return place == Self.none ? nil : place
  }

  /// Puts `place` at the front of the row, and removes the place at `index`, or the oldest one if
  /// `index` is nil.
  @inline(__always)
  mutating func leave(_ place: Int, for index: Int?) {
    for slot in stride(from: index ?? Self.count - 1, to: 0, by: -1) {
      places[slot] = places[slot - 1]
    }
    places[0] = place
  }

  /// Moves the places for a replacement of `lower..<upper` by `newLength` units. Places inside the
  /// range move to its start, and places at its start stay.
  @inline(__always)
  mutating func move(_ lower: Int, _ upper: Int, newLength: Int) {
    let after = (places .>= upper) .& (places .> lower)
    let within = (places .< upper) .& (places .> lower)
    places.replace(with: places &+ (newLength &- (upper &- lower)), where: after)
    places.replace(with: lower, where: within)
  }
}
