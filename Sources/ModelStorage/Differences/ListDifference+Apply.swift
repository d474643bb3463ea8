extension ListDifference {
  /// At most this many items are removed and inserted one by one.
  private static var singlesMax: Int { 8 }

  /// Turns the old list into the new one. O(updates) if there are updates only, else O(n).
  ///
  /// - Throws: `DifferenceError` if an index does not fit. The list is then unchanged.
  public func apply(to list: inout [Item]) throws(DifferenceError) {
    guard hasCounts(of: list.count) else { throw misfit(list) }
    if isSingly {
      guard fitsSingly(count: list.count) else { throw misfit(list) }
      for index in removals.sorted(by: >) { list.remove(at: index) }
      for place in insertions.sorted(by: { $0.index < $1.index }) {
        list.insert(place.item, at: place.index)
      }
    } else {
      list = try rebuilt(from: list)
    }
    for update in updates { list[update.index] = update.item }
  }

  private func misfit(_ list: [Item]) -> DifferenceError {
    DifferenceError(expectedCount: oldCount, foundCount: list.count)
  }

  /// True if the old list has this number of items, and the updates are inside the new one.
  private func hasCounts(of count: Int) -> Bool {
    count == oldCount && newCount >= 0
      && updates.allSatisfy { (0..<newCount).contains($0.index) }
  }

  /// True if items are removed and inserted one by one, in place.
  private var isSingly: Bool {
    moves.isEmpty && removals.count + insertions.count <= Self.singlesMax
  }

  /// True if the difference changes single items, and fits a list of this number of items. O(updates).
  func fitsSingly(count: Int) -> Bool {
    guard isSingly, hasCounts(of: count) else { return false }
    return Set(removals).count == removals.count
      && Set(insertions.map(\.index)).count == insertions.count
      && removals.allSatisfy { (0..<count).contains($0) }
      && insertions.allSatisfy { (0..<newCount).contains($0.index) }
  }

  /// Fills the places of a new list.
  private func rebuilt(from list: [Item]) throws(DifferenceError) -> [Item] {
    var isTaken = [Bool](repeating: false, count: list.count)
    var places = [Item?](repeating: nil, count: newCount)
    var isFilled = [Bool](repeating: false, count: newCount)
    for index in removals + moves.map(\.from) {
      guard list.indices.contains(index), !isTaken[index] else { throw misfit(list) }
      isTaken[index] = true
    }
    let arrivals = moves.map { Place($0.to, list[$0.from]) } + insertions
    for place in arrivals {
      guard places.indices.contains(place.index), !isFilled[place.index] else {
        throw misfit(list)
      }
      (places[place.index], isFilled[place.index]) = (place.item, true)
    }
    // As many places are left as items.
    var rest = zip(list, isTaken).lazy.filter { !$1 }.map(\.0).makeIterator()
    var items: [Item] = []
    items.reserveCapacity(newCount)
    for (place, isFilled) in zip(places, isFilled) {
      guard let item = isFilled ? place : rest.next() else { throw misfit(list) }
      items.append(item)
    }
    return items
  }
}
