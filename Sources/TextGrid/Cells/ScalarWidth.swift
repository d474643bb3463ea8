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

  static func isRegionalIndicator(_ scalar: UInt32) -> Bool { 0x1F1E6...0x1F1FF ~= scalar }
}
