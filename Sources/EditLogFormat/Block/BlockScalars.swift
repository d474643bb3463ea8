// The layout of numbers in columns that are mostly as predicted.

extension ByteWriter {
  /// Writes a varint, with all bytes but the first in `tail`. First bytes of small numbers compress
  /// better without the tails of large ones between them.
  @inline(__always)
  mutating func write(splitVarint value: UInt64, tail: inout ByteWriter) {
    guard value >= 0x80 else { return write(UInt8(truncatingIfNeeded: value)) }
    write(UInt8(truncatingIfNeeded: value) | 0x80)
    tail.write(varint: value >> 7)
  }
}

extension ByteReader {
  /// A number written with `write(splitVarint:tail:)`.
  @inline(__always)
  mutating func readSplitVarint(tail: inout ByteReader) throws(CodecError) -> UInt64 {
    let first = try readByte()
    guard first >= 0x80 else { return UInt64(first) }
    let place = tail
    let rest = try tail.readVarint()
    guard rest != 0 else { throw place.error(.overlong) }
    guard rest <= UInt64.max >> 7 else { throw place.error(.tooLarge) }
    return rest << 7 | UInt64(first & 0x7F)
  }
}

/// Values that are mostly as predicted: before each other value, the number of predicted values
/// before it is written.
struct ExceptionWriter {
  private var predicted = 0

  /// Records a value that is as predicted.
  @inline(__always)
  mutating func skip() { predicted &+= 1 }

  /// Records a value that is not as predicted. The value is written next.
  mutating func mark(in writer: inout ByteWriter) {
    writer.write(count: predicted)
    predicted = 0
  }
}

/// Reads what `ExceptionWriter` wrote.
struct ExceptionReader {
  var reader: ByteReader
  private var predicted: Int

  init(_ reader: ByteReader) throws(CodecError) {
    (self.reader, predicted) = (reader, 0)
    try advance()
  }

  /// True if the next value is not as predicted: it is read from `reader`, then `advance()`.
  @inline(__always)
  mutating func isException() -> Bool {
    predicted &-= 1
    return predicted < 0
  }

  mutating func advance() throws(CodecError) {
    predicted = reader.isAtEnd ? .max : try reader.readCount(max: BlockCodec.editCountMax)
  }

  func expectEnd() throws(CodecError) {
    // At the end of the column, this counts down from `.max`, which is more than the edits of any
    // block.
    guard reader.isAtEnd, predicted > BlockCodec.editCountMax else { throw reader.error(.mismatch) }
  }
}
