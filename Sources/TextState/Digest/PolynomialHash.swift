/// A hash of a sequence of numbers. The hash of two concatenated sequences is computed from their
/// hashes. The numbers, each plus 1, are the coefficients of a polynomial over the integers modulo
/// 2^61 - 1, and its values at two fixed places are the hash. The article on digests specifies it.
struct PolynomialHash: Equatable, Sendable {
  /// The value at one of the places.
  struct Lane: Equatable, Sendable {
    /// The polynomial's value.
    var value: UInt64 = 0
    /// The place to the power of how many numbers there are; never 0.
    var power: UInt64 = 1
  }

  var first = Lane()
  var second = Lane()

  /// Adds a number less than 2^61 - 2.
  @inline(__always)
  mutating func append(_ number: UInt64) {
    first.append(number, Base.first)
    second.append(number, Base.second)
  }

  /// Adds the numbers of another sequence.
  @inline(__always)
  mutating func append(_ other: PolynomialHash) {
    first.append(other.first)
    second.append(other.second)
  }
}

extension PolynomialHash.Lane {
  /// Counts as many more numbers, whose value is already in.
  mutating func raise(_ base: UInt64, by count: Int) {
    power = Mersenne61.multiply(power, Mersenne61.power(base, count))
  }

  @inline(__always)
  fileprivate mutating func append(_ number: UInt64, _ base: UInt64) {
    value = Mersenne61.multiply(value, base, adding: number &+ 1)
    power = Mersenne61.multiply(power, base)
  }

  @inline(__always)
  fileprivate mutating func append(_ other: Self) {
    value = Mersenne61.multiply(value, other.power, adding: other.value)
    power = Mersenne61.multiply(power, other.power)
  }
}

extension PolynomialHash {
  /// The places: from the digits of pi after the point, the first and the second 64 bits of them
  /// without their lowest 3, each raised to the next primitive root, whose powers take on every
  /// value.
  enum Base {
    static let first: UInt64 = 0x0487_ED51_10B4_612C
    static let second: UInt64 = 0x0263_3145_C06E_0E6F
  }
}
