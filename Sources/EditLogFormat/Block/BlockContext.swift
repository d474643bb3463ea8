/// What the payload of a block may refer to: the columns of the blocks before it, back to the last
/// one that refers to none.
///
/// A history repeats itself over more than a block. So that any block is reached by way of few
/// others, and damage to one does not spread far, every 16th block stands alone, and so does one
/// after more columns than 1 MiB.
package struct BlockContext: Sendable {
  /// Blocks in a context.
  package static let blockCountMax = 15
  /// Bytes of columns in a context.
  package static let sizeMax = 1 << 20

  /// The columns, in the order of the blocks; empty if the next block stands alone.
  package private(set) var bytes: [UInt8] = []
  private var extent = Extent()

  /// The context of the first block.
  package init() {}

  /// Continues after a block with this header and these columns.
  package mutating func append(_ header: BlockHeader, columns: [UInt8]) {
    if !header.isContinued { bytes.removeAll(keepingCapacity: true) }
    extent.append(header)
    if extent.isUsable {
      bytes.append(contentsOf: columns)
    } else {
      bytes.removeAll()
    }
  }

  /// How far back a context reaches; what is known of it without the columns.
  package struct Extent: Hashable, Sendable {
    private var blockCount = 0
    private var size = 0

    package init() {}

    /// False if the next block stands alone.
    package var isUsable: Bool { (1...blockCountMax).contains(blockCount) && size <= sizeMax }

    /// Continues after a block. The block is allowed if it stands alone, or this is usable.
    package mutating func append(_ header: BlockHeader) {
      if !header.isContinued { (blockCount, size) = (0, 0) }
      blockCount += 1
      size += header.decodedSize
    }
  }
}
