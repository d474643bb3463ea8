import EditModel

/// The bytes of a segment after its blocks: sections, and a trailer of 32 bytes that says where
/// they start. An unknown section is skipped.
package enum SegmentFooter {
  package static let trailerSize = 32
  /// The maximum size of a footer in bytes.
  package static let sizeMax = 1 << 30
  package static let magic: [UInt8] = [0x89, 0x45, 0x4C, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]

  private enum Section: UInt32 {
    case summary = 1
    case blocks = 2
    case sessions = 3
    case events = 4
    case chain = 5
    case damages = 6
    case name = 7
    case compacted = 8
    /// Reserved, and refused until there is redaction: see FileFormat.
    case redactions = 9
  }

  // MARK: Writing

  /// The footer and trailer of a segment whose blocks end at `offset`.
  package static func encode(_ index: SegmentIndex, at offset: Int) -> [UInt8] {
    let sections: [(Section, ByteWriterBody)] = [
      (.summary, { summary(index, &$0) }), (.blocks, { blocks(index, &$0) }),
      (.sessions, { sessions(index, &$0) }), (.events, { events(index, &$0) }),
      (.chain, { chain(index.chain, &$0) }), (.damages, { damages(index, &$0) }),
      (.name, { if let name = index.name { $0.write(string: name.name) } }),
      (.compacted, { $0.write(count: index.compactedCount) }),
    ]
    var footer = ByteWriter(capacity: 4096)
    footer.write(fixed: UInt32(sections.count))
    for (section, write) in sections {
      var body = ByteWriter()
      write(&body)
      footer.write(fixed: section.rawValue)
      footer.write(fixed: UInt64(body.count))
      footer.write(body)
    }
    let (size, sum) = (footer.count, footer.withUnsafeBytes { CRC32C.checksum($0) })
    let start = footer.count
    footer.write(bytes: magic)
    footer.write(fixed: UInt64(offset))
    footer.write(fixed: UInt64(size))
    footer.write(fixed: sum)
    let trailerSum = footer.withUnsafeBytes {
      CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    footer.write(fixed: trailerSum)
    return footer.bytes
  }

  private typealias ByteWriterBody = (inout ByteWriter) -> Void

  private static func summary(_ index: SegmentIndex, _ body: inout ByteWriter) {
    body.write(fixed: index.lastIndex)
    body.write(fixed: index.lastSequence)
    body.write(fixed: index.journal)
    body.write(count: index.head == nil ? 0 : 1)
    index.head?.withUnsafeBytes { body.write(bytes: $0) }
  }

  private static func blocks(_ index: SegmentIndex, _ body: inout ByteWriter) {
    body.write(count: index.blocks.count)
    for block in index.blocks { block.header.encode(to: &body) }
  }

  private static func sessions(_ index: SegmentIndex, _ body: inout ByteWriter) {
    body.write(count: index.sessions.count)
    let names = index.sessions.keys.sorted { left, right in
      left.name.precedesExactly(right.name)
    }
    for name in names {
      guard let mark = index.sessions[name] else { continue }
      body.write(string: name.name)
      body.write(varint: mark.counter)
      body.write(varint: mark.sequence)
    }
  }

  private static func events(_ index: SegmentIndex, _ body: inout ByteWriter) {
    body.write(count: index.events.count)
    var meta = ByteWriter()
    var content = ByteWriter()
    for event in index.events {
      RecordCodec.encode(.event(event), meta: &meta, content: &content)
    }
    body.write(count: meta.count)
    body.write(meta)
    body.write(content)
  }

  private static func chain(_ chain: ChainPart, _ body: inout ByteWriter) {
    body.write(varint: chain.firstSalt)
    body.write(count: chain.salts.count)
    for salt in chain.salts { body.write(bytes: salt) }
    body.write(varint: chain.firstLink)
    body.write(count: chain.links.count)
    for link in chain.links { link.withUnsafeBytes { body.write(bytes: $0) } }
  }

  private static func damages(_ index: SegmentIndex, _ body: inout ByteWriter) {
    body.write(count: index.damages.count)
    for damage in index.damages {
      body.write(varint: damage.after)
      body.write(varint: damage.lostEntries)
      body.write(varint: damage.unreachableEntries)
      body.write(varint: damage.journal)
    }
  }

  // MARK: Reading

  /// Where a footer is.
  package struct Place {
    package var offset: Int
    package var size: Int
    package var checksum: UInt32
  }

  /// The footer's place according to the trailer at the end of `dataSize` bytes.
  package static func place(
    trailer: UnsafeRawBufferPointer, dataSize: Int
  ) throws(CodecError) -> Place {
    var reader = ByteReader(trailer)
    guard try reader.readBytes(8).elementsEqual(magic) else { throw reader.error(.unknown) }
    let (offset, size) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
    let checksum = try reader.read(UInt32.self)
    let sum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: trailer[..<(trailerSize - 4)]))
    guard try reader.read(UInt32.self) == sum else { throw reader.error(.checksum) }
    guard let offset = Int(exactly: offset), let size = Int(exactly: size),
      offset >= FileHeader.size, offset <= dataSize, size <= sizeMax,
      size == dataSize - trailerSize - offset
    else { throw reader.error(.mismatch) }
    return Place(offset: offset, size: size, checksum: checksum)
  }

  /// The maximum number of sections that are searched for the end of a footer whose place is lost.
  package static let sectionCountMax = 256

  /// The index in a footer.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer, at place: Place, dataSize: Int
  ) throws(CodecError) -> SegmentIndex {
    guard CRC32C.checksum(bytes) == place.checksum else { throw CodecError(.checksum, at: 0) }
    var reader = ByteReader(bytes)
    var index = SegmentIndex(dataSize: dataSize)
    for _ in 0..<(try reader.read(UInt32.self)) {
      let section = Section(rawValue: try reader.read())
      guard let size = Int(exactly: try reader.read(UInt64.self)) else {
        throw reader.error(.tooLarge)
      }
      var body = try reader.readSlice(size)
      guard let section else { continue }
      switch section {
      case .summary: try readSummary(&body, &index)
      case .blocks: try readBlocks(&body, &index)
      case .sessions: try readSessions(&body, &index)
      case .events: try readEvents(&body, &index)
      case .chain: try readChain(&body, &index)
      case .damages: try readDamages(&body, &index)
      case .compacted: index.compactedCount = try body.readCount(max: dataSize)
      case .redactions:
        // Every reader refuses the segment, because the content of this section could not be
        // verified.
        index.hasRedactions = true
        continue
      case .name where body.isAtEnd: break
      case .name: index.name = DocumentID(stored: try body.readString(sizeMax: DocumentID.sizeMax))
      }
      try body.expectEnd()
    }
    try reader.expectEnd()
    guard index.blocksEnd == place.offset, index.compactedCount <= index.blocks.count,
      index.blocks.last?.header.lastSequence ?? index.lastSequence == index.lastSequence
    else { throw reader.error(.mismatch) }
    return index
  }

  private static func readSummary(
    _ body: inout ByteReader, _ index: inout SegmentIndex
  ) throws(CodecError) {
    index.lastIndex = try body.read()
    index.lastSequence = try body.read()
    index.journal = try body.read()
    guard index.lastIndex <= StoreLayout.numberMax, index.lastSequence <= index.lastIndex,
      index.journal <= StoreLayout.numberMax
    else { throw body.error(.tooLarge) }
    if try body.readCount(max: 1) == 1 { index.head = try ChainHead(&body) }
  }

  private static func readBlocks(
    _ body: inout ByteReader, _ index: inout SegmentIndex
  ) throws(CodecError) {
    let count = try body.readCount(max: body.remaining / BlockHeader.size)
    var offset = FileHeader.size
    var context = BlockContext.Extent()
    for _ in 0..<count {
      let header = try BlockHeader(from: &body)
      guard !header.isContinued || context.isUsable else { throw body.error(.place) }
      context.append(header)
      guard header.payloadSize <= index.dataSize - offset - BlockHeader.size else {
        throw body.error(.tooLarge)
      }
      if let last = index.blocks.last?.header {
        guard header.firstSequence == last.lastSequence &+ 1 else { throw body.error(.place) }
      }
      let block = SegmentIndex.Block(offset: offset, header: header)
      index.blocks.append(block)
      offset = block.range.upperBound
    }
  }

  private static func readSessions(
    _ body: inout ByteReader, _ index: inout SegmentIndex
  ) throws(CodecError) {
    for _ in 0..<(try body.readCount(max: body.remaining)) {
      guard let name = SessionID(try body.readString(sizeMax: SessionID.sizeMax)) else {
        throw body.error(.name)
      }
      index.sessions[name] = SessionMark(
        counter: try body.readVarint(), sequence: try body.readVarint())
    }
  }

  private static func readEvents(
    _ body: inout ByteReader, _ index: inout SegmentIndex
  ) throws(CodecError) {
    let count = try body.readCount(max: body.remaining)
    var meta = try body.readSlice(try body.readCount(max: body.remaining))
    for _ in 0..<count {
      guard case .event(let event) = try RecordCodec.decode(meta: &meta, content: &body) else {
        throw meta.error(.unknown)
      }
      index.events.append(event)
    }
    try meta.expectEnd()
  }

  private static func readChain(
    _ body: inout ByteReader, _ index: inout SegmentIndex
  ) throws(CodecError) {
    index.chain.firstSalt = try body.readVarint()
    for _ in 0..<(try body.readCount(max: body.remaining / DocumentChain.saltSize)) {
      index.chain.salts.append([UInt8](try body.readBytes(DocumentChain.saltSize)))
    }
    index.chain.firstLink = try body.readVarint()
    for _ in 0..<(try body.readCount(max: body.remaining / ChainHead.size)) {
      index.chain.links.append(try ChainHead(&body))
    }
  }

  private static func readDamages(
    _ body: inout ByteReader, _ index: inout SegmentIndex
  ) throws(CodecError) {
    for _ in 0..<(try body.readCount(max: body.remaining)) {
      index.damages.append(
        HistoryDamage(
          after: try body.readVarint(), lostEntries: try body.readVarint(),
          unreachableEntries: try body.readVarint(), journal: try body.readVarint()))
    }
  }
}
