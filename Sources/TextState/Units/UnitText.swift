package import EditModel

/// The text of all units that ever existed, by their numbers. A value; a copy shares its nodes.
package struct UnitText: Sendable {
  private var tree = GapTree<UInt16>()

  /// No units.
  package init() {}

  /// The number of units.
  package var count: Int { tree.count }

  /// Adds units. O(units).
  package mutating func append(_ text: UTF16Text) {
    if !isKnownUniquelyReferenced(&tree) { tree = tree.copy() }
    if text.count == 1 { return tree.append(text[0]) }
    tree.replace(tree.count..<tree.count, with: text.units)
  }

  /// Some units. O(log n + units).
  package subscript(units: Range<Int>) -> [UInt16] { tree.elements(in: units) }

  /// True if these units are `text`. O(log n + units).
  package func holds(_ text: ArraySlice<UInt16>, at units: Range<Int>) -> Bool {
    guard text.count == units.count else { return false }
    var next = text.startIndex
    var isEqual = true
    tree.withChunks(in: units) { chunk in
      guard isEqual else { return }
      isEqual = chunk.elementsEqual(text[next..<next + chunk.count])
      next += chunk.count
    }
    return isEqual
  }
}
