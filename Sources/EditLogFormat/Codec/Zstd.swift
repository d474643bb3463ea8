import CZstd

/// Compression by libzstd, restricted to the frames that the format allows: one frame that states
/// the size of its content and ends in a checksum; no dictionary, no skippable frame, and no bytes
/// after it.
package enum Zstd {
  /// The levels that `ZstdCompressor` accepts.
  package static let levels = 1...19

  /// Log2 of the maximum window of a compressor. Readers refuse frames with a larger window.
  static let windowLogMax = 27

  /// The header of a frame.
  struct FrameHeader: Hashable {
    /// The size of the content in bytes.
    var contentSize: UInt64
    /// The number of bytes that a reader keeps while it decodes piece by piece.
    var windowSize: UInt64
    var hasChecksum: Bool
    var dictionaryID: UInt32

    /// True if a frame of `contentSize` bytes that `ZstdCompressor` made may have this header.
    func isAllowed(contentSize size: Int) -> Bool {
      contentSize == UInt64(size) && hasChecksum && dictionaryID == 0
        && windowSize <= max(1 << UInt64(Zstd.windowLogMax), contentSize)
    }
  }

  /// The header of the frame at the front of `reader` (RFC 8878, section 3.1.1).
  ///
  /// - Throws: `CodecError` if there is none, or it has reserved bits set, or does not state its
  ///   content's size.
  static func readHeader(_ reader: inout ByteReader) throws(CodecError) -> FrameHeader {
    guard try reader.read(UInt32.self) == 0xFD2F_B528 else { throw reader.error(.frame) }
    let descriptor = try reader.readByte()
    let isSingleSegment = descriptor & 0x20 != 0
    guard descriptor & 0x18 == 0 else { throw reader.error(.frame) }

    var windowSize: UInt64 = 0
    if !isSingleSegment {
      let window = try reader.readByte()
      let base = UInt64(1) << (10 + UInt64(window >> 3))
      windowSize = base + (base >> 3) * UInt64(window & 7)
    }
    let dictionaryID: UInt32 =
      switch descriptor & 3 {
      case 0: 0
      case 1: UInt32(try reader.readByte())
      case 2: UInt32(try reader.read(UInt16.self))
      default: try reader.read(UInt32.self)
      }
    let contentSize: UInt64
    switch descriptor >> 6 {
    case 0:
      guard isSingleSegment else { throw reader.error(.frame) }
      contentSize = UInt64(try reader.readByte())
    case 1: contentSize = UInt64(try reader.read(UInt16.self)) + 256
    case 2: contentSize = UInt64(try reader.read(UInt32.self))
    default: contentSize = try reader.read(UInt64.self)
    }
    return FrameHeader(
      contentSize: contentSize, windowSize: isSingleSegment ? contentSize : windowSize,
      hasChecksum: descriptor & 4 != 0, dictionaryID: dictionaryID)
  }
}
