extension GapTree {
  /// The hash of the numbers that stand for the elements, which `append` adds to it. Always asked
  /// for with the same numbers. Nodes keep theirs, so that after an edit only the leaves that it
  /// changed and the nodes above them are hashed again.
  ///
  /// O(leaves changed since they were last hashed + log n): those that shared nodes have kept, and
  /// the checked-out leaf, which keeps none. `hashed` grows by the number of elements read.
  func hash(
    _ hashed: inout Int, _ append: (UnsafeBufferPointer<Element>, inout PolynomialHash) -> Void
  ) -> PolynomialHash {
    hash(of: root, isOnPath: true, &hashed, append)
  }

  private func hash(
    of node: Node, isOnPath: Bool, _ hashed: inout Int,
    _ append: (UnsafeBufferPointer<Element>, inout PolynomialHash) -> Void
  ) -> PolynomialHash {
    if !isOnPath, let hash = node.hashCache.hash { return hash }
    var hash = PolynomialHash()
    if node.height > 0 {
      for number in node.children.indices {
        let isChildOnPath = isOnPath && number == path[node.height]
        hash.append(
          self.hash(of: node.children[number].node, isOnPath: isChildOnPath, &hashed, append))
      }
    } else if let elements = isOnPath ? leaf : node.buffer {
      elements.withChunks(in: 0..<elements.count) { append($0, &hash) }
      hashed += elements.count
    }
    if !isOnPath { node.hashCache.keep(hash) }
    return hash
  }
}
