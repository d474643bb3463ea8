/// A node of a B+ tree: a leaf with elements, or an inner node with children of one height less.
///
/// A node that more than one tree or parent holds is never changed. While a leaf is checked out
/// (`GapTree`), its node has neither `elements` nor `packed` and is not read.
final class TreeNode<Element: TreeElement>: @unchecked Sendable {
  // Safe to share between threads: a node is changed only by a tree that holds the one way to
  // it, during that tree's own exclusive mutation; nodes that are shared are only read, but for
  // the hash, which is atomic.

  /// Nodes on the way down to a leaf; 0 for a leaf.
  let height: Int
  /// A leaf's content, if it is not packed.
  @exclusivity(unchecked) var elements: GapBuffer<Element>?
  /// A leaf's content in `Element`'s packed form, or empty. It is unpacked when the leaf is checked
  /// out.
  @exclusivity(unchecked) var packed: [UInt8] = []
  /// An inner node's children, in order.
  @exclusivity(unchecked) var children: [Child]
  /// The hash of the leaves under this node, once it was computed. Dropped when one is checked out.
  let hashCache = HashCache()

  /// A child, and the total of its leaves.
  struct Child {
    var node: TreeNode
    var total: TreePosition<Element>
  }

  /// A leaf.
  init(_ elements: GapBuffer<Element>) { (height, self.elements, children) = (0, elements, []) }

  /// A packed leaf.
  init(packed: [UInt8]) { (height, elements, self.packed, children) = (0, nil, packed, []) }

  /// An inner node.
  init(height: Int, _ children: [Child]) {
    (self.height, elements, self.children) = (height, nil, children)
  }

  /// The same content, to be changed. Children are shared.
  func copy() -> TreeNode {
    if let elements { return TreeNode(elements) }
    if isPacked { return TreeNode(packed: packed) }
    return TreeNode(height: height, children)
  }

  /// What all leaves hold together. O(children), or O(elements) of a leaf.
  var total: TreePosition<Element> {
    if isPacked, Element.Measure.self == NoMeasure.self { return TreePosition(index: packedCount) }
    if let buffer, isPacked { return TreePosition(of: buffer) }
    if let elements { return TreePosition(of: elements) }
    return children.reduce(into: TreePosition()) { $0 += $1.total }
  }
}

extension TreeNode {
  /// True if this is a packed leaf.
  @inline(__always)
  var isPacked: Bool { Element.isPackable && !packed.isEmpty }

  /// The number of elements of a packed leaf.
  @inline(__always)
  var packedCount: Int { Element.count(inPacked: packed) }

  /// The element at `index` of a packed leaf. O(1).
  @inline(__always)
  func packedElement(_ index: Int) -> Element {
    precondition(index >= 0 && index < packedCount)
    return packed.withUnsafeBytes { Element.element(index, inPacked: $0) }
  }

  /// A leaf's content, or nil if it is checked out. O(1), or O(elements) if it is packed.
  @inline(__always)
  var buffer: GapBuffer<Element>? { !isPacked ? elements : unpacked(0..<packedCount) }

  /// A range of a packed leaf's elements. O(range).
  @inline(never)
  func unpacked(_ range: Range<Int>) -> GapBuffer<Element> {
    precondition(range.lowerBound >= 0 && range.upperBound <= packedCount)
    return packed.withUnsafeBytes { bytes in
      GapBuffer(count: range.count) { target in
        // The target has room for as many, and the range lies inside the leaf.
        for index in 0..<range.count {
          target.initializeElement(
            at: index, to: Element.element(range.lowerBound &+ index, inPacked: bytes))
        }
      }
    }
  }

  /// Removes a leaf's content from this node, which must not be shared, and returns it.
  @inline(__always)
  func checkOutContent() -> GapBuffer<Element>? {
    if !isPacked { return elements.take() }
    defer { packed = [] }
    return unpacked(0..<packedCount)
  }
}

extension TreeNode.Child {
  init(_ node: TreeNode<Element>) { self.init(node: node, total: node.total) }
}

extension TreePosition {
  /// All of a leaf.
  init(of elements: GapBuffer<Element>) {
    index = elements.count
    // Nothing to add up, nothing to look at.
    guard Element.Measure.self != NoMeasure.self else { return }
    elements.withChunks(in: 0..<index) { chunk in
      for element in chunk { measure += element.measure }
    }
  }

  static func += (left: inout Self, right: Self) {
    left.index += right.index
    left.measure += right.measure
  }

  static func + (left: Self, right: Self) -> Self {
    Self(index: left.index + right.index, measure: left.measure + right.measure)
  }

  static func - (left: Self, right: Self) -> Self {
    Self(index: left.index - right.index, measure: left.measure - right.measure)
  }
}
