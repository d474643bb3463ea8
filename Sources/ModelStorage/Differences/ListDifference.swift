/// What turns one list into another. It carries the new content, so that a receiver needs no second
/// query.
///
/// Removals and the sources of moves are indices of the old list; insertions, the destinations of
/// moves and updates are indices of the new one. Items that are neither removed nor moved keep their
/// order, and fill the places that are left.
public struct ListDifference<Item: Sendable>: Sendable {
  /// An item and its index in the new list.
  public struct Place: Sendable {
    /// The index in the new list.
    public let index: Int
    /// The item.
    public let item: Item

    /// An item at an index.
    public init(_ index: Int, _ item: Item) { (self.index, self.item) = (index, item) }
  }

  /// The number of items in the old list.
  public let oldCount: Int
  /// The removed items, by ascending index in the old list.
  public var removals: [Int]
  /// The moved items, by ascending index in the new list.
  public var moves: [ListMove]
  /// The inserted items, by ascending index in the new list.
  public var insertions: [Place]
  /// The items that stay but have new content, moved ones among them, by ascending index in the new
  /// list.
  public var updates: [Place]

  /// A difference from a list of `oldCount` items.
  public init(
    oldCount: Int, removals: [Int] = [], moves: [ListMove] = [], insertions: [Place] = [],
    updates: [Place] = []
  ) {
    (self.oldCount, self.removals, self.moves) = (oldCount, removals, moves)
    (self.insertions, self.updates) = (insertions, updates)
  }

  /// True if the lists are the same.
  public var isEmpty: Bool {
    removals.isEmpty && moves.isEmpty && insertions.isEmpty && updates.isEmpty
  }

  /// The number of items in the new list.
  public var newCount: Int { oldCount - removals.count + insertions.count }
}

extension ListDifference: Equatable where Item: Equatable {}
extension ListDifference.Place: Equatable where Item: Equatable {}

/// A move of an item of a list.
public struct ListMove: Hashable, Sendable {
  /// The index in the old list.
  public let from: Int
  /// The index in the new list.
  public let to: Int

  /// A move between two indices.
  public init(from: Int, to: Int) { (self.from, self.to) = (from, to) }
}

/// A difference that does not fit the list to which it is applied.
public struct DifferenceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of items that the list should have.
  public let expectedCount: Int
  /// The number of items that it has.
  public let foundCount: Int

  /// One sentence.
  public var description: String {
    expectedCount == foundCount
      ? "an index of the difference does not fit a list of \(foundCount) items"
      : "the difference is one of a list of \(expectedCount) items, but the list has \(foundCount)"
  }
}
