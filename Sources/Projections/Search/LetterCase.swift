/// Which characters are equal if case is ignored: those with the same lowercase character.
///
/// A character whose lowercase form has another number of UTF-16 units is equal to itself only.
enum LetterCase {
  /// The scalar that stands for all that are equal to `scalar`.
  static func folded(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
    guard let known = Unicode.Scalar(scalar), known.properties.changesWhenLowercased else {
      return scalar
    }
    let mapping = known.properties.lowercaseMapping.unicodeScalars
    guard mapping.count == 1, let lower = mapping.first,
      (lower.value > 0xFFFF) == (scalar > 0xFFFF)
    else { return scalar }
    return lower.value
  }

  /// The unit that stands for all that are equal to `unit`. A half of a surrogate pair stands for
  /// itself.
  static func folded(_ unit: UInt16) -> UInt16 {
    UInt16(truncatingIfNeeded: folded(UInt32(unit)))
  }
}
