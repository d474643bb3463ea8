extension ListDifference {
  /// At most this many items are removed and inserted one by one.
  private static var singlesMax: Int { 8 }

  /// Turns the old list into the new one. O(updates) if there are updates only, else O(n).
  ///
  /// - Throws: `DifferenceError` if an index does not fit. The list is then unchanged.
  public func apply(to list: inout [Item]) throws(DifferenceError) {
    guard list.count == oldCount, newCount >= 0,
      updates.allSatisfy({ (0..<newCount).contains($0.index) })
    else { throw misfit(list) }
    if moves.isEmpty, removals.count + insertions.count <= Self.singlesMax {
      try applySingly(to: &list)
    } else {
      list = try rebuilt(from: list)
    }
    for update in updates { list[update.index] = update.item }
  }

  private func misfit(_ list: [Item]) -> DifferenceError {
    DifferenceError(expectedCount: oldCount, foundCount: list.count)
  }

  /// Removes and inserts single items, in place.
  private func applySingly(to list: inout [Item]) throws(DifferenceError) {
    let removed = removals.sorted(by: >)
    let inserted = insertions.sorted { $0.index < $1.index }
    let isRemovedOnce = zip(removed, removed.dropFirst()).allSatisfy { $0 != $1 }
    let isInsertedOnce = zip(inserted, inserted.dropFirst()).allSatisfy { $0.index != $1.index }
    guard removed.allSatisfy(list.indices.contains), isRemovedOnce, isInsertedOnce,
      inserted.allSatisfy({ (0..<newCount).contains($0.index) })
    else { throw misfit(list) }
    for index in removed { list.remove(at: index) }
    for place in inserted { list.insert(place.item, at: place.index) }
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
