import EditModel

/// CRC-32C, written once more: a fault in the store's would not be noticed by itself.
enum Seal {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0x82F6_3B78 }
  }

  static func checksum(_ bytes: some Sequence<UInt8>, after sum: UInt32 = 0) -> UInt32 {
    ~bytes.reduce(~sum) { sum, byte in
      sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
    }
  }

  static func hash(_ bytes: [UInt8]) -> [UInt8] { SHA256.hash(bytes) }
}

extension [UInt8] {
  /// Little-endian bytes at an offset; whatever does not fit is left out.
  mutating func put(_ value: some FixedWidthInteger, at offset: Int) {
    let bytes = Swift.withUnsafeBytes(of: value.littleEndian, Array.init)
    guard offset >= 0, offset + bytes.count <= count else { return }
    replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  /// The number of `size` bytes at an offset; 0 where there is none.
  func number(at offset: Int, size: Int) -> Int {
    guard offset >= 0, offset <= count - size else { return 0 }
    let value = self[offset..<offset + size].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(clamping: value)
  }

  /// Writes the checksum of the bytes in `range` right after them.
  mutating func seal(_ range: Range<Int>, after sum: UInt32 = 0) {
    guard range.upperBound + 4 <= count else { return }
    put(Seal.checksum(self[range], after: sum), at: range.upperBound)
  }

  /// The first `count` bytes taken off the front; fewer where there are fewer.
  mutating func take(_ size: Int) -> [UInt8] {
    let taken = Array(prefix(size))
    removeFirst(taken.count)
    return taken
  }
}
