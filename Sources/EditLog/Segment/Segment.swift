import EditModel
import Synchronization

/// An open segment: immutable, also where a longer one takes its name.
final class Segment: Sendable {
  let file: any File
  let index: SegmentIndex
  /// What the block behind the one that was decoded last may refer to.
  let lastContext = Mutex<SegmentContext?>(nil)

  /// Bytes a first read of the file's end takes: the footer of most segments is in it.
  private static let tailSize = 8192

  /// The segment in `file`; reads its header and footer, never its blocks.
  init(
    _ file: any File, store: StoreID, document: UInt64, first: SequenceNumber
  ) throws(LogError) {
    self.file = file
    let header = try FileHeader.read(.segment, of: file, store: store, number: document)
    index = try Self.readIndex(of: file)
    guard header.second == first, index.blocks.first?.header.firstSequence ?? first == first else {
      throw .damaged(file: file.path, offset: 0, what: "the segment begins at another edit")
    }
  }

  private static func readIndex(of file: any File) throws(LogError) -> SegmentIndex {
    let size = try file.size()
    let trailer = size - SegmentFooter.trailerSize
    let start = max(0, size - tailSize)
    let tail = try file.read(size - start, at: start)
    guard trailer >= FileHeader.size, tail.count == size - start else {
      throw .damaged(file: file.path, offset: size, what: "the segment's end is missing")
    }
    let place = try decoding(tail, of: file, at: start) { bytes throws(CodecError) in
      let trailer = UnsafeRawBufferPointer(rebasing: bytes[(trailer - start)...])
      return try SegmentFooter.place(trailer: trailer, fileSize: size)
    }
    let footer =
      place.offset >= start
      ? Array(tail[(place.offset - start)..<(trailer - start)])
      : try file.read(place.size, at: place.offset)
    return try decoding(footer, of: file, at: place.offset) { bytes throws(CodecError) in
      try SegmentFooter.decode(bytes, at: place, fileSize: size)
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

  /// Runs `body` on the header and the payload of a block, which are those the footer names.
  func withPayload<Result>(
    of block: SegmentIndex.Block,
    _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
  ) throws(LogError) -> Result {
    let bytes = try bytes(of: block)
    return try decoding(bytes, of: file, at: block.offset) { bytes throws(CodecError) in
      var reader = ByteReader(bytes)
      guard try BlockHeader(from: &reader) == block.header else { throw reader.error(.mismatch) }
      return try body(UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...]))
    }
  }

  /// The entries of a block.
  func entries(of block: SegmentIndex.Block) throws(LogError) -> [HistoryEntry] {
    try withColumns(of: block) { columns throws(CodecError) in try columns.entries() }
  }

  /// The edits of a block as spans.
  func spans(of block: SegmentIndex.Block) throws(LogError) -> [EditSpan] {
    try withColumns(of: block) { columns throws(CodecError) in try columns.spans() }
  }
}

/// Decodes bytes that stand at `offset` of `file`; what does not decode is damage there.
func decoding<Result>(
  _ bytes: [UInt8], of file: any File, at offset: Int,
  _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
) throws(LogError) -> Result {
  do throws(CodecError) {
    return try withBytes(of: bytes, body)
  } catch {
    throw .damaged(
      file: file.path, offset: offset + error.offset, what: "\(error.problem.rawValue)")
  }
}
