/// Finds the stretches that two trees do not share, without reading shared nodes.
///
/// Neither tree changes a node that both hold, so it is equal on both sides. Only the checked-out
/// leaf belongs to each tree alone, so nodes on the path to it never count as shared. All other
/// nodes are compared by identity, height by height, and only those of one side are descended into.
struct TreeComparison<Element: TreeElement> {
  private let old: GapTree<Element>
  private let new: GapTree<Element>
  /// The stretches that the trees do not share, in order, as ranges of elements. What lies between
  /// two of them, and before the first and after the last, is the same on both sides. Elements
  /// inside them may be equal as well.
  private(set) var stretches: [Hunk] = []
  /// The number of nodes read.
  private(set) var visits = 0

  /// A node, and the number of its elements.
  private struct Item {
    let node: TreeNode<Element>
    let count: Int
    /// Whether the checked-out leaf is this node, or under it.
    let isOnPath: Bool
  }

  /// Compares two trees. O(nodes not shared + log n).
  init(_ old: GapTree<Element>, _ new: GapTree<Element>) {
    (self.old, self.new) = (old, new)
    compare(
      [Item(node: old.root, count: old.count, isOnPath: true)],
      [Item(node: new.root, count: new.count, isOnPath: true)],
      Hunk(old: 0..<old.count, new: 0..<new.count))
  }

  /// Compares nodes of one height on each side, which hold the elements of `box`.
  private mutating func compare(_ old: [Item], _ new: [Item], _ box: Hunk) {
    guard let oldHeight = old.first?.node.height, let newHeight = new.first?.node.height else {
      if !box.isEmpty { stretches.append(box) }
      return
    }
    visits += old.count + new.count
    if oldHeight > newHeight { return compare(children(old, in: self.old), new, box) }
    if oldHeight < newHeight { return compare(old, children(new, in: self.new), box) }

    let shared = commonSubsequence(
      old.map { ObjectIdentifier($0.node) }, new.map { ObjectIdentifier($0.node) }
    ).filter { !old[$0.old].isOnPath && !new[$0.new].isOnPath }
    var (a, b) = (0, 0)
    var place = (old: box.old.lowerBound, new: box.new.lowerBound)
    for match in shared + [(old.count, new.count)] {
      let (oldPart, newPart) = (old[a..<match.old], new[b..<match.new])
      let end = (old: place.old + count(oldPart), new: place.new + count(newPart))
      let box = Hunk(old: place.old..<end.old, new: place.new..<end.new)
      compareInside(oldPart, newPart, box)
      guard match.old < old.count else { break }
      (a, b) = (match.old + 1, match.new + 1)
      place = (end.old + old[match.old].count, end.new + old[match.old].count)
    }
  }

  /// Compares nodes of one height, none of which are shared.
  private mutating func compareInside(
    _ old: ArraySlice<Item>, _ new: ArraySlice<Item>, _ box: Hunk
  ) {
    let isAtLeaves = (old.first ?? new.first)?.node.height == 0
    if isAtLeaves || old.isEmpty || new.isEmpty {
      if !box.isEmpty { stretches.append(box) }
    } else {
      compare(children(old, in: self.old), children(new, in: self.new), box)
    }
  }

  private func count(_ items: ArraySlice<Item>) -> Int { items.reduce(0) { $0 + $1.count } }

  private func children(_ items: some Sequence<Item>, in tree: GapTree<Element>) -> [Item] {
    let change = tree.leaf.count - tree.stored.index
    return items.flatMap { item in
      item.node.children.enumerated().map { number, child in
        let isOnPath = item.isOnPath && number == tree.path[item.node.height]
        return Item(
          node: child.node, count: child.total.index + (isOnPath ? change : 0), isOnPath: isOnPath)
      }
    }
  }
}
