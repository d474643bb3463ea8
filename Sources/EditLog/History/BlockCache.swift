import EditLogFormat
import Synchronization

/// The blocks of a history that were decoded last, so that versions and edits near each other are
/// found without decompressing their blocks again.
final class BlockCache: Sendable {
  /// The maximum size of all blocks together, in bytes: about a million typed edits.
  static let sizeMax = 8 << 20

  private let known = Mutex<[Known]>([])

  private struct Known {
    var segment: ObjectIdentifier
    var offset: Int
    var block: DecodedBlock
    var size: Int
  }

  /// The block at `offset` of a segment; nil if it is not kept. It becomes the one used last.
  func block(_ segment: Segment, _ offset: Int) -> DecodedBlock? {
    known.withLock { known in
      let key = ObjectIdentifier(segment)
      guard let place = known.lastIndex(where: { $0.offset == offset && $0.segment == key }) else {
        return nil
      }
      if place < known.count - 1 { known.append(known.remove(at: place)) }
      // Marks may have been made since.
      known[known.count - 1].size = known[known.count - 1].block.size
      return known[known.count - 1].block
    }
  }

  /// Keeps a block, and drops those that were used longest ago.
  func keep(_ block: DecodedBlock, _ segment: Segment, _ offset: Int) {
    guard block.size <= Self.sizeMax / 4 else { return }
    known.withLock { known in
      known.append(
        Known(
          segment: ObjectIdentifier(segment), offset: offset, block: block, size: block.size))
      var size = known.reduce(0) { $0 + $1.size }
      var dropped = 0
      while size > Self.sizeMax, dropped < known.count - 1 {
        size -= known[dropped].size
        dropped += 1
      }
      known.removeFirst(dropped)
    }
  }
}
