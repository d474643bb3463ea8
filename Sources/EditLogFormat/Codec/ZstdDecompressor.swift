import CZstd

/// A decompressor that trusts nothing. Not for two threads at once.
package final class ZstdDecompressor {
  private let context: OpaquePointer

  package init() {
    guard let context = ZSTD_createDCtx() else {
      preconditionFailure("out of memory for a decompressor")
    }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// The content of `frame`, which must be exactly one frame as `ZstdCompressor` writes them. The
  /// content has at most `sizeMax` bytes; more is refused before anything is allocated. `prefix` is
  /// what the frame was compressed against, if anything.
  ///
  /// - Throws: `CodecError` if the frame is damaged or is none, states no size or one over
  ///   `sizeMax`, carries no checksum, names a dictionary, looks back too far, is skippable, or
  ///   if anything comes after it.
  package func decompress(
    _ frame: UnsafeRawBufferPointer, sizeMax: Int, prefix: UnsafeRawBufferPointer? = nil
  ) throws(CodecError) -> [UInt8] {
    let size = try Self.check(frame, sizeMax: sizeMax)
    guard ZSTD_isError(ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)) == 0,
      ZSTD_isError(
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(Zstd.windowLogMax))) == 0,
      prefix.map({ ZSTD_isError(ZSTD_DCtx_refPrefix(context, $0.baseAddress, $0.count)) }) ?? 0
        == 0
    else { preconditionFailure("zstd refuses a parameter it documents") }

    var decoded = 0
    let content = [UInt8](unsafeUninitializedCapacity: size) { target, initialized in
      decoded = ZSTD_decompressDCtx(
        context, target.baseAddress, size, frame.baseAddress, frame.count)
      initialized = ZSTD_isError(decoded) == 0 ? decoded : 0
    }
    guard ZSTD_isError(decoded) == 0, decoded == size else { throw CodecError(.frame, at: 0) }
    return content
  }

  /// The content of `frame`, as `decompress(_:sizeMax:prefix:)`. An empty prefix is none.
  package func decompress(
    _ frame: UnsafeRawBufferPointer, sizeMax: Int, prefix: [UInt8]
  ) throws(CodecError) -> [UInt8] {
    try prefix.withUnsafeBufferPointer { (prefix) throws(CodecError) in
      try decompress(
        frame, sizeMax: sizeMax, prefix: prefix.isEmpty ? nil : UnsafeRawBufferPointer(prefix))
    }
  }

  /// Looks at the header and walks the block headers; O(blocks), allocates nothing.
  private static func check(_ frame: UnsafeRawBufferPointer, sizeMax: Int) throws(CodecError)
    -> Int
  {
    var reader = ByteReader(frame)
    let header = try Zstd.readHeader(&reader)
    guard header.contentSize <= UInt64(max(sizeMax, 0)) else { throw reader.error(.tooLarge) }
    guard header.isAllowed(contentSize: Int(header.contentSize)) else { throw reader.error(.frame) }
    let size = ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count)
    guard ZSTD_isError(size) == 0 else { throw CodecError(.frame, at: frame.count) }
    guard size == frame.count else { throw CodecError(.trailing, at: size) }
    return Int(header.contentSize)
  }
}
