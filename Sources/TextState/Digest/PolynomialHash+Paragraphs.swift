import EditModel

extension PolynomialHash {
  /// Adds the numbers that stand for paragraphs: of each identifier the sequence number, the
  /// higher 32 bits and the lower, and the ordinal.
  mutating func append(_ paragraphs: UnsafeBufferPointer<ParagraphRecord>) {
    let (first, second) = (TriplePowers.first, TriplePowers.second)
    for paragraph in paragraphs {
      let id = paragraph.id
      let (high, low) = (id.sequence >> 32 &+ 1, id.sequence & 0xFFFF_FFFF &+ 1)
      self.first.append(high, low, UInt64(id.ordinal) &+ 1, first)
      self.second.append(high, low, UInt64(id.ordinal) &+ 1, second)
    }
    self.first.raise(Base.first, by: 3 * paragraphs.count)
    self.second.raise(Base.second, by: 3 * paragraphs.count)
  }
}

extension PolynomialHash.Lane {
  /// Three numbers plus 1, at the price of one reduction. The power is left as it is.
  @inline(__always)
  fileprivate mutating func append(
    _ a: UInt64, _ b: UInt64, _ c: UInt64, _ powers: TriplePowers
  ) {
    // Less than 2^122 + 2^94 + 2^94 + 2^33: nothing overflows.
    let head = UInt128(truncatingIfNeeded: value) &* UInt128(truncatingIfNeeded: powers.cube)
    let high = UInt128(truncatingIfNeeded: a) &* UInt128(truncatingIfNeeded: powers.square)
    let low = UInt128(truncatingIfNeeded: b) &* UInt128(truncatingIfNeeded: powers.base)
    value = Mersenne61.reduce(head &+ high &+ low &+ UInt128(truncatingIfNeeded: c))
  }
}

/// The powers of a base by which three numbers, and the hash before them, are multiplied.
private struct TriplePowers: Sendable {
  static let first = Self(PolynomialHash.Base.first)
  static let second = Self(PolynomialHash.Base.second)

  let base: UInt64
  let square: UInt64
  let cube: UInt64

  private init(_ base: UInt64) {
    self.base = base
    square = Mersenne61.power(base, 2)
    cube = Mersenne61.power(base, 3)
  }
}
