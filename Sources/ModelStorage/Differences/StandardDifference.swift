/// The algorithm of the standard library (Myers 1986): the fewest removals and insertions, and no
/// moves. O(n · d) for d of them.
public struct StandardDifference: DifferenceAlgorithm {
  /// The algorithm.
  public init() {}

  /// The difference between two lists.
  public func difference<Item: StorageItem>(
    from old: [Item], to new: [Item]
  ) -> ListDifference<Item> {
    var isRemoved = [Bool](repeating: false, count: old.count)
    var isInserted = [Bool](repeating: false, count: new.count)
    for change in new.map(\.id).difference(from: old.map(\.id)) {
      switch change {
      case .remove(let offset, _, _): isRemoved[offset] = true
      case .insert(let offset, _, _): isInserted[offset] = true
      }
    }
    var rest = old.indices.lazy.filter { !isRemoved[$0] }.makeIterator()
    let sources = new.indices.map { isInserted[$0] ? nil : rest.next() }
    return ListDifference(from: old, to: new, sources: sources) { _ in false }
  }
}
