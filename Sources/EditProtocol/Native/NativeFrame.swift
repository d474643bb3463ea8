package import EditLogFormat
import EditModel

/// A frame of the native dialect: a header of 12 bytes, then a body. Numbers are little-endian.
///
///     0  1  0x89
///     1  1  kind
///     2  2  0
///     4  4  size of the body in bytes
///     8  4  CRC-32C of bytes 0 to 7 and of the body
package enum NativeFrame {
  /// The first byte of each frame, and so of a connection in this dialect.
  package static let magic: UInt8 = 0x89
  /// The version of the dialect.
  package static let version: UInt16 = 1
  package static let headerSize = 12
  private static let sumOffset = 8

  /// The kinds of frames. The odd ones are sent by the client, the even ones by the daemon.
  package enum Kind: UInt8, Sendable {
    case hello = 1
    case grant = 2
    case batch = 3
    case ack = 4
    case ping = 5
    case nack = 6
    case subscribe = 7
    case pong = 8
    case credit = 9
    case subscribed = 10
    case unsubscribe = 11
    case deliver = 12
    case ended = 14
  }

  /// The size of the whole frame whose header begins `bytes`. Nil if the header is not complete.
  package static func size(
    _ bytes: UnsafeRawBufferPointer, bodySizeMax: Int
  ) throws(FrameError) -> Int? {
    guard let first = bytes.first else { return nil }
    guard first == magic else { throw .notNative(first) }
    guard bytes.count >= headerSize else { return nil }
    let size = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    guard size <= bodySizeMax else { throw .bodyTooLarge(size: size, sizeMax: bodySizeMax) }
    return headerSize + size
  }

  /// The kind and the body of a whole frame.
  ///
  /// - Throws: `FrameError.damaged` or `FrameError.unknownKind`; after them nothing on the connection
  ///   can be trusted.
  package static func open(
    _ frame: UnsafeRawBufferPointer
  ) throws(FrameError) -> (kind: Kind, body: UnsafeRawBufferPointer) {
    guard frame.count >= headerSize else { throw .unexpectedEnd }
    let body = UnsafeRawBufferPointer(rebasing: frame[headerSize...])
    let sum = UInt32(
      littleEndian: frame.loadUnaligned(fromByteOffset: sumOffset, as: UInt32.self))
    guard sum == checksum(frame, body) else { throw .damaged }
    guard let kind = Kind(rawValue: frame[1]), frame[2] == 0, frame[3] == 0 else {
      throw .unknownKind(frame[1])
    }
    return (kind, body)
  }

  private static func checksum(
    _ header: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
  ) -> UInt32 {
    CRC32C.checksum(
      body,
      continuing: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: header[..<sumOffset])))
  }

  /// Appends a frame with the body that `body` writes.
  package static func write<Failure: Error>(
    _ kind: Kind, to bytes: inout ByteWriter,
    _ body: (inout ByteWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    bytes.write(fixed: UInt32(magic) | UInt32(kind.rawValue) << 8)
    bytes.write(fixed: UInt64(0))
    do {
      try body(&bytes)
    } catch {
      bytes.truncate(to: start)
      throw error
    }
    bytes.overwrite(at: start + 4, fixed: UInt32(bytes.count - start - headerSize))
    let sum = bytes.withUnsafeBytes { bytes in
      let frame = UnsafeRawBufferPointer(rebasing: bytes[start...])
      return checksum(frame, UnsafeRawBufferPointer(rebasing: frame[headerSize...]))
    }
    bytes.overwrite(at: start + sumOffset, fixed: sum)
  }
}
