import CUnistring

/// Cells that a scalar takes in a cluster.
enum ScalarWidth {
  /// The cells of `scalar`: 0 for marks and format characters, 2 for wide ones (Unicode UAX 11, W and
  /// F), else 1. Characters of ambiguous width have 1.
  static func cells(of scalar: UInt32) -> Int {
    if scalar < 0x300 { return scalar == 0xAD ? 0 : 1 }
    if NewerScalars.isMark(scalar) { return 0 }
    // Regional indicators: half a flag is shown as a letter in a box of two cells.
    if NewerScalars.isWide(scalar) || isRegionalIndicator(scalar) { return 2 }
    return max(0, Int(editlog_width(scalar)))
  }

  /// The cells of a cluster: those of its widest scalar, as terminals that know clusters count them; two
  /// for whatever a variation selector makes an emoji.
  ///
  /// - Parameters:
  ///   - first: The first scalar.
  ///   - next: Returns each of the others, then nil.
  static func cells(of first: UInt32, then next: () -> UInt32?) -> Int {
    var cells = cells(of: first)
    while cells < 2, let scalar = next() {
      if scalar == 0xFE0F {
        if Unicode.Scalar(first)?.properties.isEmoji == true { cells = 2 }
      } else {
        cells = max(cells, Self.cells(of: scalar))
      }
    }
    return min(cells, 2)
  }

  static func isRegionalIndicator(_ scalar: UInt32) -> Bool { 0x1F1E6...0x1F1FF ~= scalar }
}
