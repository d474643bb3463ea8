/// SHA-256 (FIPS 180-4), with which a forger rechains batches.
enum SHA256 {
  private static let constants: [UInt32] = {
    // The fractional parts of the cube roots of the first 64 primes.
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 64 {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { root($0, 3) }
  }()

  private static let start: [UInt32] = [2, 3, 5, 7, 11, 13, 17, 19].map { root($0, 2) }

  /// 32 bits of the fraction of a square or a cube root, by halving.
  private static func root(_ number: UInt64, _ degree: Int) -> UInt32 {
    // Fixed point with 32 bits after the point, of which powers need 96.
    var (low, high): (UInt64, UInt64) = (0, 30 << 32)
    while high - low > 1 {
      let middle = (low + high) / 2
      if isAtMost(middle, degree, number) { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  private static func isAtMost(_ value: UInt64, _ degree: Int, _ number: UInt64) -> Bool {
    let square = UInt128(value) * UInt128(value)
    if degree == 2 { return square <= UInt128(number) << 64 }
    // At most 30^3 in front of the point: 15 bits and 96.
    return square * UInt128(value) <= UInt128(number) << 96
  }

  /// The digest of `bytes`.
  static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var message = Array(bytes)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
    }
    var state = start
    for offset in stride(from: 0, to: message.count, by: 64) {
      compress(message[offset..<offset + 64], &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static func compress(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
    func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
      word >> count | word << (32 - count)
    }
    var words = [UInt32](repeating: 0, count: 64)
    for index in 0..<16 {
      let start = block.startIndex + index * 4
      words[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (old, new) = (words[index - 15], words[index - 2])
      let small = rotate(old, 7) ^ rotate(old, 18) ^ old >> 3
      let large = rotate(new, 17) ^ rotate(new, 19) ^ new >> 10
      words[index] = words[index - 16] &+ small &+ words[index - 7] &+ large
    }
    var s = state
    for index in 0..<64 {
      let sum1 = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)
      let choice = s[4] & s[5] ^ ~s[4] & s[6]
      let first = s[7] &+ sum1 &+ choice &+ constants[index] &+ words[index]
      let sum0 = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)
      let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
      s = [first &+ sum0 &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
    }
    for index in 0..<8 { state[index] &+= s[index] }
  }
}
