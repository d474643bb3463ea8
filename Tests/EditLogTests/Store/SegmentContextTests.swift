import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Blocks of a segment that refer to one another, asked for in any order.
@Suite struct SegmentContextTests {
  /// A sealed document of 40 blocks, and its entries.
  private func make(seed: UInt64) throws -> (Segment, [HistoryEntry]) {
    var options = StoreWriter.Options.small
    options.segmentSizeMax = 1 << 20
    let writer = try StoreWriter(
      at: "/store", fileSystem: SimulatedFileSystem(), clock: FixedClock(),
      random: SeededBytes(seed: seed), options: options)
    var source = EntrySource(seed: seed)
    let document = name("a")
    var list: [HistoryEntry] = []
    // Sealed bit by bit: blocks that are full are copied, and the next ones refer to the copies.
    for _ in 0..<12 {
      let new = source.entries(of: document, count: Int.random(in: 30...70, using: &source.random))
      _ = try writer.append([(document, new)])
      list += new
      try writer.seal(document)
    }
    let state = try #require(try writer.state(of: document))
    let sealed = try #require(try writer.sealedPart(of: state))
    return (try #require(sealed.last), list)
  }

  @Test(arguments: UInt64(0)..<4)
  func `any order gives the same entries`(seed: UInt64) throws {
    let (segment, list) = try make(seed: seed)
    let blocks = segment.index.blocks
    #expect(blocks.count > 16 && blocks.contains { $0.header.isContinued })
    #expect(try blocks.flatMap { try segment.entries(of: $0) } == list)
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let block = try #require(blocks.randomElement(using: &random))
      let first = block.header.firstSequence
      let entries = try segment.entries(of: block)
      #expect(entries.count == block.header.editCount + block.header.eventCount)
      let position = list.firstIndex { $0.isEdit && $0.place == first }
      #expect(entries.first { $0.isEdit } == position.map { list[$0] })
    }
  }

  @Test func `contexts have an end`() throws {
    let (segment, _) = try make(seed: 9)
    var count = 0
    for block in segment.index.blocks {
      count = block.header.isContinued ? count + 1 : 0
      #expect(count <= BlockContext.blockCountMax)
    }
  }

  /// Footers that ask for more than a context may hold are refused before a block is read.
  @Test func `a first block has no context`() throws {
    let (segment, _) = try make(seed: 10)
    let second = try #require(segment.index.blocks.first { $0.header.isContinued })
    #expect(throws: CodecError.self) { try footerComesBack(second.header) }
    var alone = second.header
    alone.isContinued = false
    #expect(throws: Never.self) { try footerComesBack(alone) }
  }

  /// Encodes and decodes the footer of a segment of one block.
  private func footerComesBack(_ header: BlockHeader) throws(CodecError) {
    var index = SegmentIndex(dataSize: 0)
    index.blocks = [SegmentIndex.Block(offset: FileHeader.size, header: header)]
    (index.lastSequence, index.lastIndex) = (header.lastSequence, header.lastSequence)
    let offset = index.blocksEnd
    let bytes = SegmentFooter.encode(index, at: offset)
    let size = bytes.count - SegmentFooter.trailerSize
    _ = try withBytes(of: bytes) { bytes throws(CodecError) in
      let trailer = UnsafeRawBufferPointer(rebasing: bytes[size...])
      let place = try SegmentFooter.place(trailer: trailer, dataSize: offset + bytes.count)
      let footer = UnsafeRawBufferPointer(rebasing: bytes[..<size])
      return try SegmentFooter.decode(footer, at: place, dataSize: offset + bytes.count)
    }
  }
}
