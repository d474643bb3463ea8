// Numbers of few bits each, one after the other, the lowest bit of each first.

/// Packs bits into bytes.
struct BitWriter {
  /// Bits that do not fill a byte yet, and how many.
  private var pending: UInt64 = 0
  private var count = 0

  /// Appends the low `size` bits of `value`, whose other bits must be 0.
  @inline(__always)
  mutating func write(_ value: UInt64, size: Int, to writer: inout ByteWriter) {
    if size > 32 {
      append(value & 0xFFFF_FFFF, size: 32, to: &writer)
      append(value >> 32, size: size - 32, to: &writer)
    } else {
      append(value, size: size, to: &writer)
    }
  }

  /// Fills the last byte with zeros.
  mutating func flush(to writer: inout ByteWriter) {
    if count > 0 { writer.write(UInt8(truncatingIfNeeded: pending)) }
    (pending, count) = (0, 0)
  }

  /// Appends at most 32 bits, so that they fit beside the pending ones.
  @inline(__always)
  private mutating func append(_ value: UInt64, size: Int, to writer: inout ByteWriter) {
    pending |= value << UInt64(count)
    count &+= size
    while count >= 8 {
      writer.write(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      count &-= 8
    }
  }
}

/// Reads what `BitWriter` wrote.
struct BitReader {
  private var reader: ByteReader
  private var pending: UInt64 = 0
  private var count = 0

  init(_ reader: ByteReader) { self.reader = reader }

  /// The next `size` bits, at most 64.
  @inline(__always)
  mutating func read(size: Int) throws(CodecError) -> UInt64 {
    guard size > 32 else { return try take(size) }
    let low = try take(32)
    return low | (try take(size - 32)) << 32
  }

  /// - Throws: `CodecError` if bytes are left, or the padding bits of the last byte are not 0.
  func expectEnd() throws(CodecError) {
    guard pending == 0 else { throw reader.error(.overlong) }
    try reader.expectEnd()
  }

  @inline(__always)
  private mutating func take(_ size: Int) throws(CodecError) -> UInt64 {
    while count < size {
      pending |= UInt64(try reader.readByte()) << UInt64(count)
      count &+= 8
    }
    defer {
      pending >>= UInt64(size)
      count &-= size
    }
    return pending & (1 << UInt64(size) - 1)
  }
}
