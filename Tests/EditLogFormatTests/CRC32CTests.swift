@testable import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct CRC32CTests {
  /// The examples of RFC 3720, appendix B.4, and the check value of the catalogues.
  static let known: [(bytes: [UInt8], sum: UInt32)] = [
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    ([UInt8](0..<32), 0x46DD_794E),
    ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
    (
      hex(
        """
        01c00000 00000000 00000000 00000000 14000000 00000400 00000014 00000018 28000000
        00000000 02000000 00000000
        """), 0xD996_3A56
    ),
    ([UInt8]("123456789".utf8), 0xE306_9283),
    ([], 0),
  ]

  @Test(arguments: known)
  func knownSums(bytes: [UInt8], sum: UInt32) {
    #expect(CRC32C.checksum(bytes) == sum)
  }

  /// The sum of any range, from those of the bytes before its ends.
  @Test(arguments: UInt64(0)..<4)
  func sumsOfRanges(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let size = [0, 1, 1023, 1024, 5000, 200_000].randomElement(using: &random) ?? 0
    let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    bytes.withUnsafeBytes { bytes in
      let sums = RangeChecksums(bytes)
      for _ in 0..<500 {
        let start = Int.random(in: 0...size, using: &random)
        let end = Int.random(in: start...size, using: &random)
        let range = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        #expect(sums.checksum(start..<end) == CRC32C.checksum(range), "\(start)..<\(end)")
      }
    }
  }

  @Test(arguments: UInt64(0)..<8)
  func agreesWithTheDefinitionAtEveryLengthAndCut(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for count in 0..<80 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let sum = slowSum(bytes)
      #expect(CRC32C.checksum(bytes) == sum)
      #expect(bytes.withUnsafeBytes { CRC32C.checksumByTables($0) } == sum)
      let cut = Int.random(in: 0...count, using: &random)
      let first = CRC32C.checksum([UInt8](bytes[..<cut]))
      #expect(CRC32C.checksum([UInt8](bytes[cut...]), continuing: first) == sum)
    }
  }

  /// Bit by bit, as the polynomial is divided.
  private func slowSum(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    return ~crc
  }
}
