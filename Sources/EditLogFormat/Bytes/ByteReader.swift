/// Reads bytes without copying them. Whatever the bytes are, a reader throws and never traps.
///
/// A reader does not own its memory: it must not outlive the buffer from which it was made.
/// Sub-readers count offsets from the start of the outermost reader, so that errors name one place.
@usableFromInline
package struct ByteReader {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline var current: UnsafePointer<UInt8>
  @usableFromInline let end: UnsafePointer<UInt8>

  /// A reader of `bytes`, which must stay valid for as long as the reader is used.
  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer) {
    // An empty buffer may have no address. A reader of no bytes never reads at this address.
    start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.nowhere
    (current, end) = (start, start + bytes.count)
  }

  private init(
    start: UnsafePointer<UInt8>, current: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) {
    (self.start, self.current, self.end) = (start, current, end)
  }

  // Safe to share: one byte that is never read or written.
  @usableFromInline nonisolated(unsafe) static let nowhere = UnsafePointer<UInt8>(
    UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  /// Reads `bytes` with `body`.
  @usableFromInline
  package static func reading<Result>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws(CodecError) -> Result
  ) throws(CodecError) -> Result {
    try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> Result in
      var reader = ByteReader(UnsafeRawBufferPointer(buffer))
      return try body(&reader)
    }
  }

  /// Bytes read so far.
  @inlinable package var offset: Int { current - start }
  /// Bytes still to read.
  @inlinable package var remaining: Int { end - current }
  /// The next byte, without reading it; nil at the end.
  @inlinable package var nextByte: UInt8? { isAtEnd ? nil : current.pointee }
  @inlinable package var isAtEnd: Bool { current == end }

  /// An error about the current place.
  @inlinable
  package func error(_ problem: CodecError.Problem) -> CodecError {
    CodecError(problem, at: offset)
  }

  /// An error about the byte `distance` after that place.
  func error(_ distance: Int, _ problem: CodecError.Problem) -> CodecError {
    CodecError(problem, at: offset + distance)
  }

  /// - Throws: `CodecError` if bytes are left.
  @usableFromInline
  package func expectEnd() throws(CodecError) {
    guard isAtEnd else { throw error(.trailing) }
  }

  @inlinable @inline(__always)
  package mutating func readByte() throws(CodecError) -> UInt8 {
    guard current != end else { throw error(.truncated) }
    defer { current += 1 }
    return current.pointee
  }

  /// A number in the bytes of its type, little-endian.
  @inlinable @inline(__always)
  package mutating func read<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type = Value.self
  ) throws(CodecError) -> Value {
    guard remaining >= MemoryLayout<Value>.size else { throw error(.truncated) }
    defer { current += MemoryLayout<Value>.size }
    return Value(littleEndian: UnsafeRawPointer(current).loadUnaligned(as: Value.self))
  }

  /// A number written with `write(varint:)`; any longer form of it is refused.
  @inlinable @inline(__always)
  package mutating func readVarint() throws(CodecError) -> UInt64 {
    guard current != end, current.pointee < 0x80 else { return try readLongVarint() }
    defer { current += 1 }
    return UInt64(current.pointee)
  }

  @inlinable mutating func readLongVarint() throws(CodecError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try readByte()
      // The tenth byte holds only the 64th bit.
      guard shift < 63 || byte <= 1 else { throw error(.tooLarge) }
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw error(.overlong) }
        return value
      }
      shift += 7
    }
  }

  /// A number of at most `max`. It is a count that is checked before memory is allocated for it.
  @inlinable @inline(__always)
  package mutating func readCount(max: Int) throws(CodecError) -> Int {
    guard let count = Int(exactly: try readVarint()), count <= max else { throw error(.tooLarge) }
    return count
  }

  @inlinable @inline(__always)
  package mutating func readZigzag() throws(CodecError) -> Int64 {
    Int64(zigzag: try readVarint())
  }

  /// The next `count` bytes, in place.
  @inlinable @inline(__always)
  package mutating func readBytes(_ count: Int) throws(CodecError) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw error(.truncated) }
    defer { current += count }
    return UnsafeRawBufferPointer(start: current, count: count)
  }

  /// A reader of the next `count` bytes, which this one skips.
  @usableFromInline
  package mutating func readSlice(_ count: Int) throws(CodecError) -> ByteReader {
    guard count >= 0, count <= remaining else { throw error(.truncated) }
    defer { current += count }
    return ByteReader(start: start, current: current, end: current + count)
  }

  /// A string of at most `sizeMax` bytes, written with `write(string:)`.
  @usableFromInline
  package mutating func readString(sizeMax: Int = .max) throws(CodecError) -> String {
    let size = try readCount(max: sizeMax)
    return try readString(size: size)
  }

  /// A string of `size` bytes of UTF-8.
  @usableFromInline
  package mutating func readString(size: Int) throws(CodecError) -> String {
    let place = error(.utf8)
    let bytes = try readBytes(size).assumingMemoryBound(to: UInt8.self)
    // Most names are ASCII, and checking that costs a fraction of `validating`.
    if bytes.reduce(0, { $0 | $1 }) < 0x80 { return String(decoding: bytes, as: UTF8.self) }
    guard let string = String(validating: bytes, as: UTF8.self) else { throw place }
    return string
  }

  /// Skips `count` bytes, which the caller has read through `rest`.
  @inline(__always)
  mutating func skip(_ count: Int) {
    precondition(count >= 0 && count <= remaining)
    current += count
  }

  /// The bytes still to read, in place.
  @inline(__always)
  var rest: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: current, count: end - current) }
}

/// `withUnsafeBytes` for closures that throw one type of error.
@inlinable
package func withBytes<Result, Failure: Error>(
  of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  try bytes.withUnsafeBufferPointer { buffer throws(Failure) in
    try body(UnsafeRawBufferPointer(buffer))
  }
}
