package import EditModel

/// A run of consecutive entries of one document as bytes: columns, then one zstd frame.
///
/// The layout is in the article Blocks.
package enum BlockCodec {
  /// The layout of the columns.
  package static let version: UInt8 = 1
  /// The layout of the columns of a block of which an edit has a selection.
  package static let versionWithSelections: UInt8 = 2
  /// The minimum size of a piece of columns with its own statistics in the compressor, in bytes.
  package static let pieceSizeMin = 128

  /// The maximum numbers of edits and of events in a block.
  package static let editCountMax = 1 << 18
  package static let eventCountMax = 1 << 16
  /// The maximum size of the decoded columns in bytes. A block of one entry, which cannot be split,
  /// may have more.
  package static let decodedSizeMax = 64 << 20
  /// The maximum size of the decoded columns of a block of one entry, in bytes.
  package static let singleEntrySizeMax = 8 << 30
  /// The maximum ratio of the columns to the payload, if the columns are larger than
  /// `decodedSizeMax`. Columns that shrink more than this are stored uncompressed.
  package static let ratioMax = 1 << 10

  /// The block of `entries`, which are not empty, consecutive, and fit a block.
  ///
  /// `level` is zstd's, 1 to 19. With one version of zstd, the same entries, level and context
  /// give the same bytes. `context` then includes the block.
  package static func encode(
    _ entries: ArraySlice<HistoryEntry>, level: Int, after context: inout BlockContext,
    with compressor: ZstdCompressor = ZstdCompressor()
  ) -> EncodedBlock {
    let block = BlockEncoder(entries).encode(level: level, after: &context, with: compressor)
    let columns = block.header
    precondition(
      columns.editCount <= editCountMax && columns.eventCount <= eventCountMax
        && columns.decodedSize <= (entries.count == 1 ? singleEntrySizeMax : decodedSizeMax),
      "the entries do not fit a block")
    return block
  }

  /// The block of `entries`, as `encode(_:level:after:with:)`, that stands alone.
  package static func encode(
    _ entries: [HistoryEntry], level: Int, with compressor: ZstdCompressor = ZstdCompressor()
  ) -> EncodedBlock {
    var context = BlockContext()
    return encode(entries[...], level: level, after: &context, with: compressor)
  }

  /// The number of `entries`, from the first one on, that make the next block: at most
  /// `editCountMax` edits and about `sizeMax` bytes of columns, but at least one entry. O(result).
  package static func prefixCount(
    of entries: ArraySlice<HistoryEntry>, editCountMax: Int = 1 << 14,
    sizeMax: Int = decodedSizeMax / 8
  ) -> Int {
    precondition(editCountMax <= Self.editCountMax && sizeMax <= decodedSizeMax / 2)
    var (count, size) = (0, 0)
    for entry in entries.prefix(min(editCountMax, eventCountMax)) {
      size += sizeBound(of: entry)
      if count > 0, size > sizeMax { break }
      count += 1
    }
    return count
  }

  /// True if `entries` is a single entry that is too large for a block of several entries.
  package static func isLarge(_ entries: ArraySlice<HistoryEntry>) -> Bool {
    entries.count == 1 && sizeBound(of: entries[entries.startIndex]) > decodedSizeMax / 8
  }

  /// The maximum size of an entry in columns, in bytes.
  package static func sizeBound(of entry: HistoryEntry) -> Int {
    if case .edit(let edit) = entry, edit.action.attributes == .inherit {
      let text = (edit.action.replacement?.count ?? 0) * WTF8.bytesPerUnitMax
      let ranges = (edit.selection?.before.count ?? 0) + (edit.selection?.after.count ?? 0)
      return text + (edit.author?.utf8.count ?? 0) + (edit.session?.name.utf8.count ?? 0) + 128
        + SelectionForm.sizeMax(rangeCount: ranges)
    }
    // Numbers take at most a few bytes more in columns than in a record.
    var meta = ByteWriter()
    var content = ByteWriter()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    return meta.count + content.count + 128
  }

  /// True if a payload of `size` bytes may decode to `decodedSize`.
  package static func isPayable(_ decodedSize: Int, by size: Int) -> Bool {
    decodedSize <= decodedSizeMax || decodedSize / ratioMax <= size
  }

  /// Refuses a header with values that no block can have.
  package static func check(_ header: BlockHeader, at place: ByteReader) throws(CodecError) {
    let entryCount = header.editCount + header.eventCount
    guard entryCount >= 1, header.editCount <= editCountMax, header.eventCount <= eventCountMax,
      (1...RecordCodec.sequenceMax).contains(header.firstSequence),
      UInt64(header.editCount) <= RecordCodec.sequenceMax - header.firstSequence + 1
    else { throw place.error(.place) }
    guard header.decodedSize <= (entryCount == 1 ? singleEntrySizeMax : decodedSizeMax),
      isPayable(header.decodedSize, by: header.payloadSize)
    else { throw place.error(.tooLarge) }
  }
}
