/// Heckel's algorithm (1978). Identities that each list has once are matched, and so are equal
/// neighbours of matched items. A matched item is moved if its rank among all matched items differs,
/// so an item at the front that goes to the end moves all. O(n).
public struct HeckelDifference: DifferenceAlgorithm {
  /// The algorithm.
  public init() {}

  /// The difference between two lists.
  public func difference<Item: StorageItem>(
    from old: [Item], to new: [Item]
  ) -> ListDifference<Item> {
    let sources = sources(of: new.map(\.id), in: old.map(\.id))
    // The ranks of matched items in the old list.
    let order = sources.compactMap(\.self).sorted()
    var (next, isMoved) = (0, [Bool](repeating: false, count: new.count))
    for (index, source) in sources.enumerated() {
      guard let source else { continue }
      isMoved[index] = order[next] != source
      next += 1
    }
    return ListDifference(from: old, to: new, sources: sources) { isMoved[$0] }
  }

  /// For each new identity the index of the old one that it is matched with.
  private func sources<ID: Hashable>(of new: [ID], in old: [ID]) -> [Int?] {
    var symbols: [ID: Symbol] = [:]
    for id in new { symbols[id, default: Symbol()].newCount += 1 }
    for (index, id) in old.enumerated() {
      symbols[id, default: Symbol()].oldCount += 1
      symbols[id]?.oldIndex = index
    }
    var isTaken = [Bool](repeating: false, count: old.count)
    var sources: [Int?] = new.map { id in
      guard let symbol = symbols[id], symbol.newCount == 1, symbol.oldCount == 1 else {
        return nil
      }
      isTaken[symbol.oldIndex] = true
      return symbol.oldIndex
    }
    func extend(_ index: Int, to source: Int) {
      guard sources[index] == nil, old.indices.contains(source), !isTaken[source],
        old[source] == new[index]
      else { return }
      (sources[index], isTaken[source]) = (source, true)
    }
    for index in new.indices { extend(index, to: index == 0 ? 0 : (sources[index - 1] ?? -2) + 1) }
    for index in new.indices.reversed() {
      let after = index == new.count - 1 ? old.count : sources[index + 1] ?? -1
      extend(index, to: after - 1)
    }
    return sources
  }

  /// The occurrences of an identity.
  private struct Symbol {
    var (oldCount, newCount, oldIndex) = (0, 0, 0)
  }
}
