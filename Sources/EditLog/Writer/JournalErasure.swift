import EditLogFormat
import EditModel

/// The bytes of a journal, with zeros instead of one document's entries, names and salts, and
/// instead of all bytes outside of valid batches.
struct JournalErasure {
  private(set) var bytes: [UInt8]
  /// The number of bytes that were not zero and belong to no readable record.
  private(set) var unreadableSize = 0
  private let document: UInt64
  private let store: StoreID

  init(_ journal: [UInt8], of document: UInt64, store: StoreID) {
    (self.document, self.store) = (document, store)
    bytes = [UInt8](repeating: 0, count: journal.count)
    journal.withUnsafeBytes { source in
      let scan = JournalScan(SparseBytes(source), store: store, following: nil)
      var end = 0
      if FileHeader(.journal, source) != nil { keep(0..<FileHeader.size, of: source, &end) }
      for batch in scan.batches {
        let start = batch.offset
        keep(start..<batch.body.upperBound, of: source, &end)
        erase(batch)
      }
      note(source[end...])
    }
  }

  /// Copies `range`, and counts the bytes that are skipped before it.
  private mutating func keep(
    _ range: Range<Int>, of source: UnsafeRawBufferPointer, _ end: inout Int
  ) {
    note(source[end..<range.lowerBound])
    bytes.replaceSubrange(range, with: source[range])
    end = range.upperBound
  }

  private mutating func note(_ passedOver: some Sequence<UInt8>) {
    unreadableSize += passedOver.count { $0 != 0 }
  }

  /// Erases the document's records in a batch, and recomputes its checksums.
  private mutating func erase(_ batch: JournalScan.Batch) {
    var body = Array(bytes[batch.body])
    for range in secrets(in: body, count: batch.header.recordCount) {
      body.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }
    guard body[...] != bytes[batch.body] else { return }
    let header = body.withUnsafeBytes {
      BatchHeader(
        kind: batch.header.kind, number: batch.header.number,
        recordCount: batch.header.recordCount, previous: batch.header.previous, body: $0)
    }
    bytes.replaceSubrange(
      batch.offset..<batch.body.upperBound, with: header.bytes(store: store) + body)
  }

  /// The ranges to erase in a batch's body: the content of the document's records without their
  /// sizes, and the bytes that cannot be read as records.
  private mutating func secrets(in body: [UInt8], count: Int) -> [Range<Int>] {
    var secrets: [Range<Int>] = []
    var unreadable = body.count..<body.count
    body.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      var start = 0
      do throws(CodecError) {
        for _ in 0..<count {
          start = reader.offset
          let record = try JournalRecord.read(&reader)
          secrets += payloads(of: record, before: reader.offset, in: buffer)
        }
        start = reader.offset
        try reader.expectEnd()
      } catch {
        unreadable = start..<body.count
      }
    }
    note(body[unreadable])
    return secrets + [unreadable]
  }

  private func payloads(
    of record: JournalRecord, before end: Int, in body: UnsafeRawBufferPointer
  ) -> [Range<Int>] {
    switch record {
    case .name(document, let name): return [end - name.name.utf8.count..<end]
    case .salt(document, _, let salt): return [end - salt.count..<end]
    case .entry(document, let row):
      var reader = ByteReader(row)
      guard (try? reader.readVarint()) != nil, let entry = try? EntryBytes(&reader) else {
        return [Self.place(of: row, in: body)]
      }
      return [entry.meta, entry.content].map { Self.place(of: $0, in: body) }
    case .name, .salt, .entry, .forget: return []
    }
  }

  /// The range of `part` in `whole`, which contains it.
  private static func place(
    of part: UnsafeRawBufferPointer, in whole: UnsafeRawBufferPointer
  ) -> Range<Int> {
    guard let start = part.baseAddress, let base = whole.baseAddress else { return 0..<0 }
    let offset = base.distance(to: start)
    return offset..<offset + part.count
  }
}
