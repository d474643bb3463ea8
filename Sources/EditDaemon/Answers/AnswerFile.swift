import NIOConcurrencyHelpers

/// A long answer that is not sent yet, in the file that all long answers share.
final class AnswerFile: Sendable {
  struct Failure: Error { let errno: Int32 }

  /// A part of the answer, and where it is in the file.
  private struct Extent {
    var start: Int
    var offset: Int
    var count: Int
  }

  private let storage: AnswerStorage
  /// Ascending. An answer is written in parts of `AnswerBody.memorySizeMax` bytes or more, so they are few.
  private let extents = NIOLockedValueBox<[Extent]>([])

  /// An empty answer.
  init(in storage: AnswerStorage) { self.storage = storage }

  deinit {
    for extent in extents.withLockedValue({ $0 }) {
      storage.free(extent.offset, count: extent.count)
    }
  }

  /// Adds bytes at the end, which is at `offset`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Failure) {
    let place = storage.allocate(bytes.count)
    extents.withLockedValue { extents in
      if let last = extents.last, last.offset + last.count == place {
        extents[extents.count - 1].count += bytes.count
      } else {
        extents.append(Extent(start: offset, offset: place, count: bytes.count))
      }
    }
    try storage.write(bytes, at: place)
  }

  /// Fills `bytes`. The answer must have as many bytes after `offset`.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(Failure) {
    var filled = 0
    for extent in extents.withLockedValue({ $0 }) {
      let skipped = offset + filled - extent.start
      guard filled < bytes.count, skipped < extent.count else { continue }
      let count = min(bytes.count - filled, extent.count - skipped)
      try storage.read(
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled..<filled + count]),
        at: extent.offset + skipped)
      filled += count
    }
  }
}
