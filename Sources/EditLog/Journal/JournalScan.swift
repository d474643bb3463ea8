/// What the bytes of one journal hold: its valid batches, and the verdict on everything else.
///
/// - Zeros behind the last valid batch: a clean end, space reserved ahead.
/// - Bad bytes with no later valid batch behind them: torn, a write that was never acknowledged.
/// - Bad bytes before a later valid batch: damaged, since that batch was only written after
///   everything before it was durable. The search for it goes byte by byte, because the length
///   of the bad batch may be what is bad.
struct JournalScan {
  /// A valid batch in the file.
  struct Batch {
    var header: BatchHeader
    /// Where its header starts, in bytes of the file.
    var offset: Int
    var body: Range<Int> {
      offset + BatchHeader.size..<offset + BatchHeader.size + header.bodySize
    }
  }

  /// The valid batches, their numbers ascending.
  private(set) var batches: [Batch] = []
  /// The hash of the last of them, or of the batch they follow where there is none.
  private var chain: ChainHead?
  /// Where the next batch goes on; nil where that is not known.
  var place: Place? {
    guard let chain, let last = batches.last else { return nil }
    return Place(number: last.header.number, chain: chain)
  }
  /// The bad bytes that valid batches follow.
  private(set) var damages: [JournalDamage] = []
  /// Where the last valid batch ends.
  private(set) var end = FileHeader.size
  /// The bad bytes behind it, trailing zeros left out; empty at a clean end.
  private(set) var torn = 0..<0

  /// Where a journal's batches go on from: the number and the hash of the batch before.
  struct Place: Hashable {
    var number: UInt64
    var chain: ChainHead
  }

  /// Scans the bytes of journal `journal`, whose first batch follows `place` where that is known.
  init(
    _ source: SparseBytes, journal: UInt64, store: StoreID, following place: Place?
  ) {
    let bytes = source.bytes
    let header = FileHeader(.journal, bytes).flatMap { $0.store == store ? $0 : nil }
    if header == nil {
      damages.append(JournalDamage(journal: journal, offset: 0, lostBatches: 0))
    }
    // The header names the first batch's number, for a file nothing is known to come before.
    var number = place?.number ?? header.map { $0.second &- 1 }
    chain = place?.chain
    // Made where something is bad: forged batches may lie over each other.
    var checksums: RangeChecksums?
    while let batch = Self.next(
      in: source, from: end, store: store, after: number ?? 0, &checksums)
    {
      // Without a number to count from, what is bad was one batch at least.
      let lost = number.map { batch.header.number - $0 - 1 } ?? (batch.offset == end ? 0 : 1)
      if batch.offset != end || lost > 0 || batch.header.previous != chain ?? batch.header.previous
      {
        damages.append(JournalDamage(journal: journal, offset: end, lostBatches: lost))
      }
      end = batch.body.upperBound
      number = batch.header.number
      chain = BatchHeader.chain(UnsafeRawBufferPointer(rebasing: bytes[batch.offset..<end]))
      batches.append(batch)
    }
    torn = end..<source.endOfData(from: end)
  }

  /// The first valid batch from `offset` on whose number is past `number`.
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

  /// True where a batch's body has the checksum that its header names. Once one has not, bodies
  /// may lie over each other, and are summed in a way that does not mind.
  private static func isWhole(
    _ batch: Batch, in bytes: UnsafeRawBufferPointer, _ checksums: inout RangeChecksums?
  ) -> Bool {
    if let checksums { return checksums.checksum(batch.body) == batch.header.bodyChecksum }
    let body = UnsafeRawBufferPointer(rebasing: bytes[batch.body])
    if CRC32C.checksum(body) == batch.header.bodyChecksum { return true }
    checksums = RangeChecksums(bytes)
    return false
  }

  /// The batch at `offset`, its body not looked at; nil where no valid header is there.
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

/// Bad bytes in a journal, before batches that were written later.
public struct JournalDamage: Hashable, Sendable, CustomStringConvertible {
  /// The journal's number.
  public var journal: UInt64
  /// Where the bad bytes start, in bytes from the start of the file.
  public var offset: Int
  /// Batches that are missing by their numbers, 1 if there is none to count from: each may hold
  /// edits of any document. 0 if only the file's own header is bad, or the bytes were never part
  /// of a batch.
  public var lostBatches: UInt64
  /// Journals that are gone as files, from this one on; 0 if the file is there.
  public var missingCount: UInt64 = 0

  /// A place with everything known about it.
  public init(journal: UInt64, offset: Int, lostBatches: UInt64) {
    (self.journal, self.offset, self.lostBatches) = (journal, offset, lostBatches)
  }

  init(missing journal: UInt64, count: UInt64) {
    self.init(journal: journal, offset: 0, lostBatches: 0)
    missingCount = count
  }

  /// The file, by its path in the store.
  var file: String { "\(StoreLayout.journals)/\(StoreLayout.name(of: journal, .journal))" }
  /// What is lost, and where in the file.
  var place: String { isMissing ? what : "byte \(offset): \(what)" }

  /// True if the file of the journal `number` is missing.
  func isMissing(_ number: UInt64) -> Bool { number >= journal && number - journal < missingCount }
  /// True if the file itself is gone.
  public var isMissing: Bool { missingCount > 0 }
  /// True if acknowledged entries may be lost by it.
  public var isLoss: Bool { isMissing || lostBatches > 0 }

  var what: String {
    if missingCount == 1 { return "the journal is missing" }
    if missingCount > 1 { return "this journal and the \(missingCount - 1) after it are missing" }
    return switch lostBatches {
    case 0: "a batch that does not follow the one before, or bytes of none"
    case 1: "1 batch is missing or bad"
    default: "\(lostBatches) batches are missing or bad"
    }
  }

  /// True where nothing is missing: the file's header has changed, and no batch.
  var isHeaderAlone: Bool { offset == 0 && lostBatches == 0 && !isMissing }

  /// One line: the file, the place, what is missing.
  public var description: String {
    isMissing ? "\(file): \(what)" : "\(file), byte \(offset): \(what)"
  }
}
