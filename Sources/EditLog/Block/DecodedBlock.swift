package import EditModel

/// The columns of a block, checked and decompressed, from which edits are read on demand.
package struct DecodedBlock {
  /// The header the block was read with.
  package let header: BlockHeader
  private let bytes: [UInt8]

  /// Opens a block that stands behind `context`; one that stands alone looks at none.
  ///
  /// - Throws: `CodecError` where the header claims what no block holds, the payload is not the
  ///   one it was made for, or the columns are damaged. Nothing is allocated before the header
  ///   is found to be possible.
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
    bytes =
      header.isStored
      ? [UInt8](payload)
      : try decompressor.decompress(
        payload, sizeMax: header.decodedSize, prefix: header.isContinued ? context.bytes : [])
    guard bytes.count == header.decodedSize else { throw CodecError(.mismatch, at: 0) }
    guard CRC32C.checksum(bytes) == header.decodedChecksum else {
      throw CodecError(.checksum, at: 0)
    }
    self.header = header
  }

  /// Moves a context on behind this block.
  package func extend(_ context: inout BlockContext) { context.append(header, columns: bytes) }

  /// The columns alone, as tests make them up.
  init(header: BlockHeader, columns: [UInt8]) { (self.header, bytes) = (header, columns) }

  /// The edits as spans, in order; events are passed over. O(bytes), not O(edits).
  package func spans() throws(CodecError) -> [EditSpan] {
    try ByteReader.reading(bytes) { (reader) throws(CodecError) in
      var (_, decoder) = try open(&reader)
      return try spans(&decoder)
    }
  }

  /// All entries, edits and events, in order.
  package func entries() throws(CodecError) -> [HistoryEntry] { try entries(expecting: nil) }

  /// The entries of a block whose only edit inserts the text `expected`, without a second copy of it.
  ///
  /// - Throws: `CodecError.mismatch` if it inserts another text; as `entries`.
  func entries(expecting expected: UTF16Text?) throws(CodecError) -> [HistoryEntry] {
    try ByteReader.reading(bytes) { (reader) throws(CodecError) in
      var (preface, decoder) = try open(&reader, expecting: expected)
      let spans = try spans(&decoder)
      let events = try events(preface.columns)
      let entries = try join(spans, events, preface)
      guard entries.first?.time == header.firstTime, entries.last?.time == header.lastTime else {
        throw CodecError(.mismatch, at: 0)
      }
      return entries
    }
  }

  // MARK: Parts

  /// What stands before the columns.
  private struct Preface {
    var firstTime: Timestamp
    var divisor: UInt64
    var columns: BlockColumnReaders
  }

  private func open(
    _ reader: inout ByteReader, expecting text: UTF16Text? = nil
  ) throws(CodecError) -> (Preface, SpanDecoder) {
    guard try reader.readByte() == BlockCodec.version else { throw reader.error(.unknown) }
    guard try reader.readVarint() == header.firstSequence,
      try reader.readVarint() == UInt64(header.editCount),
      try reader.readVarint() == UInt64(header.eventCount)
    else { throw reader.error(.mismatch) }
    let unitCount = try reader.readCount(max: reader.remaining)
    let firstTime = Timestamp(nanoseconds: try reader.read())
    let divisor = try RecordCodec.decodeNonzero(&reader)
    let columns = try BlockColumnReaders(&reader)
    let spans = try SpanDecoder(
      columns, first: header.firstSequence, editCount: header.editCount, unitCount: unitCount,
      expected: text?.units)
    return (Preface(firstTime: firstTime, divisor: divisor, columns: columns), spans)
  }

  private func spans(_ decoder: inout SpanDecoder) throws(CodecError) -> [EditSpan] {
    // Each span has an edit at least, and the header's number of edits is bounded.
    guard decoder.spanCount <= header.editCount else { throw CodecError(.mismatch, at: 0) }
    var spans: [EditSpan] = []
    spans.reserveCapacity(decoder.spanCount)
    while let span = try decoder.decodeSpan() { spans.append(span) }
    try decoder.expectEnd()
    return spans
  }

  private func events(_ columns: BlockColumnReaders) throws(CodecError) -> [HistoryEvent] {
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

  private func join(
    _ spans: [EditSpan], _ events: [HistoryEvent], _ preface: Preface
  ) throws(CodecError) -> [HistoryEntry] {
    var provenance = try ProvenanceDecoder(
      preface.columns, firstTime: preface.firstTime, divisor: preface.divisor)
    var entries: [HistoryEntry] = []
    entries.reserveCapacity(header.editCount + header.eventCount)
    var nextEvent = 0
    for span in spans {
      let shape = EditShape(length: span.range.length, newLength: span.units?.count)
      for index in 0..<span.count {
        let sequence = span.first + UInt64(index)
        while nextEvent < events.count, events[nextEvent].after < sequence {
          entries.append(.event(events[nextEvent]))
          nextEvent += 1
        }
        entries.append(
          .edit(try provenance.decode(span[index], shape: shape, sequence: sequence)))
      }
    }
    for event in events[nextEvent...] { entries.append(.event(event)) }
    try provenance.expectEnd()
    return entries
  }
}
