import EditModel

/// Encodes the entries of a block as columns.
struct BlockEncoder: ~Copyable {
  private var columns = BlockColumns()
  private let entries: ArraySlice<HistoryEntry>
  private let firstSequence: SequenceNumber
  private var editCount = 0

  init(_ entries: ArraySlice<HistoryEntry>) {
    self.entries = entries
    firstSequence =
      switch entries.first {
      case .edit(let edit): edit.sequence
      case .event(let event): event.after + 1
      case nil: preconditionFailure("a block has at least one entry")
      }
    precondition(firstSequence > 0, "the first edit is number 1")
  }

  /// The block of the entries. `level` is zstd's.
  consuming func encode(
    level: Int, after context: inout BlockContext, with compressor: ZstdCompressor
  ) -> EncodedBlock {
    let (firstTime, divisor) = measureTimes()
    var spans = SpanEncoder()
    var provenance = ProvenanceEncoder(firstTime: firstTime, divisor: divisor)
    for index in entries.indices {
      switch entries[index] {
      case .edit(let edit):
        checkPlace(edit)
        spans.encode(edit.action, to: &columns)
        provenance.encode(edit, to: &columns)
        editCount += 1
      case .event(let event):
        precondition(
          event.after == firstSequence &+ UInt64(editCount) &- 1, "an event is out of place")
        RecordCodec.encode(event, meta: &columns.events, content: &columns.labels)
      }
    }
    let unitCount = spans.finish(to: &columns)
    provenance.finish(to: &columns)

    var preface = ByteWriter()
    preface.write(
      columns.hasSelections ? BlockCodec.versionWithSelections : BlockCodec.version)
    preface.write(varint: firstSequence)
    preface.write(count: editCount)
    preface.write(count: entries.count - editCount)
    preface.write(count: unitCount)
    preface.write(fixed: firstTime.nanoseconds)
    preface.write(varint: divisor)
    return pack(preface, level: level, after: &context, with: compressor)
  }

  /// Checks what the writer guarantees: consecutive numbers, and a transaction that does not start
  /// after the edit.
  private func checkPlace(_ edit: Edit) {
    precondition(
      edit.sequence == firstSequence &+ UInt64(editCount) && edit.sequence >= firstSequence,
      "the edits of a block follow one another")
    precondition(
      (1...edit.sequence).contains(edit.transaction), "a transaction starts after its edit")
    let range = edit.action.range
    precondition(
      range.upperBound <= EditAction.textLengthMax
        && edit.action.newLength <= EditAction.textLengthMax - range.location,
      "an edit lies outside any text")
  }

  /// The first edit's time, and the greatest number that divides all steps from edit to edit: a
  /// clock of milliseconds gives 1,000,000.
  private func measureTimes() -> (first: Timestamp, divisor: UInt64) {
    var first: Int64?
    var last: Int64 = 0
    var divisor: UInt64 = 0
    for entry in entries {
      guard case .edit(let edit) = entry else { continue }
      let time = edit.time.nanoseconds
      if first == nil { (first, last) = (time, time) }
      let delta = UInt64(bitPattern: time &- last)
      last = time
      if delta == 0 || divisor == 1 { continue }
      if divisor == 0 || delta % divisor != 0 { divisor = greatestDivisor(divisor, delta) }
    }
    return (Timestamp(nanoseconds: first ?? 0), max(divisor, 1))
  }

  private func greatestDivisor(_ left: UInt64, _ right: UInt64) -> UInt64 {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return left
  }

  /// Joins the columns after the preface and compresses them.
  private mutating func pack(
    _ preface: consuming ByteWriter, level: Int, after context: inout BlockContext,
    with compressor: ZstdCompressor
  ) -> EncodedBlock {
    for size in columns.sizes { preface.write(count: size) }
    // A text that no context can hold is compressed where it is, without a second copy.
    let textSize = columns.textSize
    let isApart = textSize > BlockContext.sizeMax
    // A context does not improve a text many times its size, and compressing with one would need the
    // whole text in memory.
    let isAlone = textSize > 8 * BlockContext.sizeMax
    if !isApart { columns.encodeLongText() }
    let (bytes, ends) = columns.joined(after: preface, hasText: !isApart)
    let size = bytes.count + (isApart ? textSize : 0)
    var checksum = CRC32C.checksum(bytes)
    let compressed = bytes.withUnsafeBytes { bytes in
      let pieces = pieces(of: bytes, ends: ends)
      guard isApart else {
        return compressor.compress(pieces: pieces, level: level, prefix: context.bytes)
      }
      return compressor.compress(
        pieces: pieces, level: level, prefix: isAlone ? [] : context.bytes, tailSize: textSize
      ) { write in
        columns.forEachTextPiece { piece in
          checksum = CRC32C.checksum(piece, continuing: checksum)
          write(piece)
        }
      }
    }
    let isStored = !BlockCodec.isPayable(size, by: compressed.count)
    if isStored { columns.encodeLongText() }
    let payload =
      !isStored ? compressed : isApart ? columns.joined(after: preface).bytes : bytes
    let header = BlockHeader(
      firstSequence: firstSequence, editCount: editCount, eventCount: entries.count - editCount,
      firstTime: entries[entries.startIndex].time, lastTime: entries[entries.endIndex - 1].time,
      decodedSize: size, decodedChecksum: checksum,
      payloadSize: payload.count, payloadChecksum: CRC32C.checksum(payload), isStored: isStored,
      isContinued: !isStored && !isAlone && !context.bytes.isEmpty)
    bytes.withUnsafeBytes { context.append(header, columns: $0) }
    return EncodedBlock(
      header: header, payload: payload, hasSelections: columns.hasSelections)
  }

  /// Divides the columns where the compressor starts new statistics: after each column, except that
  /// a column shorter than its own tables would be is joined with the next.
  private func pieces(of bytes: UnsafeRawBufferPointer, ends: [Int]) -> [UnsafeRawBufferPointer] {
    var pieces: [UnsafeRawBufferPointer] = []
    var start = 0
    for end in ends where end - start >= BlockCodec.pieceSizeMin || end == bytes.count {
      if end == start { continue }
      pieces.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
    }
    return pieces
  }
}
