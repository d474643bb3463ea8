extension Character {
  /// Cells that the character takes on a terminal: 0, 1 or 2, by the rule of the rows of this module.
  package var cellWidth: Int {
    var scalars = unicodeScalars.makeIterator()
    guard let first = scalars.next() else { return 0 }
    return ScalarWidth.cells(of: first.value) { scalars.next()?.value }
  }
}
