package import EditModel

/// A run of consecutive entries of one document as bytes: columns, then one zstd frame.
///
/// The layout is in the article Blocks.
package enum BlockCodec {
  /// Edits, and events, that a block may hold.
  package static let editCountMax = 1 << 18
  package static let eventCountMax = 1 << 16
  /// Bytes of the decoded columns. A block of one entry, which nothing can split, may have more.
  package static let decodedSizeMax = 64 << 20
  /// Bytes of the decoded columns of a block of one entry.
  package static let singleEntrySizeMax = 8 << 30
  /// What a byte of payload may decode to where the columns are larger than `decodedSizeMax`. An
  /// encoder stores columns that shrink more than this as they are.
  package static let ratioMax = 1 << 10

  /// The block of `entries`, which are not empty, consecutive, and fit a block.
  ///
  /// `level` is zstd's, 1 to 19. Same entries and level, same bytes with one version of zstd.
  package static func encode(
    _ entries: [HistoryEntry], level: Int, with compressor: ZstdCompressor = ZstdCompressor()
  ) -> EncodedBlock {
    var meta = ByteWriter()
    var content = ByteWriter()
    for entry in entries { RecordCodec.encode(entry, meta: &meta, content: &content) }
    var columns = ByteWriter()
    columns.write(count: meta.count)
    columns.write(meta)
    columns.write(content)
    let edits = entries.compactMap { if case .edit(let edit) = $0 { edit.sequence } else { nil } }
    let payload = columns.withUnsafeBytes { compressor.compress($0, level: level) }
    let times = entries.map {
      if case .edit(let edit) = $0 { edit.time } else { Timestamp(nanoseconds: 0) }
    }
    let header = BlockHeader(
      firstSequence: edits.first ?? 0, editCount: edits.count,
      eventCount: entries.count - edits.count,
      firstTime: times[0], lastTime: times[times.count - 1], decodedSize: columns.count,
      decodedChecksum: columns.withUnsafeBytes { CRC32C.checksum($0) },
      payloadSize: payload.count, payloadChecksum: CRC32C.checksum(payload), isStored: false)
    return EncodedBlock(header: header, payload: payload)
  }

  /// The entries of a block.
  package static func decode(
    _ header: BlockHeader, _ payload: UnsafeRawBufferPointer,
    with decompressor: ZstdDecompressor = ZstdDecompressor()
  ) throws(CodecError) -> [HistoryEntry] {
    guard header.payloadSize == payload.count else { throw CodecError(.mismatch, at: 0) }
    guard CRC32C.checksum(payload) == header.payloadChecksum else {
      throw CodecError(.checksum, at: 0)
    }
    let columns = try decompressor.decompress(payload, sizeMax: header.decodedSize)
    return try ByteReader.reading(columns) { (reader) throws(CodecError) in
      let size = try reader.readCount(max: reader.remaining)
      var meta = try reader.readSlice(size)
      var entries: [HistoryEntry] = []
      while !meta.isAtEnd { entries.append(try RecordCodec.decode(meta: &meta, content: &reader)) }
      return entries
    }
  }

  /// The edits of a block as spans, in order; its events are passed over.
  package static func decodeSpans(
    _ header: BlockHeader, _ payload: UnsafeRawBufferPointer,
    with decompressor: ZstdDecompressor = ZstdDecompressor()
  ) throws(CodecError) -> [EditSpan] {
    try decode(header, payload, with: decompressor).compactMap {
      guard case .edit(let edit) = $0 else { return nil }
      return EditSpan(
        kind: .single, first: edit.sequence, count: 1, range: edit.action.range,
        units: edit.action.replacement?.units[...], attributes: edit.action.attributes)
    }
  }

  /// How many of `entries`, from the front, make the next block: at most `editCountMax` edits,
  /// and as many as fit; at least one.
  package static func prefixCount(
    of entries: ArraySlice<HistoryEntry>, editCountMax: Int = 1 << 14
  ) -> Int {
    min(entries.count, editCountMax)
  }

  /// Refuses a header that claims what no block holds.
  static func check(_ header: BlockHeader, at place: ByteReader) throws(CodecError) {
    let entryCount = header.editCount + header.eventCount
    guard entryCount >= 1, header.editCount <= editCountMax, header.eventCount <= eventCountMax,
      header.firstSequence >= 1,
      !header.firstSequence.addingReportingOverflow(UInt64(header.editCount)).overflow
    else { throw place.error(.place) }
    guard header.decodedSize <= (entryCount == 1 ? singleEntrySizeMax : decodedSizeMax),
      header.decodedSize <= decodedSizeMax || header.decodedSize / ratioMax <= header.payloadSize
    else { throw place.error(.tooLarge) }
  }
}
