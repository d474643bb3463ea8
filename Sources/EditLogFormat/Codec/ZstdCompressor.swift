import CZstd

/// A compressor that keeps its tables between frames. Not thread-safe.
package final class ZstdCompressor {
  private let context: OpaquePointer

  /// A compressor. Its tables, a few MB at the higher levels, are allocated for the first frame.
  package init() {
    guard let context = ZSTD_createCCtx() else {
      preconditionFailure("out of memory for a compressor")
    }
    self.context = context
  }

  deinit { ZSTD_freeCCtx(context) }

  /// One frame that holds `content`. `level` is clamped to `Zstd.levels`.
  ///
  /// With a `prefix`, the frame refers to its bytes and needs the same ones to be decompressed.
  package func compress(
    _ content: UnsafeRawBufferPointer, level: Int, prefix: UnsafeRawBufferPointer? = nil
  ) -> [UInt8] {
    prepare(level: level)
    if let prefix { refer(to: prefix, contentSize: content.count) }
    return [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(content.count)) {
      target, size in
      size = checked(
        ZSTD_compress2(
          context, target.baseAddress, target.count, content.baseAddress, content.count))
    }
  }

  /// One frame that holds the `pieces` and the tail joined. Each begins a block of its own, so that
  /// its statistics are not mixed with those of the others. Without an empty `prefix`, the frame
  /// refers to its bytes and needs the same ones to be decompressed. `tail` calls its argument with
  /// the bytes of the tail in pieces, `tailSize` bytes in all.
  package func compress(
    pieces: [UnsafeRawBufferPointer], level: Int, prefix: [UInt8] = [], tailSize: Int = 0,
    tail: ((UnsafeRawBufferPointer) -> Void) -> Void = { _ in }
  ) -> [UInt8] {
    prefix.withUnsafeBytes {
      compress(pieces: pieces, level: level, prefix: $0, tailSize: tailSize, tail: tail)
    }
  }

  private func compress(
    pieces: [UnsafeRawBufferPointer], level: Int, prefix: UnsafeRawBufferPointer, tailSize: Int,
    tail: ((UnsafeRawBufferPointer) -> Void) -> Void
  ) -> [UInt8] {
    prepare(level: level)
    let contentSize = pieces.reduce(tailSize) { $0 + $1.count }
    if !prefix.isEmpty { refer(to: prefix, contentSize: contentSize) }
    checked(ZSTD_CCtx_setPledgedSrcSize(context, UInt64(contentSize)))
    // A flush ends a block early, which costs a header of 3 bytes for each piece and for the end.
    let sizeMax = pieces.reduce(ZSTD_compressBound(tailSize) + 16) {
      $0 + ZSTD_compressBound($1.count) + 3
    }
    return [UInt8](unsafeUninitializedCapacity: sizeMax) { target, size in
      var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
      func write(_ piece: UnsafeRawBufferPointer, _ directive: ZSTD_EndDirective) {
        var input = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        repeat {
          let room = output.size - output.pos
          let left = checked(ZSTD_compressStream2(context, &output, &input, directive))
          precondition(
            (left == 0 || directive == ZSTD_e_continue) && (room > 0 || left == 0),
            "the bound of a compressed frame does not hold")
        } while input.pos < input.size
      }
      for piece in pieces.dropLast(tailSize == 0 ? 1 : 0) { write(piece, ZSTD_e_flush) }
      tail { write($0, ZSTD_e_continue) }
      let last = tailSize == 0 ? pieces.last : nil
      write(last ?? UnsafeRawBufferPointer(start: nil, count: 0), ZSTD_e_end)
      size = output.pos
    }
  }

  private func prepare(level: Int) {
    checked(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters))
    let level = min(max(level, Zstd.levels.lowerBound), Zstd.levels.upperBound)
    set(ZSTD_c_compressionLevel, level)
    set(ZSTD_c_checksumFlag, 1)
    set(ZSTD_c_contentSizeFlag, 1)
  }

  private func refer(to prefix: UnsafeRawBufferPointer, contentSize: Int) {
    // The window covers the whole prefix at the last byte, up to its maximum.
    let reach = prefix.count + contentSize
    let log = Int.bitWidth - max(reach - 1, 1).leadingZeroBitCount
    set(ZSTD_c_windowLog, min(max(log, 10), Zstd.windowLogMax))
    if prefix.count > 1 << 16 {
      // Newer versions index no more of a prefix than eight bytes for each place in this table.
      set(ZSTD_c_hashLog, min(max(log - 3, 17), 20))
    }
    if reach > 1 << 20 { set(ZSTD_c_enableLongDistanceMatching, 1) }
    checked(ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count))
  }

  private func set(_ parameter: ZSTD_cParameter, _ value: Int) {
    checked(ZSTD_CCtx_setParameter(context, parameter, Int32(value)))
  }

  /// Here zstd fails only because of a wrong call, or for lack of memory.
  @discardableResult
  private func checked(_ result: Int) -> Int {
    precondition(ZSTD_isError(result) == 0, String(cString: ZSTD_getErrorName(result)))
    return result
  }
}
