import CZstd
import Synchronization

/// A decompressor for untrusted frames. Not thread-safe.
package final class ZstdDecompressor {
  private let context: OpaquePointer

  /// The memory of a decompressor that is gone, for the next one: making it takes as long as
  /// decompressing a block. Nothing is left in it, as each frame begins with a reset.
  private static let spare = Mutex<Spare?>(nil)

  private struct Spare: @unchecked Sendable {
    // Safe to share between threads: a spare context has no other reference.
    let context: OpaquePointer
  }

  package init() {
    if let spare = Self.spare.withLock({ $0.take() }) {
      context = spare.context
      return
    }
    guard let context = ZSTD_createDCtx() else {
      preconditionFailure("out of memory for a decompressor")
    }
    self.context = context
  }

  deinit {
    let spare = Spare(context: context)
    let isKept = Self.spare.withLock { kept in
      if kept == nil {
        kept = spare
        return true
      }
      return false
    }
    if !isKept { ZSTD_freeDCtx(context) }
  }

  /// The content of `frame`, which must be exactly one frame as `ZstdCompressor` writes them. The
  /// content has at most `sizeMax` bytes; a larger one is refused before memory is allocated.
  /// `prefix` is the prefix with which the frame was compressed, if any.
  ///
  /// - Throws: `CodecError` if the bytes are not a frame, if the frame is damaged, states no size
  ///   or one over `sizeMax`, has no checksum, names a dictionary, has too large a window, or is
  ///   skippable, or if bytes follow it.
  package func decompress(
    _ frame: UnsafeRawBufferPointer, sizeMax: Int, prefix: UnsafeRawBufferPointer? = nil
  ) throws(CodecError) -> [UInt8] {
    let size = try Self.check(frame, sizeMax: sizeMax)
    prepare(prefix)
    var decoded = 0
    let content = [UInt8](unsafeUninitializedCapacity: size) { target, initialized in
      decoded = ZSTD_decompressDCtx(
        context, target.baseAddress, size, frame.baseAddress, frame.count)
      initialized = ZSTD_isError(decoded) == 0 ? decoded : 0
    }
    guard ZSTD_isError(decoded) == 0, decoded == size else { throw CodecError(.frame, at: 0) }
    return content
  }

  /// As `decompress(_:sizeMax:prefix:)`, at an address of its own. An empty prefix counts as none.
  func decompressOwned(
    _ frame: UnsafeRawBufferPointer, sizeMax: Int, prefix: [UInt8]
  ) throws(CodecError) -> OwnedBytes {
    let size = try Self.check(frame, sizeMax: sizeMax)
    return try withBytes(of: prefix) { (prefix) throws(CodecError) in
      prepare(prefix.isEmpty ? nil : prefix)
      return try OwnedBytes(count: size) { target throws(CodecError) in
        let decoded = ZSTD_decompressDCtx(
          context, target.baseAddress, size, frame.baseAddress, frame.count)
        guard ZSTD_isError(decoded) == 0, decoded == size else { throw CodecError(.frame, at: 0) }
      }
    }
  }

  private func prepare(_ prefix: UnsafeRawBufferPointer?) {
    guard ZSTD_isError(ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)) == 0,
      ZSTD_isError(
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(Zstd.windowLogMax))) == 0,
      prefix.map({ ZSTD_isError(ZSTD_DCtx_refPrefix(context, $0.baseAddress, $0.count)) }) ?? 0
        == 0
    else { preconditionFailure("zstd refuses a parameter it documents") }
  }

  /// The content of `frame`, as `decompress(_:sizeMax:prefix:)`. An empty prefix counts as none.
  package func decompress(
    _ frame: UnsafeRawBufferPointer, sizeMax: Int, prefix: [UInt8]
  ) throws(CodecError) -> [UInt8] {
    try prefix.withUnsafeBufferPointer { (prefix) throws(CodecError) in
      try decompress(
        frame, sizeMax: sizeMax, prefix: prefix.isEmpty ? nil : UnsafeRawBufferPointer(prefix))
    }
  }

  /// Checks the header and the block headers. O(blocks). Allocates nothing.
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
