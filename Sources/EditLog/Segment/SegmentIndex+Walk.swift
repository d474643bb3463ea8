import EditLogFormat
import EditModel

extension SegmentIndex {
  /// The index of a segment whose footer cannot be found or read, from its blocks. They follow one
  /// another from the file's header on, each after its own header. If a footer follows them, only
  /// its offset was lost, and the index is complete.
  ///
  /// Nil if there is no valid block. O(blocks), or O(size) without a footer.
  init?(walking file: SegmentFile, first: SequenceNumber) throws(LogError) {
    self.init(dataSize: file.dataSize)
    var offset = FileHeader.size
    var context = BlockContext.Extent()
    while let header = try Self.header(in: file, at: offset),
      header.firstSequence == blocks.last.map({ $0.header.lastSequence &+ 1 }) ?? first,
      !header.isContinued || context.isUsable
    {
      context.append(header)
      let block = Block(offset: offset, header: header)
      blocks.append(block)
      offset = block.range.upperBound
    }
    if let index = try Self.footer(in: file, at: offset) {
      self = index
      return
    }
    guard let last = blocks.last?.header else { return nil }
    isRebuilt = true
    lastSequence = last.lastSequence
    // Counted from the segment's start: the caller adds what comes before.
    lastIndex = blocks.reduce(0) { $0 + UInt64($1.header.editCount + $1.header.eventCount) }
    var columns = BlockContext()
    for block in blocks { try note(block, of: file, &columns) }
  }

  /// The block header at `offset`; nil if none is valid, or its payload is not in the file.
  private static func header(
    in file: SegmentFile, at offset: Int
  ) throws(LogError) -> BlockHeader? {
    func read() throws(LogError) -> BlockHeader? {
      let bytes = try file.read(BlockHeader.size, at: offset)
      return try? ByteReader.reading(bytes) { reader throws(CodecError) in
        try BlockHeader(from: &reader)
      }
    }
    let header = try ifUsable { () throws(LogError) in
      try file.healing(offset..<offset + BlockHeader.size) { () throws(LogError) in
        if let header = try read() { return header }
        throw .damaged(file: file.path, offset: offset, what: "there is no block here")
      }
    }
    guard let header, header.payloadSize <= file.dataSize - offset - BlockHeader.size else {
      return nil
    }
    return header
  }

  /// The index from the footer at `offset`, which a trailer must follow; nil if there is none.
  private static func footer(
    in file: SegmentFile, at offset: Int
  ) throws(LogError) -> SegmentIndex? {
    guard let size = try footerSize(in: file, at: offset) else { return nil }
    let dataSize = offset + size + SegmentFooter.trailerSize
    let trailer = try file.read(SegmentFooter.trailerSize, at: offset + size)
    guard trailer.count == SegmentFooter.trailerSize else { return nil }
    let footer = try file.read(size, at: offset)
    return try? withBytes(of: trailer) { trailer throws(CodecError) in
      let place = try SegmentFooter.place(trailer: trailer, dataSize: dataSize)
      guard place.offset == offset else { throw CodecError(.mismatch, at: 8) }
      return try withBytes(of: footer) { footer throws(CodecError) in
        try SegmentFooter.decode(footer, at: place, dataSize: dataSize)
      }
    }
  }

  /// The size of the presumed footer at `offset` of `file`, from the sizes of its sections; nil if
  /// it does not fit the file.
  private static func footerSize(
    in file: SegmentFile, at offset: Int
  ) throws(LogError) -> Int? {
    func read(_ count: Int, at place: Int) throws(LogError) -> UInt64? {
      let bytes = try file.read(count, at: place)
      return bytes.count == count ? UInt64(littleEndianBytes: bytes) : nil
    }
    guard let count = try read(4, at: offset), count <= SegmentFooter.sectionCountMax else {
      return nil
    }
    var size = 4
    for _ in 0..<count {
      guard let section = try read(8, at: offset + size + 4), section <= SegmentFooter.sizeMax
      else { return nil }
      size += 12 + Int(section)
      guard size <= SegmentFooter.sizeMax, offset + size <= file.size else { return nil }
    }
    return size
  }

  /// Adds the sessions and events of a block, as far as it can be read.
  private mutating func note(
    _ block: Block, of file: SegmentFile, _ context: inout BlockContext
  ) throws(LogError) {
    let bytes = try file.read(block.range.count, at: block.offset)
    let columns = try? withBytes(of: bytes) { bytes throws(CodecError) in
      guard bytes.count > BlockHeader.size else { throw CodecError(.truncated, at: bytes.count) }
      let payload = UnsafeRawBufferPointer(rebasing: bytes[BlockHeader.size...])
      return try DecodedBlock(
        block.header, payload: payload, after: context, with: ZstdDecompressor())
    }
    columns?.extend(&context)
    for entry in (try? columns?.entries()) ?? [] {
      sessions.note(entry)
      if case .event(let event) = entry { events.append(event) }
    }
  }
}
