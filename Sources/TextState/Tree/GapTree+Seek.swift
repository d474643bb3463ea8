import EditModel

extension GapTree {
  /// The last place up to which `skips` holds. It must hold for all places up to some
  /// place and for none after it. At the start it is assumed to hold. O(log n).
  ///
  /// In a tree of paragraphs, `seek { $0.measure.units <= offset }` is the start of the one that
  /// holds the unit at `offset`, since all that end at or before it are skipped.
  @inline(__always)
  func seek(_ skips: (Position) -> Bool) -> Position {
    var position = Position()
    // Not reference counted: the parent of each node keeps it alive, the tree keeps the root, and
    // neither changes meanwhile.
    var node = Unmanaged.passUnretained(root)
    var isOnPath = true
    // The difference between the checked-out leaf and its size in the tree's counts.
    let change = leafEnd - start - stored
    while let next = node._withUnsafeGuaranteedRef({ node -> Unmanaged<Node>? in
      guard node.height > 0 else { return nil }
      let onPath = isOnPath ? path[node.height] : -1
      return node.children.withUnsafeBufferPointer { children in
        var number = 0
        while number < children.count - 1 {
          var end = position + children[number].total
          if number == onPath { end += change }
          if !skips(end) { break }
          position = end
          number += 1
        }
        isOnPath = number == onPath
        return Unmanaged.passUnretained(children[number].node)
      }
    }) {
      node = next
    }
    return node._withUnsafeGuaranteedRef { node in
      if !isOnPath, node.isPacked { return Self.seek(inPacked: node, from: position, skips) }
      guard let elements = isOnPath ? leaf : node.elements else { return position }
      return Self.seek(in: elements, from: position, skips)
    }
  }

  /// As `seek(in:)`, without memory for the elements.
  private static func seek(
    inPacked leaf: Node, from position: Position, _ skips: (Position) -> Bool
  ) -> Position {
    var position = position
    for index in 0..<leaf.packedCount {
      let measure = leaf.packedElement(index).measure
      let end = Position(index: position.index &+ 1, measure: position.measure + measure)
      if !skips(end) { break }
      position = end
    }
    return position
  }

  @inline(__always)
  private static func seek(
    in elements: GapBuffer<Element>, from position: Position, _ skips: (Position) -> Bool
  ) -> Position {
    var position = position
    var isDone = false
    elements.withChunks(in: 0..<elements.count) { chunk in
      if isDone { return }
      for element in chunk {
        let end = Position(index: position.index &+ 1, measure: position.measure + element.measure)
        isDone = !skips(end)
        if isDone { return }
        position = end
      }
    }
    return position
  }

  /// What comes before the element at `index`, which may be `count`. O(log n).
  func position(at index: Int) -> Position { seek { $0.index <= index } }

  /// Calls `body` with the contiguous pieces of `range`, in order. O(log n + pieces).
  func withChunks<E: Error>(
    in range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) throws(E) -> Void
  ) throws(E) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var next = range.lowerBound
    while next < range.upperBound {
      let (node, start) = place(of: next)
      if let node, node.isPacked {
        let end = min(range.upperBound, start.index + node.packedCount)
        let part = node.unpacked(next - start.index..<end - start.index)
        try part.withChunks(in: 0..<part.count, body)
        next = end
      } else {
        let elements = node.map { content(of: $0) } ?? leaf
        let end = min(range.upperBound, start.index + elements.count)
        try elements.withChunks(in: next - start.index..<end - start.index, body)
        next = end
      }
    }
  }

  /// The elements of `range`. O(log n + range).
  func elements(in range: Range<Int>) -> [Element] {
    if range.isEmpty { return [] }
    return [Element](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      // The chunks add up to `range.count` elements, the buffer's capacity.
      withChunks(in: range) { initialized = buffer[initialized...].initialize(fromContentsOf: $0) }
    }
  }
}

/// Reads elements of one tree one by one, each leaf looked up once.
struct TreeReader<Element: TreeElement>: Sendable {
  private var elements = GapBuffer<Element>()
  private var start = 0

  /// The element at `index` of the tree, always the same one. O(1) in the leaf last read, else
  /// O(log n).
  mutating func element(at index: Int, of tree: GapTree<Element>) -> Element {
    if index < start || index >= start + elements.count {
      let leaf = tree.leaf(holding: index)
      (elements, start) = (leaf.elements, leaf.start.index)
    }
    return elements[index - start]
  }
}

extension GapTree {
  /// The place before the first element for which `isBefore` does not hold. It must hold for all
  /// elements up to some one, and for none from there on. O(log² n), of which the square is
  /// that of the height alone, plus O(size of a leaf) if elements have a measure.
  func partitionPoint(_ isBefore: (Element) -> Bool) -> Position {
    var position = Position()
    var node = root
    var isOnPath = true
    let change = leafEnd - start - stored
    while node.height > 0 {
      let onPath = isOnPath ? path[node.height] : -1
      // The child before the first one whose first element is not before.
      let number =
        (1..<node.children.count).partitionPoint { number in
          first(of: node.children[number].node, isOnPath: number == onPath).map(isBefore) ?? false
        } - 1
      for before in 0..<number { position += node.children[before].total }
      if onPath >= 0, onPath < number { position += change }
      isOnPath = number == onPath
      node = node.children[number].node
    }
    if !isOnPath, node.isPacked {
      let count = (0..<node.packedCount).partitionPoint { isBefore(node.packedElement($0)) }
      position.index += count
      if Element.Measure.self != NoMeasure.self {
        for index in 0..<count { position.measure += node.packedElement(index).measure }
      }
      return position
    }
    guard let elements = isOnPath ? leaf : node.elements else { return position }
    let count = (0..<elements.count).partitionPoint { isBefore(elements[$0]) }
    position.index += count
    if Element.Measure.self != NoMeasure.self {
      elements.withChunks(in: 0..<count) {
        for element in $0 { position.measure += element.measure }
      }
    }
    return position
  }

  /// The first element under a node.
  private func first(of node: Node, isOnPath: Bool) -> Element? {
    var (node, isOnPath) = (node, isOnPath)
    while node.height > 0 {
      isOnPath = isOnPath && path[node.height] == 0
      node = node.children[0].node
    }
    if !isOnPath, node.isPacked { return node.packedElement(0) }
    guard let elements = isOnPath ? leaf : node.elements, elements.count > 0 else { return nil }
    return elements[0]
  }
}
