/// Bytes at an address of their own: readers may refer to them as long as this exists.
final class OwnedBytes: @unchecked Sendable {
  // Safe to share between threads: the bytes are written only by `init`.

  let bytes: UnsafeRawBufferPointer

  /// `count` bytes, all of which `fill` writes.
  init(
    count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CodecError) -> Void
  ) throws(CodecError) {
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    do throws(CodecError) { try fill(target) } catch {
      target.deallocate()
      throw error
    }
    bytes = UnsafeRawBufferPointer(target)
  }

  /// A copy of `source`.
  init(copying source: UnsafeRawBufferPointer) {
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
    target.copyMemory(from: source)
    bytes = UnsafeRawBufferPointer(target)
  }

  deinit { bytes.deallocate() }

  /// Reads the bytes with `body`.
  func reading<Result>(
    _ body: (inout ByteReader) throws(CodecError) -> Result
  ) throws(CodecError) -> Result {
    var reader = ByteReader(bytes)
    let result = try body(&reader)
    withExtendedLifetime(self) {}
    return result
  }
}
