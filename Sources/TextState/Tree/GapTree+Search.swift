/// Searches that skip subtrees without matches.
extension GapTree {
  /// An element, and the totals of everything before it.
  typealias Found = (element: Element, place: Position)

  /// The first element from `index` on for which `isWanted` holds. It must hold for none of a
  /// group of elements that add up to what `mayHold` refuses. O(log n + leaves not refused).
  func first(
    from index: Int, inWhat mayHold: (Element.Measure) -> Bool, where isWanted: (Element) -> Bool
  ) -> Found? {
    first(in: root, isOnPath: true, Position()) { node, place in
      place.index + node.index > index && mayHold(node.measure)
    } where: { element, place in
      place.index >= index && isWanted(element)
    }
  }

  /// The last element before `index` for which `isWanted` holds. It must hold for none of a group
  /// of elements that add up to what `mayHold` refuses. O(log n + leaves not refused).
  func last(
    before index: Int, inWhat mayHold: (Element.Measure) -> Bool, where isWanted: (Element) -> Bool
  ) -> Found? {
    last(in: root, isOnPath: true, leafEnd + (rest - start)) { node, place in
      place.index < index && mayHold(node.measure)
    } where: { element, place in
      place.index < index && isWanted(element)
    }
  }

  private func first(
    in node: Node, isOnPath: Bool, _ place: Position,
    enters: (Position, Position) -> Bool, where isWanted: (Element, Position) -> Bool
  ) -> Found? {
    var place = place
    guard node.height > 0 else {
      guard let elements = isOnPath ? leaf : node.buffer else { return nil }
      for index in 0..<elements.count {
        let element = elements[index]
        if isWanted(element, place) { return (element, place) }
        place += Position(index: 1, measure: element.measure)
      }
      return nil
    }
    for (number, child) in node.children.enumerated() {
      let isChildOnPath = isOnPath && number == path[node.height]
      let total = total(of: child, isOnPath: isChildOnPath)
      if enters(total, place),
        let found = first(
          in: child.node, isOnPath: isChildOnPath, place, enters: enters, where: isWanted)
      {
        return found
      }
      place += total
    }
    return nil
  }

  /// As `first`, backwards from the end of `node`.
  private func last(
    in node: Node, isOnPath: Bool, _ end: Position,
    enters: (Position, Position) -> Bool, where isWanted: (Element, Position) -> Bool
  ) -> Found? {
    var place = end
    guard node.height > 0 else {
      guard let elements = isOnPath ? leaf : node.buffer else { return nil }
      for index in (0..<elements.count).reversed() {
        let element = elements[index]
        place = place - Position(index: 1, measure: element.measure)
        if isWanted(element, place) { return (element, place) }
      }
      return nil
    }
    for (number, child) in node.children.enumerated().reversed() {
      let isChildOnPath = isOnPath && number == path[node.height]
      let (total, end) = (total(of: child, isOnPath: isChildOnPath), place)
      place = place - total
      if enters(total, place),
        let found = last(
          in: child.node, isOnPath: isChildOnPath, end, enters: enters, where: isWanted)
      {
        return found
      }
    }
    return nil
  }

  /// The total of a child, with the current content of the checked-out leaf.
  private func total(of child: Node.Child, isOnPath: Bool) -> Position {
    guard isOnPath else { return child.total }
    return child.total + (Position(index: leaf.count, measure: leafMeasure) - stored)
  }
}
