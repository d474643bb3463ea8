package import EditModel

/// The content of one journal: its valid batches, and the verdict on all other bytes.
///
/// - Zeros after the last valid batch: a clean end, with reserved space.
/// - Bad bytes with no later valid batch after them: torn, a write that was never acknowledged.
/// - Bad bytes before a later valid batch: damaged, since that batch was written only after
///   everything before it was durable. It is searched for byte by byte, because the size of the bad
///   batch may itself be wrong.
package struct JournalScan {
  /// A valid batch in the file.
  package struct Batch {
    package var header: BatchHeader
    /// Where its header starts, in bytes of the file.
    package var offset: Int
    package var body: Range<Int> {
      offset + BatchHeader.size..<offset + BatchHeader.size + header.bodySize
    }
  }

  /// The valid batches, their numbers ascending.
  package private(set) var batches: [Batch] = []
  /// The hash of the last of them, or of the batch they follow if there is none.
  private var chain: ChainHead?
  /// What the next batch follows; nil if that is not known.
  package var place: Place? {
    guard let chain, let last = batches.last else { return nil }
    return Place(number: last.header.number, chain: chain)
  }
  /// Bad bytes that a valid batch follows, or a bad file header.
  package struct Damage: Hashable {
    /// Where the bad bytes start, in bytes of the file; 0 for the header.
    package var offset: Int
    /// The number of missing batches; 1 if they cannot be counted.
    package var lostBatches: UInt64
  }

  /// The damage, in the order of the file.
  package private(set) var damages: [Damage] = []
  /// Where the last valid batch ends, in bytes of the file.
  package private(set) var end = FileHeader.size
  /// The bad bytes after it, trailing zeros left out; empty at a clean end.
  package private(set) var torn = 0..<0

  /// True if its header says that its edits may have selections.
  package let hasSelections: Bool

  /// What a journal's batches continue from: the number and the hash of the batch before.
  package struct Place: Hashable {
    package var number: UInt64
    package var chain: ChainHead

    package init(number: UInt64, chain: ChainHead) { (self.number, self.chain) = (number, chain) }
  }

  /// Scans the bytes of a journal, whose first batch follows `place` if that is known.
  package init(_ source: SparseBytes, store: StoreID, following place: Place?) {
    let bytes = source.bytes
    let header = FileHeader(.journal, bytes).flatMap { $0.store == store ? $0 : nil }
    hasSelections = header?.hasSelections == true
    if header == nil { damages.append(Damage(offset: 0, lostBatches: 0)) }
    // The header has the number of the first batch, for a file whose predecessor is unknown.
    var number = place?.number ?? header.map { $0.second &- 1 }
    chain = place?.chain
    // Needed only if something is bad: forged batches may overlap.
    var checksums: RangeChecksums?
    while let batch = Self.next(
      in: source, from: end, store: store, after: number ?? 0, &checksums)
    {
      // If missing batches cannot be counted, the bad bytes were at least one batch.
      let lost = number.map { batch.header.number - $0 - 1 } ?? (batch.offset == end ? 0 : 1)
      if batch.offset != end || lost > 0 || batch.header.previous != chain ?? batch.header.previous
      {
        damages.append(Damage(offset: end, lostBatches: lost))
      }
      end = batch.body.upperBound
      number = batch.header.number
      chain = BatchHeader.chain(UnsafeRawBufferPointer(rebasing: bytes[batch.offset..<end]))
      batches.append(batch)
    }
    torn = end..<source.endOfData(from: end)
  }

  /// True if a record of a batch in `bytes`, which were scanned, is an edit with a selection. O(bytes).
  package func findsSelections(in bytes: UnsafeRawBufferPointer) -> Bool {
    batches.contains { batch in
      var body = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[batch.body]))
      do throws(CodecError) {
        while !body.isAtEnd {
          guard let (_, row) = try JournalRecord.readEntry(&body) else {
            _ = try JournalRecord.read(&body)
            continue
          }
          var reader = ByteReader(row)
          _ = try reader.readVarint()
          if RecordCodec.hasSelection(try EntryBytes(&reader)) { return true }
        }
      } catch {}
      return false
    }
  }

  /// The first valid batch at or after `offset` whose number is above `number`.
  private static func next(
    in source: SparseBytes, from offset: Int, store: StoreID, after number: UInt64,
    _ checksums: inout RangeChecksums?
  ) -> Batch? {
    let bytes = source.bytes
    var offset = offset
    while let found = source.firstIndex(of: BatchHeader.firstByte, from: offset) {
      if let batch = batch(in: bytes, at: found, store: store), batch.header.number > number,
        isWhole(batch, in: bytes, &checksums)
      {
        return batch
      }
      offset = found + 1
    }
    return nil
  }

  /// True if a batch's body has the checksum that its header names. After the first mismatch,
  /// bodies may overlap, so `RangeChecksums` computes the sums.
  private static func isWhole(
    _ batch: Batch, in bytes: UnsafeRawBufferPointer, _ checksums: inout RangeChecksums?
  ) -> Bool {
    if let checksums { return checksums.checksum(batch.body) == batch.header.bodyChecksum }
    let body = UnsafeRawBufferPointer(rebasing: bytes[batch.body])
    if CRC32C.checksum(body) == batch.header.bodyChecksum { return true }
    checksums = RangeChecksums(bytes)
    return false
  }

  /// The batch at `offset`, without checking its body; nil if there is no valid header.
  private static func batch(
    in bytes: UnsafeRawBufferPointer, at offset: Int, store: StoreID
  ) -> Batch? {
    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    guard let header = BatchHeader(rest, store: store),
      header.bodySize <= rest.count - BatchHeader.size
    else { return nil }
    return Batch(header: header, offset: offset)
  }
}
