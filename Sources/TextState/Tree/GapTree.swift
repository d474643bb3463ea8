/// A sequence of elements in a B+ tree of gap buffers. The leaf that was last edited is checked out
/// of the tree, so that the next edit nearby changes only that leaf.
///
/// A copy shares all nodes, and each side copies the nodes that it changes. It is an object and not
/// a value, so that typing never copies it by accident.
///
/// What always holds (`invariantViolation` checks it):
/// - all leaves are at one depth; none is empty, and none has more elements than the limits say;
///   an inner node has two children at least, and no more than the limits say;
/// - `leaf` is the content of the checked-out leaf, in storage that is not shared. The node at
///   `path` has no content. The nodes on the path count the leaf as `stored`; the counts of all
///   others are right;
/// - `start` is the total of the leaves before it, `leafMeasure` its own measure, `rest` the total
///   of all other leaves.
final class GapTree<Element: TreeElement>: @unchecked Sendable {
  // Safe to share between threads: see `StateCore`, which owns it.

  typealias Node = TreeNode<Element>
  typealias Position = TreePosition<Element>

  let limits: TreeLimits
  @exclusivity(unchecked) var root: Node
  /// The checked-out leaf: the one that was last edited.
  @exclusivity(unchecked) var leaf: GapBuffer<Element>
  /// The value of `leaf` while no leaf is checked out.
  let emptyLeaf = GapBuffer<Element>()
  /// The measure of `leaf`.
  @exclusivity(unchecked) var leafMeasure = Element.Measure.zero
  /// The total of the leaves before it.
  @exclusivity(unchecked) var start = Position()
  /// The total of all other leaves.
  @exclusivity(unchecked) var rest = Position()
  /// The total that the nodes on the path count for it.
  @exclusivity(unchecked) var stored = Position()
  /// Its path from the root.
  @exclusivity(unchecked) var path = TreePath()

  /// No elements, in a tree of these limits or the usual ones.
  init(limits: TreeLimits? = nil) {
    self.limits = limits ?? TreeLimits(leafCountMax: Element.leafCountMax)
    leaf = GapBuffer()
    root = Node(leaf)
    root.elements = nil
  }

  /// These elements. O(elements).
  convenience init(_ elements: [Element], limits: TreeLimits) {
    self.init(limits: limits)
    replace(0..<0, with: elements)
  }

  private init(copying other: GapTree) {
    limits = other.limits
    root = other.root
    (leaf, leafMeasure) = (other.leaf.copy(), other.leafMeasure)
    (start, rest, stored, path) = (other.start, other.rest, other.stored, other.path)
  }

  /// The same elements, in the same nodes. O(size of a leaf).
  func copy() -> GapTree { GapTree(copying: self) }

  /// The number of elements.
  @inline(__always) var count: Int { rest.index + leaf.count }

  /// What all elements add up to.
  var measure: Element.Measure { rest.measure + leafMeasure }

  /// The checked-out leaf, as a range of elements.
  @inline(__always) var leafRange: Range<Int> {
    // Counts are never negative.
    Range(uncheckedBounds: (start.index, start.index + leaf.count))
  }

  /// What comes before the leaf's end.
  var leafEnd: Position {
    Position(index: start.index + leaf.count, measure: start.measure + leafMeasure)
  }

  /// The element at `index`. O(1) in the leaf last edited, else O(log n).
  @inline(__always)
  subscript(index: Int) -> Element {
    let offset = index - start.index
    return offset >= 0 && offset < leaf.count ? leaf[offset] : distantElement(index)
  }

  @inline(never)
  private func distantElement(_ index: Int) -> Element {
    let (node, start) = place(of: index)
    let offset = index - start.index
    guard let node else { return leaf[offset] }
    if node.isPacked { return node.packedElement(offset) }
    return content(of: node)[offset]
  }

  /// The leaf that holds the element at `index`, and the total of everything before it. O(log n),
  /// and O(size of a leaf) if it is packed.
  func leaf(holding index: Int) -> (elements: GapBuffer<Element>, start: Position) {
    let (node, start) = place(of: index)
    return (node.map { content(of: $0) } ?? leaf, start)
  }

  /// The elements of a leaf that is not checked out.
  func content(of node: Node) -> GapBuffer<Element> {
    guard let elements = node.buffer else {
      preconditionFailure("the checked-out leaf has no elements in the tree")
    }
    return elements
  }

