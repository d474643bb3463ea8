/// The layout of a step: a byte for its size, and the remaining low bits.
///
/// Steps below 8 are their own byte. Larger ones have the same byte if the highest bit and the two
/// bits after it are the same; the bits after those are packed in a column of their own, because
/// the last digits of a clock do not compress.
enum StepCode {
  /// Bytes from this value on are not steps.
  static let limit: UInt8 = 252

  /// The byte of `step`, and the number of its remaining low bits.
  @inline(__always)
  static func split(_ step: UInt64) -> (byte: UInt8, bits: Int) {
    guard step >= 8 else { return (UInt8(truncatingIfNeeded: step), 0) }
    let bits = 61 &- step.leadingZeroBitCount
    let top = UInt8(truncatingIfNeeded: step >> UInt64(bits)) & 3
    return (UInt8(truncatingIfNeeded: bits &+ 1) << 2 &+ top, bits)
  }

  /// The number of bits for `byte`, and the value above them. `byte` is below `limit`.
  @inline(__always)
  static func join(_ byte: UInt8) -> (top: UInt64, bits: Int) {
    guard byte >= 8 else { return (UInt64(byte), 0) }
    return (UInt64(byte & 3) | 4, Int(byte >> 2) &- 1)
  }
}

/// Steps of which many are 0: a 0 is followed by the number of further zeros.
struct StepWriter {
  private var zeros = 0
  private var packing = BitWriter()

  @inline(__always)
  mutating func write(_ step: UInt64, to writer: inout ByteWriter, bits: inout ByteWriter) {
    guard step != 0 else {
      zeros &+= 1
      return
    }
    flushZeros(to: &writer)
    let code = StepCode.split(step)
    writer.write(code.byte)
    packing.write(step & (1 << UInt64(code.bits) &- 1), size: code.bits, to: &bits)
  }

  mutating func flush(to writer: inout ByteWriter, bits: inout ByteWriter) {
    flushZeros(to: &writer)
    packing.flush(to: &bits)
  }

  private mutating func flushZeros(to writer: inout ByteWriter) {
    guard zeros > 0 else { return }
    writer.write(0)
    writer.write(count: zeros - 1)
    zeros = 0
  }
}

/// Reads what `StepWriter` wrote.
struct StepReader {
  private var reader: ByteReader
  private var bits: BitReader
  private var zeros = 0

  init(_ reader: ByteReader, bits: ByteReader) {
    (self.reader, self.bits) = (reader, BitReader(bits))
  }

  @inline(__always)
  mutating func next() throws(CodecError) -> UInt64 {
    if zeros > 0 {
      zeros &-= 1
      return 0
    }
    let place = reader
    let byte = try reader.readByte()
    guard byte != 0 else {
      zeros = try reader.readCount(max: BlockCodec.editCountMax)
      return 0
    }
    guard byte < StepCode.limit else { throw place.error(.unknown) }
    let (top, count) = StepCode.join(byte)
    return top << UInt64(count) | (try bits.read(size: count))
  }

  func expectEnd() throws(CodecError) {
    guard zeros == 0 else { throw reader.error(.mismatch) }
    try reader.expectEnd()
    try bits.expectEnd()
  }
}
