import EditModel
import EditLog
import TestSupport

/// A number in a file that says how long, where, or how many, and the checksums over it.
struct ForgedField {
  var name: String
  var offset: Int
  var size: Int
  /// Recomputed after the change, in this order: inner ones first.
  var seals: [ForgedSeal]
}

/// The CRC-32C at `at`, of the bytes in `range`, continued from `start`.
struct ForgedSeal {
  var range: Range<Int>
  var at: Int
  var start: UInt32 = 0

  func apply(to bytes: inout [UInt8]) {
    guard range.upperBound <= bytes.count, at + 4 <= bytes.count else { return }
    bytes.put(UInt64(CRC32C.checksum(Array(bytes[range]), continuing: start)), at: at, size: 4)
  }
}

extension ForgedField {
  /// The values that break what trusts them.
  static let values: [UInt64] = [
    0, 1, 2, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 26), (1 << 26) + 1, (1 << 30),
    (1 << 30) + 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 1, 1 << 32, 1 << 33,
    (1 << 33) + 1, 1 << 60, (1 << 60) + 1, (1 << 63) - 1, 1 << 63, .max - 1, .max,
  ]

  func forged(_ value: UInt64, in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.put(value, at: offset, size: size)
    for seal in seals { seal.apply(to: &bytes) }
    return bytes
  }
}
