import EditModel

/// Reads blocks of one edit with a long text in pieces. Neither the whole payload nor the whole
/// columns are in memory at once.
extension Segment {
  /// Bytes of a payload that are read at a time.
  private static let pieceSize = 1 << 20

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
    guard block.isLong else { return nil }
    return try? read(block, into: LongTextDecoder())
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
    var reading = LongBlockReading(block.header, into: target)
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

extension SegmentIndex.Block {
  /// True if the block needs no context and holds one entry: an edit with a long text.
  var isLong: Bool {
    header.editCount == 1 && header.eventCount == 0 && !header.isContinued
      && header.decodedSize > BlockContext.sizeMax
  }
}

/// A consumer of the encoding of a long text, which comes in pieces.
private protocol LongTextTarget: ~Copyable {
  /// Prepares for `size` bytes.
  mutating func begin(size: Int)
  /// Takes the next bytes.
  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError)
  /// The text, once all bytes were added.
  mutating func finish() throws(CodecError) -> UTF16Text
}

/// Compares the encoding with that of an expected text.
private struct LongTextComparison: LongTextTarget, ~Copyable {
  private let text: UTF16Text
  private var comparison: WTF8Comparison

  init(_ text: UTF16Text) {
    self.text = text
    comparison = WTF8Comparison(text)
  }

  mutating func begin(size: Int) {}

  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
    guard comparison.goesOn(with: bytes) else { throw CodecError(.mismatch, at: 0) }
  }

  mutating func finish() throws(CodecError) -> UTF16Text {
    guard !comparison.hasMore() else { throw CodecError(.mismatch, at: 0) }
    return text
  }
}

/// Decodes a text of units below 0x100.
private struct LongTextDecoder: LongTextTarget, ~Copyable {
  private var units: [UInt8] = []
  /// The first byte of a unit of two bytes, if the piece ended with it.
  private var lead: UInt8?

  mutating func begin(size: Int) { units.reserveCapacity(size) }

  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
    if lead == nil, bytes.reduce(0, |) < 0x80 { return units.append(contentsOf: bytes) }
    for byte in bytes {
      if let first = lead {
        guard byte & 0xC0 == 0x80 else { throw CodecError(.wtf8, at: 0) }
        units.append(first << 6 | byte & 0x3F)
        lead = nil
      } else if byte < 0x80 {
        units.append(byte)
      } else {
        // U+0080 to U+00FF.
        guard byte == 0xC2 || byte == 0xC3 else { throw CodecError(.wtf8, at: 0) }
        lead = byte
      }
    }
  }

  mutating func finish() throws(CodecError) -> UTF16Text {
    guard lead == nil, units.count >= UTF16Text.latin1CountMin else {
      throw CodecError(.wtf8, at: 0)
    }
    return UTF16Text(latin1: units)
  }
}

/// Reads a block whose payload comes in pieces.
private struct LongBlockReading<Target: LongTextTarget & ~Copyable>: ~Copyable {
  private let header: BlockHeader
  private let stream: ZstdStream?
  private var target: Target
  /// The columns before the text, once they are complete.
  private var head: DecodedBlock?
  private var size = 0
  private var (payloadChecksum, checksum): (UInt32, UInt32) = (0, 0)

  init(_ header: BlockHeader, into target: consuming Target) {
    self.header = header
    stream = header.isStored ? nil : ZstdStream(contentSize: header.decodedSize)
    self.target = target
  }

  /// Takes the next bytes of the payload.
  mutating func add(_ payload: UnsafeRawBufferPointer) throws(CodecError) {
    payloadChecksum = CRC32C.checksum(payload, continuing: payloadChecksum)
    guard let stream else { return try take(payload) }
    try stream.decompress(payload) { columns throws(CodecError) in try take(columns) }
  }

  private mutating func take(_ columns: UnsafeRawBufferPointer) throws(CodecError) {
    checksum = CRC32C.checksum(columns, continuing: checksum)
    size += columns.count
    guard size <= header.decodedSize else { throw CodecError(.mismatch, at: 0) }
    var columns = columns
    if head == nil {
      // A block of one edit without attributes has few bytes before its text.
      let (block, headSize) = try DecodedBlock.head(header, columns)
      head = block
      target.begin(size: header.decodedSize - headSize)
      columns = UnsafeRawBufferPointer(rebasing: columns[headSize...])
    }
    try target.add(columns)
  }

  /// The entry, once all of the payload was added.
  consuming func entry() throws(CodecError) -> HistoryEntry {
    guard size == header.decodedSize, stream?.isAtEnd ?? true, let head else {
      throw CodecError(.mismatch, at: 0)
    }
    guard payloadChecksum == header.payloadChecksum, checksum == header.decodedChecksum else {
      throw CodecError(.checksum, at: 0)
    }
    return try head.entry(inserting: try target.finish())
  }
}
