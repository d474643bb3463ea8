import CProcessor

/// CRC-32C (Castagnoli), as in RFC 3720. By the instruction of x86-64 processors, else by sixteen
/// tables ("slicing-by-16"; Kounavis and Berry, "A systematic approach to building high performance
/// software-based CRC generators", 2005).
package enum CRC32C {
  /// The polynomial, with the highest power in the lowest bit.
  package static let polynomial: UInt32 = 0x82F6_3B78

  /// The checksum of `bytes`. For data in several pieces, pass the sum of the pieces before.
  package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing sum: UInt32 = 0)
    -> UInt32
  {
    guard let start = bytes.baseAddress else { return sum }
    if hasInstruction {
      return ~editlog_crc32c(~sum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    return checksumByTables(bytes, continuing: sum)
  }

  private static let hasInstruction = editlog_has_crc32c()

  /// As `checksum(_:continuing:)`, without the instruction.
  package static func checksumByTables(
    _ bytes: UnsafeRawBufferPointer, continuing sum: UInt32 = 0
  ) -> UInt32 {
    guard let start = bytes.baseAddress else { return sum }
    return table.entries.withUnsafeBufferPointer { entries in
      guard let table = entries.baseAddress else { return sum }
      var crc = ~sum
      var offset = 0
      while offset &+ 16 <= bytes.count {
        crc = sixteen(start + offset, crc, table)
        offset &+= 16
      }
      while offset < bytes.count {
        let byte = start.load(fromByteOffset: offset, as: UInt8.self)
        crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8)
        offset &+= 1
      }
      return ~crc
    }
  }

  /// The checksum of `bytes`.
  package static func checksum(_ bytes: [UInt8], continuing sum: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { checksum($0, continuing: sum) }
  }

  @inline(__always)
  private static func sixteen(
    _ bytes: UnsafeRawPointer, _ crc: UInt32, _ table: UnsafePointer<UInt32>
  ) -> UInt32 {
    let low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
    let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    return eight(low, table + 8 * 256) ^ eight(high, table)
  }

  /// The first byte of `word` is looked up in the last of the eight tables.
  @inline(__always)
  private static func eight(_ word: UInt64, _ table: UnsafePointer<UInt32>) -> UInt32 {
    @inline(__always) func entry(_ byte: UInt64) -> UInt32 {
      table[Int(truncatingIfNeeded: (7 &- byte) &* 256 &+ ((word &>> (byte &* 8)) & 0xFF))]
    }
    return (entry(0) ^ entry(1)) ^ (entry(2) ^ entry(3))
      ^ (entry(4) ^ entry(5)) ^ (entry(6) ^ entry(7))
  }

  private static let table = Table()

  /// Entry `256 * k + b` is the effect of byte `b` followed by `k` zero bytes.
  private struct Table {
    let entries: [UInt32]

    init() {
      var entries = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in
          (crc >> 1) ^ (crc & 1 == 1 ? polynomial : 0)
        }
      }
      for index in 256..<16 * 256 {
        let before = entries[index - 256]
        entries.append(entries[Int(before & 0xFF)] ^ (before >> 8))
      }
      self.entries = entries
    }
  }
}
