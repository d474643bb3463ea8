import EditLogFormat
import EditModel
import Synchronization

/// The context of one block of a segment.
struct SegmentContext: Sendable {
  /// The number of the block in the segment's index.
  var block: Int
  var context = BlockContext()
}

extension Segment {
  /// Runs `body` on a block's columns.
  ///
  /// Decompresses up to 15 blocks before it, or none if the block before it was read last. If a
  /// block of the context is damaged, so is this block.
  func withColumns<Result>(
    of block: SegmentIndex.Block, _ body: (DecodedBlock) throws(CodecError) -> Result
  ) throws(LogError) -> Result {
    let number = index.blocks.partitionPoint { $0.offset < block.offset }
    let decompressor = ZstdDecompressor()
    var context = try context(of: number, by: block.header.isContinued, with: decompressor)
    let result = try withPayload(of: block) { payload throws(CodecError) in
      let columns = try DecodedBlock(
        block.header, payload: payload, after: context.context, with: decompressor)
      let result = try body(columns)
      columns.extend(&context.context)
      return result
    }
    context.block = number + 1
    let isOfUse = context.block < index.blocks.count && index.blocks[number + 1].header.isContinued
    lastContext.withLock { $0 = isOfUse ? context : nil }
    return result
  }

  /// The context for the block after the first `count` blocks.
  func context(after count: Int) throws(LogError) -> BlockContext {
    guard count > 0 else { return BlockContext() }
    var extent = BlockContext.Extent()
    for block in index.blocks[..<count] { extent.append(block.header) }
    return extent.isUsable
      ? try context(of: count, by: true, with: ZstdDecompressor()).context : BlockContext()
  }

  /// The context of block `number`; an empty one if it is not `needed`.
  private func context(
    of number: Int, by isNeeded: Bool, with decompressor: ZstdDecompressor
  ) throws(LogError) -> SegmentContext {
    guard isNeeded else { return SegmentContext(block: number) }
    let blocks = index.blocks
    let first = blocks[..<number].lastIndex { !$0.header.isContinued } ?? 0
    // Moved out, so that it grows in place. Meanwhile another thread starts from the first block.
    let known = lastContext.withLock { last in
      defer { last = nil }
      return last
    }
    var context = SegmentContext(block: first)
    if let known, (first + 1...number).contains(known.block) { context = known }
    while context.block < number {
      let block = blocks[context.block]
      try withPayload(of: block) { payload throws(CodecError) in
        let columns = try DecodedBlock(
          block.header, payload: payload, after: context.context, with: decompressor)
        columns.extend(&context.context)
      }
      context.block += 1
    }
    return context
  }
}
