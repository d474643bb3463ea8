import EditModel

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
package enum SpoolRecord {
  /// The first bytes of a file.
  package static let magic: [UInt8] = Array("ELSPOOL1".utf8)
  /// Bytes before a payload.
  static let headSize = 12
  /// Bytes in the longest payload: a notification of the largest frame, wrapped.
  static let payloadSizeMax = 1 << 30

  /// The content of a file at an offset.
  package enum Reading: Hashable {
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
    let length = UInt32(payload.count).littleEndianBytes
    var record: [UInt8] = []
    record.reserveCapacity(headSize + payload.count)
    record += length
    record += CRC32C.checksum(length).littleEndianBytes
    record += CRC32C.checksum(payload).littleEndianBytes
    record += payload
    return record
  }

  /// The payload's length in a head; nil if the head's checksum does not match.
  static func length(_ head: [UInt8]) -> Int? {
    precondition(head.count == headSize)
    guard UInt32(littleEndianBytes: head[4..<8]) == CRC32C.checksum(Array(head[..<4])) else {
      return nil
    }
    let length = Int(UInt32(littleEndianBytes: head[..<4]))
    return length <= payloadSizeMax ? length : nil
  }

  /// True if the payload matches its head. O(n).
  static func isValid(head: [UInt8], payload: [UInt8]) -> Bool {
    length(head) == payload.count
      && UInt32(littleEndianBytes: head[8...]) == CRC32C.checksum(payload)
  }
}
