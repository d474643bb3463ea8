import EditModel
import Glibc

/// The bytes of a file that is mostly zeros, such as a journal: it has reserved space, and any
/// number of zeros may follow. Zeros take no memory, and are not searched.
package struct SparseBytes {
  /// All bytes. They must stay in place as long as this is used.
  package let bytes: UnsafeRawBufferPointer
  /// The ranges that may have bytes other than zero, ascending and not touching.
  package let data: [Range<Int>]

  /// Bytes that may all differ from zero.
  package init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, data: [0..<bytes.count]) }

  package init(_ bytes: UnsafeRawBufferPointer, data: [Range<Int>]) {
    (self.bytes, self.data) = (bytes, data)
  }

  /// The first offset of `byte`, which is not 0, from `offset` on.
  package func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
    for range in data[data.partitionPoint { $0.upperBound <= offset }...] {
      let start = max(range.lowerBound, offset)
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound])
      guard let base = rest.baseAddress, let found = memchr(base, Int32(byte), rest.count) else {
        continue
      }
      return start + base.distance(to: UnsafeRawPointer(found))
    }
    return nil
  }

  /// Where the trailing zeros of the bytes from `start` on begin.
  package func endOfData(from start: Int) -> Int {
    var end = data.last?.upperBound ?? start
    while end - start >= 8,
      bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0
    {
      end -= 8
    }
    while end > start, bytes[end - 1] == 0 { end -= 1 }
    return max(end, start)
  }
}