  /// The leaf that holds the element at `index`, or nil if it is checked out, and the total of the
  /// leaves before it. O(log n).
  func place(of index: Int) -> (node: Node?, start: Position) {
    precondition(index >= 0 && index < count)
    if leafRange.contains(index) { return (nil, start) }
    // After the checked-out leaf, the counts of the tree include its size when it was checked out.
    let isAfter = index >= start.index
    let shift = isAfter ? leaf.count - stored.index : 0
    var (node, before) = (root, Position())
    while node.height > 0 {
      var number = 0
      while index - shift >= before.index + node.children[number].total.index {
        before += node.children[number].total
        number += 1
      }
      node = node.children[number].node
    }
    if isAfter { before += leafEnd - start - stored }
    return (node, before)
  }

  /// Changes the element at `index`, and checks out its leaf.
  /// O(1) in the leaf last edited, else O(log n).
  @inline(__always)
  func update(_ index: Int, _ element: Element) {
    checkOut(leafHolding: index)
    let offset = index - start.index
    leafMeasure += element.measure - leaf[offset].measure
    leaf[offset] = element
  }

  /// Replaces `range` by `elements`. O(elements), plus O(log n) if this is not all in the leaf last
  /// edited. Removed subtrees are released as a whole.
  func replace(_ range: Range<Int>, with elements: UnsafeBufferPointer<Element>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if replaceInLeaf(range, with: elements) { return }
    if range.lowerBound < count {
      checkOut(leafHolding: range.lowerBound)
      if replaceInLeaf(range, with: elements) { return }
    }
    if range.isEmpty, range.lowerBound > 0 {
      checkOut(leafHolding: range.lowerBound - 1)
      if replaceInLeaf(range, with: elements) { return }
    }
    if elements.count > range.count, leafTouches(range.lowerBound, range.upperBound),
      splitLeaf(at: range), replaceInLeaf(range, with: elements)
    {
      return
    }
    rebuild(range, with: elements)
  }

  /// Puts `elements` in the place of `range`.
  func replace(_ range: Range<Int>, with elements: [Element]) {
    elements.withUnsafeBufferPointer { replace(range, with: $0) }
  }

  /// Adds one element. O(1) amortised if the checked-out leaf is the last.
  @inline(__always)
  func append(_ element: Element) {
    if leafTakes(1, inPlaceOf: count, count) {
      insertInLeaf(element, at: count)
    } else {
      replace(count..<count, with: [element])
    }
  }

  /// Inserts one element at `index`, in the checked-out leaf.
  @inline(__always)
  func insertInLeaf(_ element: Element, at index: Int) {
    leafMeasure += element.measure
    leaf.insertOwn(element, at: index &- start.index)
  }

  /// Removes elements without a measure from the checked-out leaf.
  @inline(__always)
  func removeInLeaf(_ range: Range<Int>) where Element.Measure == NoMeasure {
    leaf.removeOwn(range.lowerBound &- start.index..<range.upperBound &- start.index)
  }

  /// Changes the element at `index`, in the checked-out leaf, and what it adds up to by `change`.
  /// Returns it.
  @inline(__always) @discardableResult
  func updateInLeaf(
    _ index: Int, by change: Element.Measure, _ body: (inout Element) -> Void
  ) -> Element {
    leafMeasure += change
    return leaf.updateOwn(index &- start.index, body)
  }

  /// True if a range lies in the checked-out leaf, or at an end of it.
  @inline(__always)
  func leafTouches(_ lower: Int, _ upper: Int) -> Bool {
    lower >= start.index && upper <= start.index &+ leaf.count
  }

  /// True if the element at `index` is in the checked-out leaf.
  @inline(__always)
  func leafHolds(_ index: Int) -> Bool {
    index >= start.index && index < start.index &+ leaf.count
  }

  /// True if the range lies in the checked-out leaf, and replacing it by `newCount` elements leaves
  /// that leaf neither empty nor too full.
  @inline(__always)
  func leafTakes(_ newCount: Int, inPlaceOf lower: Int, _ upper: Int) -> Bool {
    // All of these are far from overflow.
    let newLeafCount = leaf.count &- (upper &- lower) &+ newCount
    return leafTouches(lower, upper) && newLeafCount <= limits.leafCountMax
      && (newLeafCount > 0 || rest.index == 0)
  }

  @inline(__always)
  private func replaceInLeaf(
    _ range: Range<Int>, with elements: UnsafeBufferPointer<Element>
  ) -> Bool {
    guard leafTakes(elements.count, inPlaceOf: range.lowerBound, range.upperBound) else {
      return false
    }
    // Both ends were seen to lie inside the leaf.
    let offsets = range.lowerBound - start.index..<range.upperBound - start.index
    if Element.Measure.self != NoMeasure.self {
      leaf.withChunks(in: offsets) { for element in $0 { leafMeasure -= element.measure } }
      for element in elements { leafMeasure += element.measure }
    }
    leaf.replace(offsets, with: elements)
    return true
  }
}
