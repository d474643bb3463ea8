/// Taking a leaf out of the tree, and putting it back.
extension GapTree {
  /// Makes the leaf that holds the element at `index` the one that is out. O(log n).
  @inline(__always)
  func takeOut(leafHolding index: Int) {
    if !leafRange.contains(index) { exchange(forLeafHolding: index) }
  }

  @inline(never)
  private func exchange(forLeafHolding index: Int) {
    precondition(index >= 0 && index < count)
    putBack()
    takeOutOfTree(leafHolding: index)
  }

  /// Puts the leaf back: the tree holds everything and is right everywhere, and no leaf is out
  /// until `takeOutOfTree`. O(log n).
  func putBack() {
    leaf.trim()
    if Element.Measure.isBound { leafMeasure = Position(of: leaf).measure }
    let total = Position(index: leaf.count, measure: leafMeasure)
    if leaf.count < limits.leafCountMin, root.height > 0 {
      let all = joinedAround()
      root = all.node
    } else {
      if !isKnownUniquelyReferenced(&root) { root = root.copy() }
      // The leaf's storage moves: a second reference to it would be counted and let go of.
      var content: GapBuffer<Element>? = leaf
      leaf = nothing
      putBack(&content, total)
    }
    rest += total
  }

  /// All of the tree, the leaf that is out joined with what is beside it.
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

  /// Takes the leaf with the element at `index` out of a tree that has all its leaves. In an
  /// empty tree that is the only leaf, whatever the index.
  func takeOutOfTree(leafHolding index: Int) {
    if !isKnownUniquelyReferenced(&root) { root = root.copy() }
    (start, path, stored) = (Position(), TreePath(), rest)
    takeOut(under: root, leafHolding: index)
    // A node that was copied shares its elements with the original.
    leaf.makeUnique()
    leafMeasure = stored.measure
    rest = rest - stored
  }

  /// Replaces what does not fit into one leaf.
  func rebuild(_ range: Range<Int>, with elements: UnsafeBufferPointer<Element>) {
    rebuild(range, with: Node.build(elements, limits), count: elements.count)
  }

  /// Replaces `range` by a tree of `count` elements.
  private func rebuild(_ range: Range<Int>, with middle: Node.Child?, count: Int) {
    putBack()
    let tree = Node.Child(node: root, total: rest)
    let head = Node.join(Node.prefix(tree, range.lowerBound, limits), middle, limits)
    let tail = Node.suffix(tree, from: range.upperBound, limits)
    let all = Node.join(head, tail, limits) ?? Node.Child(Node(GapBuffer()))
    (root, rest) = (all.node, all.total)
    // Whoever edits next most likely goes on behind what was put in.
    takeOutOfTree(leafHolding: max(0, range.lowerBound + count - 1))
  }
}

extension GapTree<UInt16> {
  /// Replaces `range` by the units of these bytes. O(bytes + log n).
  func rebuild(_ range: Range<Int>, withUnitsAsBytes bytes: UnsafeBufferPointer<UInt8>) {
    let middle = Node.build(count: bytes.count, limits) { TreeNode(packed: Array(bytes[$0])) }
    rebuild(range, with: middle, count: bytes.count)
  }
}

// The ways to a leaf and back. Nodes are walked by references that are not counted, since counting
// costs more than all else: each node on the way is kept by its parent, the root by the tree, and
// nobody changes either meanwhile.
extension GapTree {
  /// Puts a leaf's elements back under the root, and counts them on the way. Nobody else holds the
  /// root.
  private func putBack(_ leaf: inout GapBuffer<Element>?, _ total: Position) {
    var node = Unmanaged.passUnretained(root)
    var change = total - stored
    if Element.Measure.isBound { change.measure = .zero }
    while true {
      // Kept by its parent, see above.
      let next = node._withUnsafeGuaranteedRef { node -> Unmanaged<Node>? in
        guard node.height > 0 else {
          swap(&node.elements, &leaf)
          return nil
        }
        let number = path[node.height]
        node.makeOwn(number)
        // What the leaf grew by is what all above it grew by.
        node.children[number].total =
          node.height == 1 ? total : node.children[number].total + change
        return Unmanaged.passUnretained(node.children[number].node)
      }
      guard let next else { break }
      node = next
    }
    if Element.Measure.isBound { root.addUp(path) }
  }

  /// Takes out the leaf with the element at `index`. Nobody else holds the root.
  private func takeOut(under root: Node, leafHolding index: Int) {
    var node = Unmanaged.passUnretained(root)
    var before = Position()
    while true {
      // Kept by its parent, see above.
      let next = node._withUnsafeGuaranteedRef { node -> Unmanaged<Node>? in
        node.hashCache.forget()
        guard node.height > 0 else {
          guard let content = node.takeContent() else {
            preconditionFailure("two leaves are out")
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
  /// Cuts the leaf that is out in two, where it has no room, and its parent has. Then that which
  /// holds the place at `index` is out. False where the tree must be rebuilt. O(size of a leaf +
  /// log n).
  func splitLeaf(at index: Int) -> Bool {
    guard root.height > 0, leaf.count >= 2 * limits.leafCountMin, leaf.count >= 4 else {
      return false
    }
    let middle = leaf.count / 2
    let (left, right) = (leaf.copy(0..<middle), leaf.copy(middle..<leaf.count))
    let (leftTotal, rightTotal) = (Position(of: left), Position(of: right))
    if !isKnownUniquelyReferenced(&root) { root = root.copy() }
    guard root.split(path, (left, leftTotal), (right, rightTotal), limits) else { return false }

    let isRight = index - start.index > middle
    if isRight { path[1] += 1 }
    root.takeOut(path)
    rest += isRight ? leftTotal : rightTotal
    if isRight { start += leftTotal }
    leaf = isRight ? right : left
    stored = isRight ? rightTotal : leftTotal
    leafMeasure = stored.measure
    return true
  }
}

extension TreeNode {
  /// Puts two leaves in the place of the one at `path`, and counts them on the way. False, with
  /// nothing changed but that nodes are this tree's own, where their parent has no room. Nobody
  /// else holds this node, which is no leaf.
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

  /// Adds up what nodes on the way to the leaf at `path` hold, where that is only bound by what
  /// was there before.
  fileprivate func addUp(_ path: TreePath) {
    guard height > 1 else { return }
    let number = path[height]
    children[number].node.addUp(path)
    children[number].total = children[number].node.total
  }

  /// Takes the elements of the leaf at `path`. Nobody else holds the nodes on the way.
  fileprivate func takeOut(_ path: TreePath) {
    if height == 0 { elements = nil } else { children[path[height]].node.takeOut(path) }
  }

  /// Makes a child this node's own, which nobody else holds.
  @inline(__always)
  fileprivate func makeOwn(_ number: Int) {
    if !isKnownUniquelyReferenced(&children[number].node) {
      children[number].node = children[number].node.copy()
    }
  }
}
