import CZstd

/// Decompresses one frame that comes in pieces. The frame may be hostile. Not thread-safe.
package final class ZstdStream {
  private let context: OpaquePointer
  private let contentSize: Int
  private var isChecked = false
  /// True if the frame is complete.
  package private(set) var isAtEnd = false

  /// A stream for a frame whose content has `contentSize` bytes.
  package init(contentSize: Int) {
    guard let context = ZSTD_createDCtx() else {
      preconditionFailure("out of memory for a decompressor")
    }
    (self.context, self.contentSize) = (context, contentSize)
    guard
      ZSTD_isError(
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(Zstd.windowLogMax))) == 0
    else { preconditionFailure("zstd refuses a parameter it documents") }
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Takes the next bytes of the frame, and calls `body` with their content. The first piece must
  /// contain the whole header of the frame.
  ///
  /// - Throws: `CodecError` as `ZstdDecompressor.decompress`, and what `body` throws.
  package func decompress(
    _ piece: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Void
  ) throws(CodecError) {
    if !isChecked {
      var reader = ByteReader(piece)
      guard try Zstd.readHeader(&reader).isAllowed(contentSize: contentSize) else {
        throw CodecError(.frame, at: 0)
      }
      isChecked = true
    }
    var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
    var target = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
    var isFull = false
    while input.pos < input.size || isFull {
      guard !isAtEnd else { throw CodecError(.trailing, at: input.pos) }
      let (left, size) = target.withUnsafeMutableBytes { target in
        var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
        let left = ZSTD_decompressStream(context, &output, &input)
        isFull = output.pos == output.size
        return (left, output.pos)
      }
      guard ZSTD_isError(left) == 0 else { throw CodecError(.frame, at: input.pos) }
      isAtEnd = left == 0
      if isAtEnd { isFull = false }
      try withBytes(of: target) { bytes throws(CodecError) in
        try body(UnsafeRawBufferPointer(rebasing: bytes[..<size]))
      }
    }
  }
}
