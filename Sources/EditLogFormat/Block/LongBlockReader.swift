package import EditModel

extension BlockHeader {
  /// True if the block needs no context and holds one entry: an edit with a long text.
  package var isLong: Bool {
    editCount == 1 && eventCount == 0 && !isContinued && decodedSize > BlockContext.sizeMax
  }
}

/// A consumer of the encoding of a long text, which comes in pieces.
package protocol LongTextTarget: ~Copyable {
  /// Prepares for `size` bytes.
  mutating func begin(size: Int)
  /// Takes the next bytes.
  mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError)
  /// The text, once all bytes were added.
  mutating func finish() throws(CodecError) -> UTF16Text
}

/// Compares the encoding with that of an expected text.
package struct LongTextComparison: LongTextTarget, ~Copyable {
  private let text: UTF16Text
  private var comparison: WTF8Comparison

  package init(_ text: UTF16Text) {
    self.text = text
    comparison = WTF8Comparison(text)
  }

  package mutating func begin(size: Int) {}

  package mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
    guard comparison.continues(with: bytes) else { throw CodecError(.mismatch, at: 0) }
  }

  package mutating func finish() throws(CodecError) -> UTF16Text {
    guard !comparison.hasMore() else { throw CodecError(.mismatch, at: 0) }
    return text
  }
}

/// Decodes a text of units below 0x100.
package struct LongTextDecoder: LongTextTarget, ~Copyable {
  private var units: [UInt8] = []
  /// The first byte of a unit of two bytes, if the piece ended with it.
  private var lead: UInt8?

  package init() {}

  package mutating func begin(size: Int) { units.reserveCapacity(size) }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
    var offset = 0
    while offset < bytes.count {
      if lead == nil {
        let end = bytes.endOfASCII(from: offset)
        units.append(contentsOf: bytes[offset..<end])
        offset = end
        guard offset < bytes.count else { return }
      }
      let byte = bytes[offset]
      offset += 1
      if let first = lead {
        guard byte & 0xC0 == 0x80 else { throw CodecError(.wtf8, at: 0) }
        units.append(first << 6 | byte & 0x3F)
        lead = nil
      } else {
        // U+0080 to U+00FF.
        guard byte == 0xC2 || byte == 0xC3 else { throw CodecError(.wtf8, at: 0) }
        lead = byte
      }
    }
  }

  package mutating func finish() throws(CodecError) -> UTF16Text {
    guard lead == nil, units.count >= UTF16Text.latin1CountMin else {
      throw CodecError(.wtf8, at: 0)
    }
    return UTF16Text(latin1: units)
  }
}

extension UnsafeRawBufferPointer {
  /// The offset of the first byte from `offset` on that is not ASCII, or the end. Eight bytes at a time.
  fileprivate func endOfASCII(from offset: Int) -> Int {
    var offset = offset
    while offset + 8 <= count {
      let others =
        loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian & 0x8080_8080_8080_8080
      if others != 0 { return offset + others.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < count, self[offset] < 0x80 { offset += 1 }
    return offset
  }
}

/// Reads a block whose payload comes in pieces.
package struct LongBlockReader<Target: LongTextTarget & ~Copyable>: ~Copyable {
  private let header: BlockHeader
  private let stream: ZstdStream?
  private var target: Target
  /// The columns before the text, once they are complete.
  private var head: DecodedBlock?
  private var size = 0
  private var (payloadChecksum, checksum): (UInt32, UInt32) = (0, 0)

  package init(_ header: BlockHeader, into target: consuming Target) {
    self.header = header
    stream = header.isStored ? nil : ZstdStream(contentSize: header.decodedSize)
    self.target = target
  }

  /// Takes the next bytes of the payload.
  package mutating func add(_ payload: UnsafeRawBufferPointer) throws(CodecError) {
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
  package consuming func entry() throws(CodecError) -> HistoryEntry {
    guard size == header.decodedSize, stream?.isAtEnd ?? true, let head else {
      throw CodecError(.mismatch, at: 0)
    }
    guard payloadChecksum == header.payloadChecksum, checksum == header.decodedChecksum else {
      throw CodecError(.checksum, at: 0)
    }
    return try head.entry(inserting: try target.finish())
  }
}
