package import EditModel
import Synchronization

/// The columns of a block, checked and decompressed, from which edits are read on demand.
package final class DecodedBlock: Sendable {
  /// The header with which the block was read.
  package let header: BlockHeader
  let columns: OwnedBytes
  /// The spans, once they are decoded.
  private let knownSpans = Mutex<[EditSpan]?>(nil)
  /// The places from which times and authors are read, once they are found.
  let knownMarks = Mutex<[ProvenanceMark]?>(nil)

  private var bytes: UnsafeRawBufferPointer { columns.bytes }

  /// Decodes a block after `context`, which a block that stands alone does not use.
  ///
  /// - Throws: `CodecError` if the header has values that no block can have, the payload does not
  ///   belong to it, or the columns are damaged. The header is checked before memory is allocated.
  package init(
    _ header: BlockHeader, payload: UnsafeRawBufferPointer, after context: BlockContext,
    with decompressor: ZstdDecompressor = ZstdDecompressor()
  ) throws(CodecError) {
    try BlockCodec.check(header, at: ByteReader(payload))
    guard header.payloadSize == payload.count else { throw CodecError(.mismatch, at: 0) }
    guard CRC32C.checksum(payload) == header.payloadChecksum else {
      throw CodecError(.checksum, at: 0)
    }
    guard !header.isContinued || !context.bytes.isEmpty else { throw CodecError(.mismatch, at: 0) }
    columns =
      header.isStored
      ? OwnedBytes(copying: payload)
      : try decompressor.decompressOwned(
        payload, sizeMax: header.decodedSize, prefix: header.isContinued ? context.bytes : [])
    guard columns.bytes.count == header.decodedSize else { throw CodecError(.mismatch, at: 0) }
    guard CRC32C.checksum(columns.bytes) == header.decodedChecksum else {
      throw CodecError(.checksum, at: 0)
    }
    self.header = header
  }

  /// Adds this block to a context.
  package func extend(_ context: inout BlockContext) { context.append(header, columns: bytes) }

  /// A block with only columns, for tests.
  package init(header: BlockHeader, columns: [UInt8]) {
    self.header = header
    self.columns = columns.withUnsafeBytes { OwnedBytes(copying: $0) }
  }

  /// The memory that this takes, in bytes; an estimate.
  package var size: Int {
    bytes.count + (knownSpans.withLock { $0?.count } ?? 0) * MemoryLayout<EditSpan>.stride
      + (knownMarks.withLock { $0?.count } ?? 0) * MemoryLayout<ProvenanceMark>.stride
  }

  /// The edits as spans, in order; events are skipped. O(bytes), not O(edits), and O(1) after the
  /// first time.
  package func spans() throws(CodecError) -> [EditSpan] {
    if let spans = knownSpans.withLock({ $0 }) { return spans }
    let decoded = try columns.reading { (reader) throws(CodecError) in
      var (_, _, decoder) = try open(&reader)
      return try spans(&decoder)
    }
    knownSpans.withLock { $0 = decoded }
    return decoded
  }

  /// Decodes a block without its text from the start of `columns`. Returns it and its size in bytes.
  ///
  /// - Throws: `CodecError` if `columns` ends before the text begins.
  package static func head(
    _ header: BlockHeader, _ columns: UnsafeRawBufferPointer
  ) throws(CodecError) -> (block: DecodedBlock, size: Int) {
    var reader = ByteReader(columns)
    let preface = try Preface(&reader, of: header, textSizeMax: header.decodedSize)
    let sizes = try BlockColumnReaders.readSizes(
      &reader, textSizeMax: header.decodedSize, hasSelections: preface.hasSelections)
    let size = header.decodedSize - sizes[BlockColumn.text.rawValue]
    guard size <= columns.count else { throw reader.error(.truncated) }
    let bytes = [UInt8](columns[..<size])
    return (DecodedBlock(header: header, columns: bytes), size)
  }

  /// The only edit of a block without its text, as a span without units, and the number of units
  /// that it inserts. Nil if the edit does not insert a text without attributes.
  package func spanWithoutText() throws(CodecError) -> (span: EditSpan, insertedLength: Int)? {
    let textSize = header.decodedSize - bytes.count
    return try columns.reading { (reader) throws(CodecError) in
      var (preface, _, decoder) = try open(&reader, withoutTextOf: textSize)
      let spans = try spans(&decoder)
      guard spans.count == 1, spans[0].count == 1, spans[0].insertedLength != nil,
        spans[0].attributes == .inherit
      else { return nil }
      return (spans[0], preface.unitCount)
    }
  }

  /// The entry of a block without its text: one edit, which inserts `text` without attributes.
  package func entry(inserting text: UTF16Text) throws(CodecError) -> HistoryEntry {
    let textSize = header.decodedSize - bytes.count
    return try columns.reading { (reader) throws(CodecError) in
      var (preface, columns, decoder) = try open(&reader, withoutTextOf: textSize)
      let spans = try spans(&decoder)
      guard header.editCount == 1, header.eventCount == 0, preface.unitCount == text.count,
        spans.count == 1, spans[0].insertedLength != nil, spans[0].attributes == .inherit
      else { throw reader.error(.mismatch) }
      let action = EditAction(replacing: spans[0].range, with: text)
      var provenance = try provenance(preface, columns)
      let edit = try provenance.decode(
        action, shape: EditShape(length: action.range.length, newLength: text.count),
        sequence: spans[0].first)
      try provenance.expectEnd()
      guard edit.time == header.firstTime, edit.time == header.lastTime else {
        throw CodecError(.mismatch, at: 0)
      }
      return .edit(edit)
    }
  }

  // MARK: Parts

  /// The part before the columns.
  struct Preface {
    var unitCount: Int
    var firstTime: Timestamp
    var divisor: UInt64
    /// True if there is a column of selections.
    var hasSelections: Bool

    /// Reads the preface. The text has at most `textSizeMax` bytes, or as many as are left in
    /// `reader` if that is nil.
    init(
      _ reader: inout ByteReader, of header: BlockHeader, textSizeMax: Int?
    ) throws(CodecError) {
      let version = try reader.readByte()
      hasSelections = version == BlockCodec.versionWithSelections
      guard hasSelections || version == BlockCodec.version else { throw reader.error(.unknown) }
      guard try reader.readVarint() == header.firstSequence,
        try reader.readVarint() == UInt64(header.editCount),
        try reader.readVarint() == UInt64(header.eventCount)
      else { throw reader.error(.mismatch) }
      unitCount = try reader.readCount(max: textSizeMax ?? reader.remaining)
      firstTime = Timestamp(nanoseconds: try reader.read())
      divisor = try RecordCodec.decodeNonzero(&reader)
    }
  }

  func open(
    _ reader: inout ByteReader, withoutTextOf textSize: Int? = nil
  ) throws(CodecError) -> (Preface, BlockColumnReaders, SpanDecoder) {
    let preface = try Preface(&reader, of: header, textSizeMax: textSize)
    let columns = try BlockColumnReaders(
      &reader, withoutTextOf: textSize, hasSelections: preface.hasSelections)
    let spans = try SpanDecoder(
      columns, first: header.firstSequence, editCount: header.editCount,
      unitCount: preface.unitCount)
    return (preface, columns, spans)
  }

  private func spans(_ decoder: inout SpanDecoder) throws(CodecError) -> [EditSpan] {
    // Each span has at least one edit, and the header's number of edits is bounded.
    guard decoder.spanCount <= header.editCount else { throw CodecError(.mismatch, at: 0) }
    var spans: [EditSpan] = []
    spans.reserveCapacity(decoder.spanCount)
    while let span = try decoder.decodeSpan() { spans.append(span) }
    try decoder.expectEnd()
    return spans
  }

  /// The events, in order.
  func events() throws(CodecError) -> [HistoryEvent] {
    if header.eventCount == 0 { return [] }
    return try columns.reading { (reader) throws(CodecError) in
      let (_, columns, _) = try open(&reader)
      return try events(columns)
    }
  }

  func events(_ columns: BlockColumnReaders) throws(CodecError) -> [HistoryEvent] {
    var (meta, content) = (columns[.events], columns[.labels])
    var events: [HistoryEvent] = []
    var after = header.firstSequence - 1
    for _ in 0..<header.eventCount {
      let place = meta
      guard case .event(let event) = try RecordCodec.decode(meta: &meta, content: &content) else {
        throw place.error(.unknown)
      }
      guard event.after >= after, event.after <= header.lastSequence else {
        throw place.error(.place)
      }
      after = event.after
      events.append(event)
    }
    try meta.expectEnd()
    try content.expectEnd()
    return events
  }

  func provenance(
    _ preface: Preface, _ columns: BlockColumnReaders
  ) throws(CodecError) -> ProvenanceDecoder {
    try ProvenanceDecoder(columns, firstTime: preface.firstTime, divisor: preface.divisor)
  }
}
