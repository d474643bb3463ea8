import EditLogFormat
import EditModel
import Synchronization

/// An open segment: immutable, even after a longer one gets its name.
final class Segment: Sendable {
  let file: SegmentFile
  let index: SegmentIndex
  /// True if its edits may have selections.
  let hasSelections: Bool
  /// The context for the block after the last decoded one.
  let lastContext = Mutex<SegmentContext?>(nil)

  /// The segment in `file`; reads its header and footer, never its blocks. Damage that the parity
  /// can mend is mended in memory, if `heals`; a footer that cannot be mended is rebuilt from the
  /// blocks: see `SegmentIndex.isRebuilt`.
  init(
    _ file: any File, store: StoreID, document: UInt64, first: SequenceNumber, heals: Bool = true
  ) throws(LogError) {
    let file = try SegmentFile(file, heals: heals)
    self.file = file
    let header = try file.healing(0..<FileHeader.size) { () throws(LogError) in
      let bytes = try file.read(FileHeader.size, at: 0)
      return try FileHeader.read(
        .segment, bytes, path: file.path, store: store, number: document)
    }
    hasSelections = header.hasSelections
    do throws(LogError) {
      index = try Self.readIndex(of: file)
    } catch {
      guard case .damaged = error, heals,
        let walked = try SegmentIndex(walking: file, first: header.second)
      else { throw error }
      index = walked
    }
    guard !index.hasRedactions else {
      throw .damaged(
        file: file.path, offset: index.blocksEnd,
        what: "it says that text was redacted, and redaction is not a feature of this version")
    }
    // Without blocks there are no edits: what the footer says comes last is what comes before.
    let begin = index.blocks.first?.header.firstSequence ?? (index.lastSequence &+ 1)
    guard header.second == first, begin == first else {
      throw .damaged(file: file.path, offset: 0, what: "the segment begins at another edit")
    }
  }

  private static func readIndex(of file: SegmentFile) throws(LogError) -> SegmentIndex {
    let trailer = file.dataSize - SegmentFooter.trailerSize
    guard trailer >= FileHeader.size else {
      throw .damaged(file: file.path, offset: file.size, what: "the segment's end is missing")
    }
    let place = try file.healing(trailer..<file.dataSize) { () throws(LogError) in
      let bytes = try file.read(SegmentFooter.trailerSize, at: trailer)
      return try decoding(bytes, of: file.path, at: trailer) { bytes throws(CodecError) in
        try SegmentFooter.place(trailer: bytes, dataSize: file.dataSize)
      }
    }
    return try file.healing(place.offset..<trailer) { () throws(LogError) in
      let footer = try file.read(place.size, at: place.offset)
      return try decoding(footer, of: file.path, at: place.offset) { bytes throws(CodecError) in
        try SegmentFooter.decode(bytes, at: place, dataSize: file.dataSize)
      }
    }
  }

  /// The bytes of a block, header and payload. O(size).
  func bytes(of block: SegmentIndex.Block) throws(LogError) -> [UInt8] {
    let bytes = try file.read(block.range.count, at: block.offset)
    guard bytes.count == block.range.count else {
      throw .damaged(file: file.path, offset: block.offset, what: "a block is cut short")
    }
    return bytes
  }

  /// Runs `body` on the header and the payload of a block, after comparing them with the footer.
  func withPayload<Result>(
    of block: SegmentIndex.Block,
    _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
  ) throws(LogError) -> Result {
    try file.healing(block.range) { () throws(LogError) in
      let bytes = try bytes(of: block)
      return try decoding(bytes, of: file.path, at: block.offset, block.header.what) {
        bytes throws(CodecError) in
        var reader = ByteReader(bytes)
        guard try BlockHeader(from: &reader) == block.header else {
          throw reader.error(.mismatch)
        }
        return try body(UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...]))
      }
    }
  }

  /// The payload of a block, after verifying its checksum.
  func payload(of block: SegmentIndex.Block) throws(LogError) -> [UInt8] {
    try withPayload(of: block) { payload throws(CodecError) in
      guard CRC32C.checksum(payload) == block.header.payloadChecksum else {
        throw CodecError(.checksum, at: BlockHeader.size)
      }
      return [UInt8](payload)
    }
  }

  /// True if a block holds these entries, and no others.
  func holds(
    _ entries: ArraySlice<HistoryEntry>, in block: SegmentIndex.Block
  ) throws(LogError) -> Bool {
    if block.header.isLong {
      return try self.entries(of: block, expecting: entries.first)[...] == entries
    }
    return try withColumns(of: block) { columns throws(CodecError) in try columns.holds(entries) }
  }

  /// The entries of a block. If it should hold only `expected`, and is long, its text is compared a
  /// piece at a time; a difference is damage.
  func entries(
    of block: SegmentIndex.Block, expecting expected: HistoryEntry? = nil
  ) throws(LogError) -> [HistoryEntry] {
    if block.header.isLong, case .edit(let edit)? = expected,
      let text = RecordCodec.wholeContent(of: edit)
    {
      return [try entry(of: block, inserting: text)]
    }
    if let entry = longEntry(of: block) { return [entry] }
    return try withColumns(of: block) { columns throws(CodecError) in try columns.entries() }
  }

  /// The edits of a block as spans.
  func spans(of block: SegmentIndex.Block) throws(LogError) -> [EditSpan] {
    if let spans = longSpans(of: block) { return spans }
    let columns = try columns(of: block)
    return try reading(block) { () throws(CodecError) in try columns.spans() }
  }

  /// The edit of a long block as a span; nil if it is not a long block, or cannot be read as one.
  func longSpans(of block: SegmentIndex.Block) -> [EditSpan]? {
    guard case .edit(let edit)? = longEntry(of: block) else { return nil }
    return [EditSpan(edit.action, at: edit.sequence)]
  }

  /// The columns of a block. Its spans are decoded.
  func columns(of block: SegmentIndex.Block) throws(LogError) -> DecodedBlock {
    try withColumns(of: block) { columns throws(CodecError) in
      _ = try columns.spans()
      return columns
    }
  }

  /// Runs `body`, which reads a decoded block. An error is damage of the block.
  func reading<Result>(
    _ block: SegmentIndex.Block, _ body: () throws(CodecError) -> Result
  ) throws(LogError) -> Result {
    do throws(CodecError) { return try body() } catch {
      throw .damaged(
        file: file.path, offset: block.offset,
        what: "\(block.header.what) cannot be read: \(error.problem.rawValue)")
    }
  }
}

/// Decodes bytes at `offset` of the file at `path`. If they cannot be decoded, that is damage
/// there.
func decoding<Result>(
  _ bytes: [UInt8], of path: String, at offset: Int, _ what: @autoclosure () -> String? = nil,
  _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
) throws(LogError) -> Result {
  do throws(CodecError) {
    return try withBytes(of: bytes, body)
  } catch {
    let problem = error.problem.rawValue
    throw .damaged(
      file: path, offset: offset + error.offset,
      what: what().map { "\($0) cannot be read: \(problem)" } ?? problem)
  }
}

extension BlockHeader {
  /// The entries that are lost with the block, in words.
  fileprivate var what: String {
    editCount == 0
      ? "\(eventCount) events after edit \(lastSequence)"
      : "edits \(firstSequence) to \(lastSequence)"
  }
}
