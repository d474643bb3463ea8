import Glibc

/// Bytes being written. Fixed numbers are little-endian, varints LEB128 in their shortest form.
///
/// A writer owns its memory, and can be reused: `removeAll()` keeps the memory.
@usableFromInline
package struct ByteWriter: ~Copyable {
  /// The maximum size of a varint in bytes.
  @usableFromInline
  package static let varintSizeMax = 10

  @usableFromInline var used = 0
  @usableFromInline var capacity: Int
  @usableFromInline var base: UnsafeMutableRawPointer

  /// Bytes written.
  @inlinable package var count: Int { used }

  @usableFromInline
  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 16)
    base = Self.memory(malloc(self.capacity))
  }

  deinit { free(base) }

  private static func memory(_ base: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let base else { preconditionFailure("out of memory for bytes being written") }
    return base
  }

  @inlinable package var isEmpty: Bool { count == 0 }

  /// A copy of what was written. O(`count`).
  @usableFromInline
  package var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Reads what was written; the buffer is valid inside `body` only.
  @inlinable
  package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Discards what was written and keeps the memory.
  @inlinable package mutating func removeAll() { used = 0 }

  /// Discards all but the first `count` bytes.
  @usableFromInline
  package mutating func truncate(to count: Int) {
    precondition((0...self.count).contains(count))
    used = count
  }

  /// Makes room for `size` bytes more. Amortised O(1).
  @inlinable @inline(__always)
  package mutating func reserve(_ size: Int) {
    if size > capacity &- count { grow(by: size) }
  }

  @usableFromInline @inline(never)
  mutating func grow(by size: Int) {
    capacity = max(capacity * 2, count + size)
    // `realloc` moves large buffers without a second copy.
    base = Self.memory(realloc(base, capacity))
  }

  @inlinable @inline(__always)
  package mutating func write(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    used &+= 1
  }

  /// A number in the bytes of its type, little-endian.
  @inlinable @inline(__always)
  package mutating func write(fixed value: some FixedWidthInteger & BitwiseCopyable) {
    let size = MemoryLayout.size(ofValue: value)
    reserve(size)
    base.storeBytes(of: value.littleEndian, toByteOffset: count, as: type(of: value))
    used &+= size
  }

  /// A number in 1 to 10 bytes of 7 bits, lowest first.
  @inlinable @inline(__always)
  package mutating func write(varint value: UInt64) {
    reserve(Self.varintSizeMax)
    var rest = value
    while rest >= 0x80 {
      base.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      used &+= 1
      rest >>= 7
    }
    base.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
    used &+= 1
  }

  /// A count or size, which is never negative.
  @inlinable @inline(__always)
  package mutating func write(count value: Int) {
    precondition(value >= 0)
    write(varint: UInt64(truncatingIfNeeded: value))
  }

  /// A signed number as a varint; small ones of both signs stay short.
  @inlinable @inline(__always)
  package mutating func write(zigzag value: Int64) { write(varint: value.zigzag) }

  @inlinable
  package mutating func write(bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    used += bytes.count
  }

  @usableFromInline
  package mutating func write(bytes: [UInt8]) { bytes.withUnsafeBytes { write(bytes: $0) } }

  /// The bytes of another writer.
  @usableFromInline
  package mutating func write(_ other: borrowing ByteWriter) {
    write(bytes: UnsafeRawBufferPointer(start: other.base, count: other.count))
  }

  /// The number of UTF-8 bytes of a string, then these bytes.
  @usableFromInline
  package mutating func write(string: String) {
    var string = string
    string.withUTF8 {
      write(count: $0.count)
      write(bytes: UnsafeRawBufferPointer($0))
    }
  }

  /// Replaces a number that was written at `offset`.
  @usableFromInline
  package mutating func overwrite(
    at offset: Int, fixed value: some FixedWidthInteger & BitwiseCopyable
  ) {
    precondition(offset >= 0 && MemoryLayout.size(ofValue: value) <= count - offset)
    base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
  }

  /// Calls `fill` to write at most `size` bytes at the end. It returns how many it wrote.
  @inline(__always)
  mutating func write(
    sizeMax size: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int
  ) {
    reserve(size)
    let written = fill((base + count).assumingMemoryBound(to: UInt8.self))
    precondition(written >= 0 && written <= size)
    used &+= written
  }
}

// Safe to send: a writer is the only owner of its memory.
extension ByteWriter: @unchecked Sendable {}

extension Int64 {
  /// 0, -1, 1, -2, … as 0, 1, 2, 3, …
  @inlinable @inline(__always)
  package var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
  /// The number that has this zigzag form.
  @inlinable @inline(__always)
  package init(zigzag value: UInt64) {
    self = Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
  }
}
