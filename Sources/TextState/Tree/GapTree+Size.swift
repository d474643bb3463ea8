extension GapTree {
  /// An estimate of the memory of the nodes that `other` does not share, and of the checked-out
  /// leaf, in bytes. O(nodes that are not shared + log n).
  func size(besides other: GapTree?) -> Int {
    var size = leaf.memory
    var (own, others) = ([root], other.map { [$0.root] } ?? [])
    while let height = own.first?.height {
      // The trees may have different heights.
      if let first = others.first, first.height > height {
        others = others.flatMap { $0.children.map(\.node) }
        continue
      }
      if others.first?.height == height {
        let (mine, theirs) = (Set(own.map(ObjectIdentifier.init)), others)
        others.removeAll { mine.contains(ObjectIdentifier($0)) }
        let shared = Set(theirs.map(ObjectIdentifier.init))
        own.removeAll { shared.contains(ObjectIdentifier($0)) }
        others = others.flatMap { $0.children.map(\.node) }
      }
      size += own.reduce(0) { $0 + $1.memory }
      own = own.flatMap { $0.children.map(\.node) }
    }
    return size
  }
}

extension TreeNode {
  /// An estimate of the memory of this node without its children, in bytes.
  fileprivate var memory: Int {
    Self.ownSize + packed.count + (elements?.memory ?? 0)
      + children.count * MemoryLayout<Child>.stride
  }

  /// The object, and the headers of its arrays, in bytes.
  private static var ownSize: Int { 160 }
}
