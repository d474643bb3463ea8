/// Reads the scalars of units, lone surrogates as U+FFFD.
struct ScalarReader<Units: RandomAccessCollection<UInt16>> where Units.Index == Int {
  let units: Units
  let end: Int
  private(set) var offset: Int

  /// The scalars of `range` of `units`.
  init(_ units: Units, _ range: Range<Int>) {
    self.units = units
    (offset, end) = (range.lowerBound, range.upperBound)
  }

  /// The next scalar, and the offset of its first unit; nil at the end.
  mutating func next() -> (scalar: UInt32, start: Int)? {
    guard offset < end else { return nil }
    let (start, unit) = (offset, units[offset])
    offset += 1
    guard UTF16.isSurrogate(unit) else { return (UInt32(unit), start) }
    guard UTF16.isLeadSurrogate(unit), offset < end, UTF16.isTrailSurrogate(units[offset]) else {
      return (ShownControl.replacement.value, start)
    }
    let scalar = 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(units[offset]) & 0x3FF
    offset += 1
    return (scalar, start)
  }
}
