/// Matches by identity, and finds the fewest moves: items of the longest common order stay. Of
/// several items of one identity, the first of the old list is matched with the first of the new
/// one, and so on. O(n · log n).
public struct IdentityDifference: DifferenceAlgorithm {
  /// The algorithm.
  public init() {}

  /// The difference between two lists.
  public func difference<Item: StorageItem>(
    from old: [Item], to new: [Item]
  ) -> ListDifference<Item> {
    var places: [Item.ID: (indices: [Int], next: Int)] = [:]
    for (index, item) in old.enumerated() {
      places[item.id, default: ([], 0)].indices.append(index)
    }
    let sources = new.map { item -> Int? in
      guard let place = places[item.id], place.next < place.indices.count else { return nil }
      places[item.id]?.next += 1
      return place.indices[place.next]
    }
    let staying = Set(longestIncrease(sources))
    return ListDifference(from: old, to: new, sources: sources) { !staying.contains($0) }
  }

  /// The indices of a longest ascending subsequence of the values that are not nil.
  private func longestIncrease(_ values: [Int?]) -> [Int] {
    // ends[k] is the index of the least value that ends an ascent of k + 1 values.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = low + (high - low) / 2
        if let end = values[ends[middle]], end < value { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var (indices, next): ([Int], Int?) = ([], ends.last)
    while let index = next {
      indices.append(index)
      next = previous[index]
    }
    return indices
  }
}
