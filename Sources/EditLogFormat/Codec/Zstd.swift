import CZstd

/// Compression by libzstd, the parts of it this format allows: one frame that states the size of
/// its content and ends in a checksum; no dictionary, no skippable frame, nothing after it.
package enum Zstd {
  /// The levels `Compressor` takes.
  package static let levels = 1...19

  /// Log2 of the farthest a compressor looks back; a reader refuses frames that look farther.
  static let windowLogMax = 27

  /// What the header of a frame says.
  struct FrameHeader: Hashable {
    /// Bytes in the content.
    var contentSize: UInt64
    /// Bytes a reader that decodes piece by piece keeps.
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
  /// - Throws: `CodecError` if it is none, has reserved bits set, or does not state its
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
