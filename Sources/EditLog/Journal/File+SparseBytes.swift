import EditLogFormat
import Glibc

extension File {
  /// Bytes that are read at once, and kept or skipped together.
  private static var pieceSize: Int { 64 << 10 }

  /// Runs `body` on the first `size` bytes of the file; those after its end are 0.
  ///
  /// With `trustingHoles`, ranges that the file system reports as holes are not read. A caller that
  /// cuts off bytes it did not find must not use it.
  func withSparseBytes<Result>(
    size: Int, trustingHoles: Bool, _ body: (SparseBytes) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    // Large pieces of such memory are given by the page, and only where they are written to.
    guard let memory = calloc(max(size, 1), 1) else {
      throw .io(operation: "hold in memory", path: path, errno: ENOMEM)
    }
    defer { free(memory) }
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: size)
    let data = try readData(into: bytes, trustingHoles)
    return try body(SparseBytes(UnsafeRawBufferPointer(bytes), data: data))
  }

  /// Reads what is not zero into `bytes`, which is, and returns where that is.
  private func readData(
    into bytes: UnsafeMutableRawBufferPointer, _ trustsHoles: Bool
  ) throws(LogError) -> [Range<Int>] {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { piece.deallocate() }
    var (data, offset): ([Range<Int>], Int) = ([], 0)
    while offset < bytes.count {
      guard let part = trustsHoles ? try self.data(from: offset) : offset..<bytes.count else {
        break
      }
      offset = part.lowerBound
      let end = min(part.upperBound, bytes.count)
      while offset < end {
        let room = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(piece.count, end - offset)])
        let count = try read(into: room, at: offset)
        guard count > 0 else { return data }
        let got = UnsafeRawBufferPointer(rebasing: room[..<count])
        if !got.isZero {
          UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: got)
          let start = data.last?.upperBound == offset ? data.removeLast().lowerBound : offset
          data.append(start..<offset + count)
        }
        offset += count
      }
    }
    return data
  }
}

extension UnsafeRawBufferPointer {
  /// True if every byte is 0: the first is 0, and each equals the one before.
  fileprivate var isZero: Bool {
    guard let first = baseAddress, count > 0 else { return true }
    return self[0] == 0 && memcmp(first, first + 1, count - 1) == 0
  }
}
