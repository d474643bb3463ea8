extension Unicode.Scalar {
  /// True for a mark that is written beside its letter: a mark with space of its own, and the vowel signs AM of
  /// Thai and Lao, which are no marks but never begin a cluster.
  package var isSpacingMark: Bool {
    properties.generalCategory == .spacingMark || value == 0xE33 || value == 0xEB3
  }
}

extension Character {
  /// Cells that the character takes on a terminal: 0, 1 or 2, by the rule of the rows of this module.
  package var cellWidth: Int {
    var scalars = unicodeScalars.makeIterator()
    guard let first = scalars.next() else { return 0 }
    return ScalarWidth.cells(of: first.value) { scalars.next()?.value }
  }
}
