/// Joins and splits trees by the textbook algorithms: only nodes next to the seam are rebuilt, all
/// others are shared. Nodes are children with their totals, so that nothing is added up
/// twice; a tree without elements is nil.
extension TreeNode {
  /// Joins trees whose elements follow one another. O(difference of heights).
  static func join(_ left: Child?, _ right: Child?, _ limits: TreeLimits) -> Child? {
    guard let left else { return right }
    guard let right else { return left }
    let pair = merge(left, right, limits)
    guard let second = pair.second else { return pair.first }
    return Child(TreeNode(height: pair.first.node.height + 1, [pair.first, second]))
  }

  /// The first `count` elements. O(height).
  static func prefix(_ tree: Child, _ count: Int, _ limits: TreeLimits) -> Child? {
    if count == 0 { return nil }
    if count == tree.total.index { return tree }
    if let elements = tree.node.buffer { return leaf(elements, 0..<count) }
    let (number, before) = tree.node.child(holding: count - 1)
    let head = parent(tree.node.children[..<number])
    return join(head, prefix(tree.node.children[number], count - before, limits), limits)
  }

  /// All elements but the first `count`. O(height).
  static func suffix(_ tree: Child, from count: Int, _ limits: TreeLimits) -> Child? {
    if count == 0 { return tree }
    if count == tree.total.index { return nil }
    if let elements = tree.node.buffer { return leaf(elements, count..<elements.count) }
    let (number, before) = tree.node.child(holding: count)
    let tail = parent(tree.node.children[(number + 1)...])
    return join(suffix(tree.node.children[number], from: count - before, limits), tail, limits)
  }

  /// A tree of these elements, its leaves full. O(elements).
  static func build(_ elements: UnsafeBufferPointer<Element>, _ limits: TreeLimits) -> Child? {
    build(count: elements.count, limits) { leaf(elements.extracting($0)) }
  }

  /// A tree of `count` elements, which `next` returns in order: no other memory is taken than that of
  /// the tree. O(elements).
  static func build(count: Int, _ limits: TreeLimits, next: () -> Element) -> Child? {
    var part: [Element] = []
    part.reserveCapacity(min(count, limits.leafCountMax))
    return build(count: count, limits) { (range: Range<Int>) in
      part.removeAll(keepingCapacity: true)
      for _ in range { part.append(next()) }
      return part.withUnsafeBufferPointer(leaf)
    }
  }

  private static func leaf(_ elements: UnsafeBufferPointer<Element>) -> TreeNode {
    if let packed = Element.packed(elements) { return TreeNode(packed: packed) }
    // The target has room for exactly these.
    return TreeNode(
      GapBuffer(count: elements.count) { _ = $0.initialize(fromContentsOf: elements) })
  }

  /// A tree of `count` elements; `leaf` returns the leaf with those of a range. O(elements).
  static func build(
    count: Int, _ limits: TreeLimits, _ leaf: (Range<Int>) -> TreeNode
  ) -> Child? {
    // As few leaves as possible, evenly filled, so that none is below the minimum.
    var level = even(0..<count, max: limits.leafCountMax).map { Child(leaf($0)) }
    while level.count > 1 {
      level = even(0..<level.count, max: limits.childCountMax).map {
        Child(TreeNode(height: level[0].node.height + 1, Array(level[$0])))
      }
    }
    return level.first
  }

  /// The child that holds the element at `index`, and the elements before that child.
  func child(holding index: Int) -> (number: Int, before: Int) {
    var (number, before) = (0, 0)
    while index >= before + children[number].total.index {
      before += children[number].total.index
      number += 1
    }
    return (number, before)
  }
}

extension TreeNode {
  /// Joins trees into one or two nodes as high as the higher.
  private static func merge(
    _ left: Child, _ right: Child, _ limits: TreeLimits
  ) -> (first: Child, second: Child?) {
    let (leftHeight, rightHeight) = (left.node.height, right.node.height)
    if leftHeight == 0, rightHeight == 0 { return mergeLeaves(left, right, limits) }
    if leftHeight == rightHeight {
      let min = limits.childCountMin
      if left.node.children.count >= min, right.node.children.count >= min { return (left, right) }
      return spread(left.node.children + right.node.children, leftHeight, limits)
    }
    var children = leftHeight > rightHeight ? left.node.children : right.node.children
    if leftHeight > rightHeight {
      let pair = merge(children.removeLast(), right, limits)
      children.append(pair.first)
      if let second = pair.second { children.append(second) }
    } else {
      let pair = merge(left, children[0], limits)
      children[0] = pair.first
      if let second = pair.second { children.insert(second, at: 1) }
    }
    return spread(children, max(leftHeight, rightHeight), limits)
  }

  private static func mergeLeaves(
    _ left: Child, _ right: Child, _ limits: TreeLimits
  ) -> (first: Child, second: Child?) {
    let count = left.total.index + right.total.index
    let min = limits.leafCountMin
    if count > limits.leafCountMax, left.total.index >= min, right.total.index >= min {
      return (left, right)
    }
    guard let a = left.node.buffer, let b = right.node.buffer else {
      preconditionFailure("a checked-out leaf cannot be joined")
    }
    let ranges = even(0..<count, max: limits.leafCountMax)
    let leaves = ranges.map { range in
      Child(
        TreeNode(
          GapBuffer(count: range.count) { target in
            let (head, tail) = (range.clamped(to: 0..<a.count), range.clamped(to: a.count..<count))
            // Head and tail are all of `range`, for which the target has room.
            a.copy(head, to: target.extracting(..<head.count))
            b.copy(
              tail.lowerBound - a.count..<tail.upperBound - a.count,
              to: target.extracting(head.count...))
          }))
    }
    return (leaves[0], leaves.count > 1 ? leaves[1] : nil)
  }

  /// One node of these children, or two if there are too many.
  private static func spread(
    _ children: [Child], _ height: Int, _ limits: TreeLimits
  ) -> (first: Child, second: Child?) {
    guard children.count > limits.childCountMax else {
      return (Child(TreeNode(height: height, children)), nil)
    }
    let middle = children.count / 2
    return (
      Child(TreeNode(height: height, Array(children[..<middle]))),
      Child(TreeNode(height: height, Array(children[middle...])))
    )
  }

  /// The parent of these siblings; a sibling alone needs none.
  private static func parent(_ siblings: ArraySlice<Child>) -> Child? {
    guard let first = siblings.first else { return nil }
    if siblings.count == 1 { return first }
    return Child(TreeNode(height: first.node.height + 1, Array(siblings)))
  }

  private static func leaf(_ elements: GapBuffer<Element>, _ range: Range<Int>) -> Child {
    // `range` lies inside the elements, and the target has room for as many.
    Child(TreeNode(GapBuffer(count: range.count) { elements.copy(range, to: $0) }))
  }

  /// `range` in as few parts of `max` at most as will do, none longer than another by more
  /// than 1.
  private static func even(_ range: Range<Int>, max: Int) -> [Range<Int>] {
    let count = (range.count + max - 1) / max
    return (0..<count).map { part in
      range.count * part / count..<range.count * (part + 1) / count
    }
  }
}
