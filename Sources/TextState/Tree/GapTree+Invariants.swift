extension GapTree {
  /// The first violated invariant of those listed at `GapTree`, or nil. O(n); for tests.
  func invariantViolation() -> String? {
    let counted = Position(of: leaf)
    guard leafMeasure.agrees(with: counted.measure) else {
      return "the checked-out leaf has a wrong measure"
    }
    guard leaf.count > 0 || rest.index == 0 else { return "the checked-out leaf is empty" }
    guard leaf.count <= limits.leafCountMax else { return "the checked-out leaf is too full" }
    var seen = Position()
    var place: Position?
    if let violation = violation(root, isOnPath: true, Position(), &seen, &place) {
      return violation
    }
    guard let place, place.index == start.index, start.measure.agrees(with: place.measure) else {
      return "the checked-out leaf has a wrong position"
    }
    let others = seen - stored
    guard others.index == rest.index, rest.measure.agrees(with: others.measure) else {
      return "the other leaves have a wrong total"
    }
    return nil
  }

  private func violation(
    _ node: Node, isOnPath: Bool, _ before: Position, _ seen: inout Position,
    _ place: inout Position?
  ) -> String? {
    guard !isOnPath || node.hashCache.hash == nil else {
      return "a hash is kept while a leaf is checked out"
    }
    guard node.height > 0 else {
      if isOnPath { place = before }
      return leafViolation(node, isOnPath: isOnPath, &seen)
    }
    guard node.buffer == nil else { return "an inner node has elements" }
    let least = node === root ? 2 : limits.childCountMin
    guard (least...limits.childCountMax).contains(node.children.count) else {
      return "an inner node has \(node.children.count) children"
    }
    for (number, child) in node.children.enumerated() {
      guard child.node.height == node.height - 1 else { return "a child is at a wrong height" }
      let isChildOnPath = isOnPath && number == path[node.height]
      var total = Position()
      let found = violation(
        child.node, isOnPath: isChildOnPath, before + seen, &total, &place)
      if let found { return found }
      guard total.index == child.total.index, child.total.measure.agrees(with: total.measure) else {
        return "a child is counted as \(child.total), not \(total)"
      }
      seen += total
    }
    return nil
  }

  private func leafViolation(
    _ node: Node, isOnPath: Bool, _ seen: inout Position
  ) -> String? {
    guard node.children.isEmpty else { return "a leaf has children" }
    guard isOnPath == (node.buffer == nil) else { return "the wrong leaf is checked out" }
    let total = node.buffer.map { Position(of: $0) } ?? stored
    seen += total
    guard isOnPath || (max(1, limits.leafCountMin)...limits.leafCountMax).contains(total.index)
    else { return "a leaf has \(total.index) elements" }
    return nil
  }
}
