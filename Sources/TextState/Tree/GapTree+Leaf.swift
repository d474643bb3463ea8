/// Checking a leaf out of the tree, and in again.
extension GapTree {
  /// Checks out the leaf that holds the element at `index`. O(log n).
  @inline(__always)
  func checkOut(leafHolding index: Int) {
    if !leafRange.contains(index) { exchange(forLeafHolding: index) }
  }

  @inline(never)
  private func exchange(forLeafHolding index: Int) {
    precondition(index >= 0 && index < count)
    checkIn()
    checkOutOfTree(leafHolding: index)
  }

  /// Puts the checked-out leaf back. Until `checkOutOfTree`, the tree has all its leaves, and all
  /// its counts are right. O(log n).
  func checkIn() {
    leaf.trim()
    if Element.Measure.isUpperBound { leafMeasure = Position(of: leaf).measure }
    let total = Position(index: leaf.count, measure: leafMeasure)
    if leaf.count < limits.leafCountMin, root.height > 0 {
      let all = joinedAround()
      root = all.node
    } else {
      if !isKnownUniquelyReferenced(&root) { root = root.copy() }
      // The leaf's storage moves: a second reference to it would be retained and released.
      var content: GapBuffer<Element>? = leaf
      leaf = emptyLeaf
      checkIn(&content, total)
    }
    rest += total
  }

  /// All of the tree, with the checked-out leaf joined to its neighbours.
  private func joinedAround() -> Node.Child {
    let tree = storedTree
    let head = Node.prefix(tree, start.index, limits)
    let tail = Node.suffix(tree, from: start.index + stored.index, limits)
    let middle = leaf.count > 0 ? Node.Child(Node(leaf)) : nil
    let all = Node.join(Node.join(head, middle, limits), tail, limits)
    return all ?? Node.Child(Node(GapBuffer()))
  }

  /// The tree as its nodes count it, with a leaf in it that must not be read.
  private var storedTree: Node.Child { Node.Child(node: root, total: rest + stored) }

  /// Checks out the leaf with the element at `index`, of a tree that has all its leaves. In an
  /// empty tree that is the only leaf, whatever the index.
  func checkOutOfTree(leafHolding index: Int) {
    if !isKnownUniquelyReferenced(&root) { root = root.copy() }
    (start, path, stored) = (Position(), TreePath(), rest)
    checkOut(under: root, leafHolding: index)
    // A node that was copied shares its elements with the original.
    leaf.makeUnique()
    leafMeasure = stored.measure
    rest = rest - stored
  }

  /// Replaces `range` by elements that do not fit into one leaf.
  func rebuild(_ range: Range<Int>, with elements: UnsafeBufferPointer<Element>) {
    rebuild(range, with: Node.build(elements, limits), count: elements.count)
  }

  /// Replaces `range` by `count` elements, which `next` returns in order. For few, `replace` takes less. O(elements +
  /// log n).
  func rebuild(_ range: Range<Int>, count: Int, next: () -> Element) {
    rebuild(range, with: Node.build(count: count, limits, next: next), count: count)
  }

  /// Replaces `range` by a tree of `count` elements.
  private func rebuild(_ range: Range<Int>, with middle: Node.Child?, count: Int) {
    checkIn()
    let tree = Node.Child(node: root, total: rest)
    let head = Node.join(Node.prefix(tree, range.lowerBound, limits), middle, limits)
    let tail = Node.suffix(tree, from: range.upperBound, limits)
    let all = Node.join(head, tail, limits) ?? Node.Child(Node(GapBuffer()))
    (root, rest) = (all.node, all.total)
    // The next edit is most likely after the inserted elements.
    checkOutOfTree(leafHolding: max(0, range.lowerBound + count - 1))
  }
}

extension GapTree<UInt16> {
  /// Replaces `range` by the units of these bytes. O(bytes + log n).
  func rebuild(_ range: Range<Int>, withUnitsAsBytes bytes: UnsafeBufferPointer<UInt8>) {
    let middle = Node.build(count: bytes.count, limits) { TreeNode(packed: Array(bytes[$0])) }
    rebuild(range, with: middle, count: bytes.count)
  }
}

