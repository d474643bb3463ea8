import EditLogFormat
import EditModel

/// Reads blocks of one edit with a long text in pieces. Neither the whole payload nor the whole
/// columns are in memory at once.
extension Segment {
  /// Bytes of a payload that are read at a time.
  private static let pieceSize = 1 << 20
  /// Bytes of a payload that hold the columns before the text.
  private static let headSize = 256 << 10

  /// The entry of a block that needs no context and holds one edit, which inserts `text` without
  /// attributes.
  ///
  /// - Throws: `LogError.damaged` if the edit inserts another text or the block is damaged,
  ///   `LogError.io`.
  func entry(
    of block: SegmentIndex.Block, inserting text: UTF16Text
  ) throws(LogError) -> HistoryEntry {
    try file.healing(block.range) { () throws(LogError) in
      try read(block, into: LongTextComparison(text))
    }
  }

  /// The entry of a block that needs no context and holds one edit. Returns nil if the edit does not
  /// insert a long text of units below 0x100 without attributes, or if the block is damaged.
  func longEntry(of block: SegmentIndex.Block) -> HistoryEntry? {
    guard block.header.isLong else { return nil }
    return try? read(block, into: LongTextDecoder())
  }

  /// The edit of a block that needs no context and holds one edit, as a span without units, and the
  /// number of units that it inserts. Only the start of the block is read, and its checksums are not
  /// verified. Returns nil if the edit changes attributes, or if the block is damaged.
  func longSpanWithoutText(
    of block: SegmentIndex.Block
  ) throws(LogError) -> (span: EditSpan, insertedLength: Int)? {
    guard block.header.isLong else { return nil }
    let start = block.offset + BlockHeader.size
    let piece = try file.read(
      min(Self.headSize, block.range.upperBound - start), at: start)
    return try? withBytes(of: piece) { payload throws(CodecError) in
      if block.header.isStored {
        return try DecodedBlock.head(block.header, payload).block.spanWithoutText()
      }
      var head: DecodedBlock?
      try ZstdStream(contentSize: block.header.decodedSize).decompress(payload) {
        columns throws(CodecError) in
        if head == nil { head = try DecodedBlock.head(block.header, columns).block }
      }
      return try head?.spanWithoutText()
    }
  }

  private func read<Target: LongTextTarget & ~Copyable>(
    _ block: SegmentIndex.Block, into target: consuming Target
  ) throws(LogError) -> HistoryEntry {
    let header = try file.read(BlockHeader.size, at: block.offset)
    try decoding(header, of: file.path, at: block.offset) { bytes throws(CodecError) in
      var reader = ByteReader(bytes)
      guard try BlockHeader(from: &reader) == block.header else { throw reader.error(.mismatch) }
      try BlockCodec.check(block.header, at: reader)
    }
    var reading = LongBlockReader(block.header, into: target)
    var offset = block.offset + BlockHeader.size
    while offset < block.range.upperBound {
      let size = min(Self.pieceSize, block.range.upperBound - offset)
      let piece = try file.read(size, at: offset)
      guard piece.count == size else {
        throw .damaged(file: file.path, offset: block.offset, what: "a block is cut short")
      }
      try decoding(piece, of: file.path, at: offset) { bytes throws(CodecError) in
        try reading.add(bytes)
      }
      offset += size
    }
    do throws(CodecError) { return try reading.entry() } catch {
      throw .damaged(file: file.path, offset: block.offset, what: error.problem.rawValue)
    }
  }
}
