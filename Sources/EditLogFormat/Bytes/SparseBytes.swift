import EditModel
import Glibc

/// The bytes of a file that is mostly zeros, as journals are: they reserve room ahead, and any
/// amount more of zeros may comes after it. What is zero takes no memory, and is not searched.
package struct SparseBytes {
  /// All bytes. They stay where they are for as long as this is used.
  package let bytes: UnsafeRawBufferPointer
  /// Where bytes other than zero may be, ascending and apart.
  package let data: [Range<Int>]

  /// Bytes of which nothing is known.
  package init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes, data: [0..<bytes.count]) }

  package init(_ bytes: UnsafeRawBufferPointer, data: [Range<Int>]) {
    (self.bytes, self.data) = (bytes, data)
  }

  /// The first place of `byte`, which is not 0, from `offset` on.
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
