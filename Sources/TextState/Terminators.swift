extension UInt16 {
  static var lineFeed: UInt16 { 0x0A }
  static var carriageReturn: UInt16 { 0x0D }
  static var paragraphSeparator: UInt16 { 0x2029 }

  /// True if a paragraph ends with this unit. (CR LF is one terminator: see where it is
  /// asked.)
  @inline(__always)
  var endsParagraph: Bool {
    self == .lineFeed || self == .carriageReturn || self == .paragraphSeparator
  }
}

/// Finds terminators in eight bytes of text at once. (Alan Mycroft's test for zero bytes, 1987.)
///
/// A result is not 0 if and only if there is one. Its lowest bit then lies in the lane of the first.
enum Terminators {
  /// The terminators among four units.
  @inline(__always)
  static func ofUnits(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0001_0001_0001_0001
    return zeros(word ^ 0x000A_000A_000A_000A, ones, 15)
      | zeros(word ^ 0x000D_000D_000D_000D, ones, 15)
      | zeros(word ^ 0x2029_2029_2029_2029, ones, 15)
  }

  /// The terminators among eight units below 0x100, one byte each.
  @inline(__always)
  static func ofBytes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    return zeros(word ^ 0x0A0A_0A0A_0A0A_0A0A, ones, 7)
      | zeros(word ^ 0x0D0D_0D0D_0D0D_0D0D, ones, 7)
  }

  /// Not 0 if and only if a lane of `word` is 0; `ones` has the lowest bit of each lane, `highest`
  /// is the number of the highest. A bit above the first such lane may be wrong.
  @inline(__always)
  private static func zeros(_ word: UInt64, _ ones: UInt64, _ highest: UInt64) -> UInt64 {
    (word &- ones) & ~word & (ones &<< highest)
  }
}
