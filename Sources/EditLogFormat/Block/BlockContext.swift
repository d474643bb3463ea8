/// The data to which the payload of a block may refer: the columns of the blocks before it, back to
/// the last block that refers to none.
///
/// A history repeats itself over more than one block. To read any block by way of a few others, and
/// to limit the effect of damage, every 16th block stands alone, and so does a block after more
/// than 1 MiB of columns.
package struct BlockContext: Sendable {
  /// The maximum number of blocks in a context.
  package static let blockCountMax = 15
  /// The maximum size of the columns in a context, in bytes.
  package static let sizeMax = 1 << 20

  /// The columns, in the order of the blocks; empty if the next block stands alone.
  package private(set) var bytes: [UInt8] = []
  private var extent = Extent()

  /// The context of the first block.
  package init() {}

  /// Adds a block with this header and these columns.
  package mutating func append(_ header: BlockHeader, columns: UnsafeRawBufferPointer) {
    if !header.isContinued { bytes.removeAll(keepingCapacity: true) }
    extent.append(header)
    if extent.isUsable {
      bytes.append(contentsOf: columns)
    } else {
      bytes.removeAll()
    }
  }

  /// The extent of a context, which is known without its columns.
  package struct Extent: Hashable, Sendable {
    private var blockCount = 0
    private var size = 0

    package init() {}

    /// False if the next block stands alone.
    package var isUsable: Bool { (1...blockCountMax).contains(blockCount) && size <= sizeMax }

    /// Adds a block. The block is allowed if it stands alone, or if this is usable.
    package mutating func append(_ header: BlockHeader) {
      if !header.isContinued { (blockCount, size) = (0, 0) }
      blockCount += 1
      size += header.decodedSize
    }
  }
}
