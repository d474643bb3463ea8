import EditLogFormat
import EditModel

/// Writes a segment to a file with a temporary name.
///
/// `finish` reads the file back, decodes it, and compares it with what was written.
struct SegmentWriter {
  private let file: any File
  private var header: FileHeader
  private let level: Int
  /// zstd's level for blocks of one large entry.
  private let largeLevel: Int
  private let compressor = ZstdCompressor()
  private var offset = FileHeader.size
  private(set) var index: SegmentIndex
  /// The context for the next block.
  private var context = BlockContext()
  /// The new blocks by their place in the index, with the entries to which they must decode.
  private var written: [(block: Int, entries: ArraySlice<HistoryEntry>)] = []

  /// A segment of `document` whose first edit will be `first`.
  init(
    _ file: any File, store: StoreID, document: UInt64, first: SequenceNumber, level: Int,
    largeLevel: Int
  ) throws(LogError) {
    (self.file, self.level, self.largeLevel) = (file, level, largeLevel)
    header = FileHeader(.segment, store: store, number: document, second: first)
    index = SegmentIndex()
    try file.writeAll(header.bytes, at: 0)
  }

  /// Copies the first blocks of an older segment unchanged, with everything in its footer.
  mutating func copy(_ blocks: some Collection<SegmentIndex.Block>, of segment: Segment)
    throws(LogError)
  {
    let old = segment.index
    index = old
    index.blocks = []
    header.hasSelections = header.hasSelections || segment.hasSelections
    for block in blocks {
      // A copy of damage would be damage with a good checksum over it.
      let payload = try segment.payload(of: block)
      try append(EncodedBlock(header: block.header, payload: payload))
    }
    context = try segment.context(after: blocks.count)
  }

  /// Copies from the segment before the parts of the footer that are about the whole history.
  mutating func carryOn(from segment: Segment) { index.damages = segment.index.damages }

  /// Adds entries in blocks of up to `editCountMax` edits.
  mutating func append(_ entries: [HistoryEntry], editCountMax: Int) throws(LogError) {
    var rest = entries[...]
    while !rest.isEmpty {
      let count = BlockCodec.prefixCount(of: rest, editCountMax: editCountMax)
      let part = rest.prefix(count)
      written.append((index.blocks.count, part))
      try append(block: part)
      rest = rest.dropFirst(count)
    }
  }

  /// Adds one block. `check` verifies only its checksum, because its entries are not kept.
  mutating func append(block entries: ArraySlice<HistoryEntry>) throws(LogError) {
    let level = BlockCodec.isLarge(entries) ? largeLevel : level
    try append(BlockCodec.encode(entries, level: level, after: &context, with: compressor))
  }

  private mutating func append(_ block: EncodedBlock) throws(LogError) {
    var header = ByteWriter(capacity: BlockHeader.size)
    block.header.encode(to: &header)
    try header.withUnsafeBytes { buffer throws(LogError) in
      try file.writeAll(buffer, at: offset)
    }
    try file.writeAll(block.payload, at: offset + header.count)
    index.blocks.append(SegmentIndex.Block(offset: offset, header: block.header))
    offset += header.count + block.payload.count
    self.header.hasSelections = self.header.hasSelections || block.hasSelections
  }

  /// Writes the footer and the parity.
  ///
  /// `describe` completes what the footer says.
  mutating func finish(_ describe: (inout SegmentIndex) -> Void) throws(LogError) {
    describe(&index)
    let footer = SegmentFooter.encode(index, at: offset)
    index.dataSize = offset + footer.count
    try file.writeAll(footer, at: offset)
    // Whether an edit has a selection is known only now.
    if header.hasSelections { try file.writeAll(header.bytes, at: 0) }
    let parity = try ParityArea(of: file, dataSize: index.dataSize)
    try file.writeAll(parity.bytes, at: index.dataSize)
  }

  /// Reads the synced file back, and compares it with what was written.
  func check() throws(LogError) {
    let segment = try Segment(
      file, store: header.store, document: header.number, first: header.second, heals: false)
    guard try SegmentFile(file).check().isSound else { throw mismatch(at: index.dataSize) }
    guard segment.index == index else { throw mismatch(at: index.blocksEnd) }
    for (number, entries) in written {
      let block = index.blocks[number]
      guard try segment.holds(entries, in: block) else {
        throw mismatch(at: block.offset)
      }
    }
    for (number, block) in index.blocks.enumerated()
    where number < (written.first?.block ?? index.blocks.count) {
      _ = try segment.payload(of: block)
    }
  }

  private func mismatch(at offset: Int) -> LogError {
    .damaged(
      file: file.path, offset: offset, what: "the written data differs when it is read back")
  }
}
