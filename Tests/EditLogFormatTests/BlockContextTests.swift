import EditModel
import TestSupport
import Testing

@testable import EditLogFormat

/// Blocks that refer to the ones before them.
@Suite struct BlockContextTests {
  /// Blocks of a history in a row, and what they hold.
  private struct Row {
    var blocks: [EncodedBlock] = []
    var entries: [[HistoryEntry]] = []

    init(seed: UInt64, blockCount: Int, editCount: Int = 20, level: Int = 3) {
      var generator = EntryGenerator(seed: seed)
      var rest = generator.history(count: blockCount * editCount)[...]
      var context = BlockContext()
      while !rest.isEmpty, blocks.count < blockCount {
        let part = Array(rest.prefix(BlockCodec.prefixCount(of: rest, editCountMax: editCount)))
        rest = rest.dropFirst(part.count)
        blocks.append(BlockCodec.encode(part[...], level: level, after: &context))
        entries.append(part)
      }
    }

    /// The columns of block `number`, by way of those it refers to.
    func open(_ number: Int) throws(CodecError) -> DecodedBlock {
      let first = blocks[...number].lastIndex { !$0.header.isContinued } ?? 0
      var context = BlockContext()
      for block in blocks[first..<number] { try block.open(after: context).extend(&context) }
      return try blocks[number].open(after: context)
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `entries come back from any block`(seed: UInt64) throws {
    let row = Row(seed: seed, blockCount: 40)
    var random = SplitMix64(seed: seed)
    for number in row.blocks.indices.shuffled(using: &random) {
      #expect(try row.open(number).entries() == row.entries[number])
    }
  }

  @Test func `every sixteenth block stands alone`() {
    let row = Row(seed: 1, blockCount: 40)
    let alone = row.blocks.indices.filter { !row.blocks[$0].header.isContinued }
    #expect(alone == [0, 16, 32])
  }

  @Test func `a block after many columns stands alone`() throws {
    func block(_ sequence: UInt64, _ count: Int, _ context: inout BlockContext) -> EncodedBlock {
      var random = SplitMix64(seed: sequence)
      let units = (0..<count).map { _ in UInt16(97 + random.next() % 26) }
      let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units))
      let entry = HistoryEntry.edit(Edit(sequence: sequence, action: action))
      return BlockCodec.encode([entry], level: 1, after: &context)
    }
    var context = BlockContext()
    let sizes = [400_000, 400_000, 400_000, 10, 10, 2_000_000, 10, 10]
    let blocks = sizes.enumerated().map { block(UInt64($0 + 1), $1, &context) }
    #expect(
      blocks.map(\.header.isContinued) == [false, true, true, false, true, true, false, true])
    #expect(context.bytes.count < BlockContext.sizeMax)
  }

  @Test func `context makes blocks smaller`() {
    let (row, few) = (Row(seed: 2, blockCount: 16), Row(seed: 2, blockCount: 1))
    #expect(row.blocks[0] == few.blocks[0])
    var alone = 0
    for entries in row.entries { alone += BlockCodec.encode(entries, level: 3).payload.count }
    #expect(row.blocks.reduce(0) { $0 + $1.payload.count } < alone)
  }

  @Test func `a block is refused without its context and with another`() throws {
    let row = Row(seed: 3, blockCount: 2, editCount: 400)
    let other = Row(seed: 4, blockCount: 2, editCount: 400)
    #expect(throws: CodecError(.mismatch, at: 0)) { try row.blocks[1].open(after: BlockContext()) }
    var context = BlockContext()
    try other.open(0).extend(&context)
    #expect(throws: CodecError.self) { try row.blocks[1].open(after: context) }
    // One that stands alone does not look at any.
    #expect(try row.blocks[0].open(after: context).entries() == row.entries[0])
  }

  @Test(arguments: UInt64(0)..<3)
  func `every flipped bit of a continued block is seen or harmless`(seed: UInt64) throws {
    let row = Row(seed: seed, blockCount: 2, editCount: 12)
    var context = BlockContext()
    try row.open(0).extend(&context)
    let block = row.blocks[1]
    #expect(block.header.isContinued)
    for payload in block.payload.flips {
      var damaged = EncodedBlock(header: block.header, payload: payload)
      #expect(throws: CodecError(.checksum, at: 0)) { try damaged.open(after: context) }
      damaged.header.payloadChecksum = CRC32C.checksum(payload)
      if let opened = try? damaged.open(after: context) {
        #expect(try opened.entries() == row.entries[1])
      }
    }
  }

  @Test func `flags of a header are one or none`() throws {
    var writer = ByteWriter()
    Row(seed: 5, blockCount: 2).blocks[1].header.encode(to: &writer)
    for flags in UInt8(0)...255 {
      var bytes = writer.bytes
      bytes[56] = flags
      let sum = CRC32C.checksum(Array(bytes[..<60]))
      for index in 0..<4 { bytes[60 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
      let header = try? ByteReader.reading(bytes) { (reader) throws(CodecError) in
        try BlockHeader(from: &reader)
      }
      #expect((header != nil) == (flags <= 2))
      #expect(header.map { $0.isContinued == (flags == 2) && $0.isStored == (flags == 1) } ?? true)
    }
  }

  /// Two who write at once: each comes back to where they were.
  @Test func `places that were left take a byte each`() throws {
    var (first, second) = (10, 1_000_000)
    let entries = (0..<200).map { index in
      let isSecond = index / 4 % 2 == 1
      defer {
        if isSecond { second += 1 } else { (first, second) = (first + 1, second + 1) }
      }
      let place = isSecond ? second : first
      return HistoryEntry.edit(
        Edit(
          sequence: UInt64(index + 1),
          action: EditAction(replacing: UTF16Range(place..<place), with: "a")))
    }
    let block = BlockCodec.encode(entries, level: 3)
    let opened = try block.open(after: BlockContext())
    #expect(try opened.entries() == entries)
    // 50 rows and places, 200 units of text, and little else.
    #expect(block.header.decodedSize < 50 * 2 + 200 + 60)
  }
}

extension EncodedBlock {
  fileprivate func open(after context: BlockContext) throws(CodecError) -> DecodedBlock {
    try payload.withUnsafeBufferPointer { (payload) throws(CodecError) in
      try DecodedBlock(header, payload: UnsafeRawBufferPointer(payload), after: context)
    }
  }
}