// The path to a leaf. Nodes are walked by references that are not counted, since counting costs more
// than all else. Each node on the path is kept by its parent and the root by the tree, and neither
// changes meanwhile.
extension GapTree {
  /// Puts a leaf's elements back under the root, and corrects the counts on the path. The root must
  /// not be shared.
  private func checkIn(_ leaf: inout GapBuffer<Element>?, _ total: Position) {
    var node = Unmanaged.passUnretained(root)
    var change = total - stored
    if Element.Measure.isUpperBound { change.measure = .zero }
    while true {
      // Kept by its parent, see above.
      let next = node._withUnsafeGuaranteedRef { node -> Unmanaged<Node>? in
        guard node.height > 0 else {
          swap(&node.elements, &leaf)
          return nil
        }
        let number = path[node.height]
        node.makeOwn(number)
        // All nodes above the leaf grow by the same amount as the leaf.
        node.children[number].total =
          node.height == 1 ? total : node.children[number].total + change
        return Unmanaged.passUnretained(node.children[number].node)
      }
      guard let next else { break }
      node = next
    }
    if Element.Measure.isUpperBound { root.addUp(path) }
  }

  /// Checks out the leaf with the element at `index`. The root must not be shared.
  private func checkOut(under root: Node, leafHolding index: Int) {
    var node = Unmanaged.passUnretained(root)
    var before = Position()
    while true {
      // Kept by its parent, see above.
      let next = node._withUnsafeGuaranteedRef { node -> Unmanaged<Node>? in
        node.hashCache.forget()
        guard node.height > 0 else {
          guard let content = node.checkOutContent() else {
            preconditionFailure("two leaves are checked out")
          }
          leaf = content
          return nil
        }
        let number = node.children.withUnsafeBufferPointer { children in
          var number = 0
          while index >= before.index + children[number].total.index {
            before += children[number].total
            number += 1
          }
          stored = children[number].total
          return number
        }
        path[node.height] = number
        node.makeOwn(number)
        return Unmanaged.passUnretained(node.children[number].node)
      }
      guard let next else { break }
      node = next
    }
    start = before
  }
}

extension GapTree {
  /// Splits the checked-out leaf, in which `range` lies, if its parent has room for two. The half
  /// that holds the range, or its end, is then checked out. Returns false if the tree must be
  /// rebuilt instead. O(size of a leaf + log n).
  func splitLeaf(at range: Range<Int>) -> Bool {
    guard root.height > 0, leaf.count >= 2 * limits.leafCountMin, leaf.count >= 4 else {
      return false
    }
    let middle = leaf.count / 2
    let (left, right) = (leaf.copy(0..<middle), leaf.copy(middle..<leaf.count))
    let (leftTotal, rightTotal) = (Position(of: left), Position(of: right))
    if !isKnownUniquelyReferenced(&root) { root = root.copy() }
    guard root.split(path, (left, leftTotal), (right, rightTotal), limits) else { return false }

    let isRight = range.upperBound - start.index > middle
    if isRight { path[1] += 1 }
    root.checkOut(path)
    if isRight { start += leftTotal }
    leaf = isRight ? right : left
    stored = isRight ? rightTotal : leftTotal
    leafMeasure = stored.measure
    // As if both were checked in and one out again: an upper bound keeps what both have.
    rest = rest + leftTotal + rightTotal - stored
    return true
  }
}

extension TreeNode {
  /// Replaces the leaf at `path` by two, and corrects the counts on the path. Returns false if their
  /// parent has no room; then no element has changed. This node must be an inner node that is not
  /// shared.
  fileprivate func split(
    _ path: TreePath, _ left: (GapBuffer<Element>, TreePosition<Element>),
    _ right: (GapBuffer<Element>, TreePosition<Element>), _ limits: TreeLimits
  ) -> Bool {
    let number = path[height]
    guard height > 1 else {
      guard children.count < limits.childCountMax else { return false }
      children[number] = Child(node: TreeNode(left.0), total: left.1)
      children.insert(Child(node: TreeNode(right.0), total: right.1), at: number + 1)
      return true
    }
    makeOwn(number)
    guard children[number].node.split(path, left, right, limits) else { return false }
    children[number].total = children[number].node.total
    return true
  }

  /// Adds up the measures of the nodes on the path to the leaf at `path`. For measures that are
  /// only upper bounds until then.
  fileprivate func addUp(_ path: TreePath) {
    guard height > 1 else { return }
    let number = path[height]
    children[number].node.addUp(path)
    children[number].total = children[number].node.total
  }

  /// Removes the elements from the leaf at `path`. The nodes on the path must not be shared.
  fileprivate func checkOut(_ path: TreePath) {
    if height == 0 { elements = nil } else { children[path[height]].node.checkOut(path) }
  }

  /// Copies a child if it is shared.
  @inline(__always)
  fileprivate func makeOwn(_ number: Int) {
    if !isKnownUniquelyReferenced(&children[number].node) {
      children[number].node = children[number].node.copy()
    }
  }
}
