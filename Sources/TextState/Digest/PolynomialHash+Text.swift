extension PolynomialHash {
  /// Adds the units of a text, as numbers. About 1 ns a unit.
  mutating func append(_ units: UnsafeBufferPointer<UInt16>) {
    first.append(units, .first, Base.first)
    second.append(units, .second, Base.second)
  }
}

extension PolynomialHash.Lane {
  @inline(never)
  fileprivate mutating func append(
    _ units: UnsafeBufferPointer<UInt16>, _ powers: BlockPowers, _ base: UInt64
  ) {
    var start = 0
    powers.halves.withUnsafeBufferPointer { halves in
      while start &+ BlockPowers.size <= units.count {
        var (low, high) = (UInt64(0), UInt64(0))
        // Inside both buffers. Sixteen products of 31 and 17 bits do not overflow. The masks tell
        // the compiler that 32 bits are all there is, for which processors have vectors.
        for k in 0..<BlockPowers.size {
          let number = UInt64(truncatingIfNeeded: units[start &+ k]) &+ 1
          low &+= (halves[k] & 0xFFFF_FFFF) &* number
          high &+= (halves[k &+ BlockPowers.size] & 0xFFFF_FFFF) &* number
        }
        value = Mersenne61.reduce(
          UInt128(truncatingIfNeeded: value) &* UInt128(truncatingIfNeeded: powers.block)
            &+ UInt128(truncatingIfNeeded: low) &+ UInt128(truncatingIfNeeded: high) << 31)
        start &+= BlockPowers.size
      }
    }
    for unit in units[start...] {
      value = Mersenne61.multiply(value, base, adding: UInt64(unit) + 1)
    }
    raise(base, by: units.count)
  }
}

/// The powers of a base by which the numbers of a block are multiplied, so that a block takes one
/// reduction and its products do not wait for one another.
private struct BlockPowers: Sendable {
  /// Numbers in a block.
  static let size = 16

  static let first = Self(PolynomialHash.Base.first)
  static let second = Self(PolynomialHash.Base.second)

  /// The lower 31 bits of the powers, the highest power first, then the upper 30 bits.
  let halves: [UInt64]
  /// The power by which the hash before a block is multiplied.
  let block: UInt64

  private init(_ base: UInt64) {
    let powers = (0..<Self.size).reversed().map { Mersenne61.power(base, $0) }
    halves = powers.map { $0 & (1 << 31 - 1) } + powers.map { $0 >> 31 }
    block = Mersenne61.power(base, Self.size)
  }
}
