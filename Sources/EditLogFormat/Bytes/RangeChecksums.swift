import EditModel

/// Checksums of any ranges of the same bytes, in time that does not depend on their lengths: so
/// that checking forged, overlapping ranges is not slow.
///
/// CRC-32C is linear: crc(AB) = crc(A) x^(8|B|) + crc(B) modulo its polynomial, as zlib's
/// `crc32_combine` uses it. One pass computes the checksums up to every 1,024th byte. A range then
/// costs two shorter pieces, and a multiplication for each bit of its length.
struct RangeChecksums {
  private static let step = 1024
  private let bytes: UnsafeRawBufferPointer
  /// The checksums of the bytes before each multiple of `step`.
  private var sums: [UInt32] = [0]

  /// The bytes must stay valid as long as this is used.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    for start in stride(from: 0, to: bytes.count - bytes.count % Self.step, by: Self.step) {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.step])
      sums.append(CRC32C.checksum(piece, continuing: sums[sums.count - 1]))
    }
  }

  /// The checksum of the bytes in `range`.
  func checksum(_ range: Range<Int>) -> UInt32 {
    let shift = Self.power(bits: 8 * range.count)
    return checksum(before: range.upperBound)
      ^ Self.multiply(shift, checksum(before: range.lowerBound))
  }

  private func checksum(before end: Int) -> UInt32 {
    let start = end - end % Self.step
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    return CRC32C.checksum(rest, continuing: sums[start / Self.step])
  }

  // MARK: Polynomials modulo that of CRC-32C, the highest power in the lowest bit

  private static let one: UInt32 = 1 << 31
  /// x^(2^k) for each k.
  private static let powers: [UInt32] = {
    var powers: [UInt32] = [1 << 30]
    for _ in 1..<Int.bitWidth {
      powers.append(multiply(powers[powers.count - 1], powers[powers.count - 1]))
    }
    return powers
  }()

  private static func power(bits: Int) -> UInt32 {
    var product = one
    for place in 0..<Int.bitWidth where bits >> place & 1 == 1 {
      product = multiply(powers[place], product)
    }
    return product
  }

  private static func multiply(_ left: UInt32, _ right: UInt32) -> UInt32 {
    var (product, factor): (UInt32, UInt32) = (0, right)
    for place in stride(from: 31, through: 0, by: -1) {
      if left >> UInt32(place) & 1 == 1 { product ^= factor }
      factor = factor >> 1 ^ (factor & 1 == 1 ? CRC32C.polynomial : 0)
    }
    return product
  }
}
