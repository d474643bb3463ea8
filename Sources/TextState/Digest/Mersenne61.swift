/// Arithmetic modulo the prime 2^61 - 1, on numbers less than it.
enum Mersenne61 {
  /// The prime.
  static let modulus: UInt64 = (1 << 61) - 1

  /// `number`, which must be less than 2^123, modulo the prime.
  @inline(__always)
  static func reduce(_ number: UInt128) -> UInt64 {
    // 2^61 is 1, so the bits from there on count as if they stood at the bottom. The first such
    // step leaves less than 2^63, the second at most 4 more than the prime.
    let low = UInt64(truncatingIfNeeded: number) & modulus
    let once = low &+ UInt64(truncatingIfNeeded: number >> 61)
    let twice = (once & modulus) &+ once >> 61
    return twice >= modulus ? twice &- modulus : twice
  }

  /// `a` times `b`, plus `c`.
  @inline(__always)
  static func multiply(_ a: UInt64, _ b: UInt64, adding c: UInt64 = 0) -> UInt64 {
    // Less than 2^122 + 2^61: nothing overflows.
    reduce(
      UInt128(truncatingIfNeeded: a) &* UInt128(truncatingIfNeeded: b)
        &+ UInt128(truncatingIfNeeded: c))
  }

  /// `base` to the power of `exponent`. O(log exponent).
  static func power(_ base: UInt64, _ exponent: Int) -> UInt64 {
    var (result, square, rest) = (UInt64(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result = multiply(result, square) }
      square = multiply(square, square)
      rest >>= 1
    }
    return result
  }
}
