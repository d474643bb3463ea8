/// One record of a spool file.
///
/// A file is `magic`, then records: length of the payload, CRC-32C of those four bytes, CRC-32C
/// of the payload (4 bytes each, little-endian), payload. The first record's payload is a
/// `SpoolHeader`, the others' are params of `editlog/forward`, in the order of their counters. A
/// record is valid if and only if it lies within the file and both checksums hold.
///
/// A record that was being written when the bridge was killed or the machine lost power is torn:
/// the file ends inside it, or has only zeros from its start on. Anything else that is not valid is
/// damage.
///
/// A format that older bridges cannot read gets a new magic number.
enum SpoolRecord {
  /// The first bytes of a file.
  static let magic: [UInt8] = Array("ELSPOOL1".utf8)
  /// Bytes before a payload.
  static let headSize = 12
  /// Bytes in the longest payload: a notification of the largest frame, wrapped.
  static let payloadSizeMax = 1 << 30

  /// What a file has at an offset.
  enum Reading: Hashable {
    /// A record, and where the next begins.
    case record([UInt8], next: Int)
    /// The end of the file.
    case end
    /// The start of a record whose rest was never written.
    case torn
    /// Bytes that have changed since they were written.
    case damaged
  }

  /// The record with this payload. O(n).
  static func encode(_ payload: [UInt8]) -> [UInt8] {
    precondition(payload.count <= payloadSizeMax)
    let length = bytes(UInt32(payload.count))
    var record: [UInt8] = []
    record.reserveCapacity(headSize + payload.count)
    record += length
    record += bytes(checksum(length))
    record += bytes(checksum(payload))
    record += payload
    return record
  }

  /// The payload's length in a head; nil if the head's checksum does not match.
  static func length(_ head: [UInt8]) -> Int? {
    precondition(head.count == headSize)
    guard number(head[4..<8]) == checksum(Array(head[..<4])) else { return nil }
    let length = Int(number(head[..<4]))
    return length <= payloadSizeMax ? length : nil
  }

  /// True if the payload matches its head. O(n).
  static func isValid(head: [UInt8], payload: [UInt8]) -> Bool {
    length(head) == payload.count && number(head[8...]) == checksum(payload)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// CRC-32C (Castagnoli), as in RFC 3720. O(n).
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let crc = table.withUnsafeBufferPointer { table in
      bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }
    return ~crc
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
  }
}
