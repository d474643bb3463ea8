extension ListDifference where Item: StorageItem {
  /// The difference by a matching. `sources` has, for each item of the new list, the index of the
  /// item of the old list that it continues, each at most once; nil if it is new. `isMoved` tells
  /// which of the matched items of the new list move; the others must be in order. O(n).
  init(from old: [Item], to new: [Item], sources: [Int?], isMoved: (Int) -> Bool) {
    self.init(oldCount: old.count)
    var isKept = [Bool](repeating: false, count: old.count)
    for (index, source) in sources.enumerated() {
      guard let source else {
        insertions.append(Place(index, new[index]))
        continue
      }
      isKept[source] = true
      if isMoved(index) { moves.append(ListMove(from: source, to: index)) }
      if old[source] != new[index] { updates.append(Place(index, new[index])) }
    }
    removals = old.indices.filter { !isKept[$0] }
  }
}
