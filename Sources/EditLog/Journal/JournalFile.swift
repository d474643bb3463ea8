import EditLogFormat
import EditModel
import Glibc

/// The journal that is written to. One batch is in flight: a write returns when it is durable.
struct JournalFile {
  let number: UInt64
  private let file: any File
  /// Its path, for messages: it was opened under another name.
  private let path: String
  private let store: StoreID
  /// Bytes by which the file grows ahead of its batches, so that a flush need not write the size,
  /// and a full disk is noticed before a batch is half written.
  private let reserveStep: Int
  /// The offset of the next batch, in bytes of the file: everything before it is durable.
  private(set) var end: Int
  private var reserved: Int
  private(set) var place: JournalScan.Place
  /// True if its edits may have selections.
  let hasSelections: Bool
  /// The kind of the last batch.
  private(set) var lastKind: BatchHeader.Kind

  /// Continues a recovered journal.
  init(
    _ journal: JournalContents.Journal, place: JournalScan.Place, store: StoreID, reserveStep: Int
  ) {
    self.reserveStep = reserveStep
    (number, file, self.store, self.place) = (journal.number, journal.file, store, place)
    (path, end) = (journal.file.path, journal.scan.end)
    hasSelections = journal.scan.hasSelections
    // A torn end was cut off, with everything after it.
    reserved = journal.scan.torn.isEmpty ? max(journal.size, end) : end
    lastKind = journal.scan.batches.last?.header.kind ?? .confirmation
  }

  /// Creates journal `number`, durably. Its batches continue from `place`, and the first one
  /// confirms the journal before it. Its edits may have selections if `hasSelections`.
  init(
    number: UInt64, in directory: any Directory, store: StoreID, place: JournalScan.Place,
    reserveStep: Int, hasSelections: Bool = false
  ) throws(LogError) {
    (self.reserveStep, self.hasSelections) = (reserveStep, hasSelections)
    guard number <= StoreLayout.numberMax, place.number < StoreLayout.numberMax else {
      throw .damaged(
        file: directory.path, offset: 0, what: "no number is left for a journal or its batches")
    }
    let name = StoreLayout.name(of: number, .temporary)
    (self.number, self.store, self.place) = (number, store, place)
    path = "\(directory.path)/\(StoreLayout.name(of: number, .journal))"
    file = try directory.open(name, .create)
    var header = FileHeader(.journal, store: store, number: number, second: place.number + 1)
    header.hasSelections = hasSelections
    (end, reserved, lastKind) = (FileHeader.size, 0, .confirmation)
    do throws(LogError) {
      try file.reserve(reserveStep)
      reserved = reserveStep
    } catch {
      // The journal can do without a reserve. If it could not, the journal before it could never
      // be removed from a full disk.
      guard error.isNoRoom else { throw error }
      try file.truncate(to: 0)
    }
    try file.writeAll(header.bytes, at: 0)
    var batch = Self.emptyBatch()
    let next = seal(&batch, kind: .confirmation, recordCount: 0)
    try batch.withUnsafeBytes { bytes throws(LogError) in try file.writeAll(bytes, at: end) }
    try file.sync()
    try directory.rename(name, to: StoreLayout.name(of: number, .journal), in: directory)
    try directory.sync()
    (end, self.place) = (end + batch.count, next)
  }

  /// A writer with room for a batch's header, to which the records are added.
  static func emptyBatch() -> ByteWriter {
    var batch = ByteWriter(capacity: 4096)
    batch.write(bytes: [UInt8](repeating: 0, count: BatchHeader.size))
    return batch
  }

  /// Why a write failed.
  enum Failure: Error {
    /// There is no space. The file is unchanged, and a later write may succeed.
    case noRoom
    /// The state of the file is unknown.
    case lost(LogError)
  }

  /// Writes the records in `batch`, which begins as `emptyBatch()`, and returns when they are
  /// durable. `beforeFlush` is called between the write and the flush.
  mutating func write(
    _ batch: inout ByteWriter, kind: BatchHeader.Kind, recordCount: Int,
    beforeFlush: () -> Void = {}
  ) throws(Failure) {
    guard place.number < StoreLayout.numberMax else {
      throw .lost(
        .damaged(file: path, offset: end, what: "no number is left for another batch"))
    }
    let next = seal(&batch, kind: kind, recordCount: recordCount)
    assert(batch.withUnsafeBytes { isValid($0) }, "readers would take the batch for damage")
    do throws(LogError) {
      try reserve(end + batch.count)
      try batch.withUnsafeBytes { bytes throws(LogError) in try file.writeAll(bytes, at: end) }
    } catch {
      guard error.isNoRoom else { throw .lost(error) }
      try takeBack()
      throw .noRoom
    }
    beforeFlush()
    do throws(LogError) {
      try file.syncData()
      // The content of a file without a name is lost when this process ends.
      guard try file.isFound(at: path) else {
        throw .damaged(
          file: path, offset: end, what: "it was removed or replaced while it was written to")
      }
    } catch { throw .lost(error) }
    (end, place, lastKind) = (end + batch.count, next, kind)
  }

  /// True if a reader takes these bytes for a batch.
  private func isValid(_ batch: UnsafeRawBufferPointer) -> Bool {
    guard let header = BatchHeader(batch, store: store) else { return false }
    let body = UnsafeRawBufferPointer(rebasing: batch[BatchHeader.size...])
    return header.number == place.number + 1 && header.previous == place.chain
      && header.bodySize == body.count && header.bodyChecksum == CRC32C.checksum(body)
  }

  private mutating func reserve(_ size: Int) throws(LogError) {
    guard size > reserved else { return }
    let rounded = rounded(size)
    try file.reserve(rounded)
    reserved = rounded
  }

  private func rounded(_ size: Int) -> Int { (size + reserveStep - 1) / reserveStep * reserveStep }

  /// The bytes by which the file grows for a batch of `size` bytes.
  func growth(for size: Int) -> Int { max(size, rounded(end + size) - reserved) }

  /// Cuts off the space that is reserved for later writes.
  mutating func giveBackReserve() throws(LogError) {
    guard reserved > end else { return }
    try file.truncate(to: end)
    reserved = end
  }

  /// Cuts off bytes that were not acknowledged.
  private mutating func takeBack() throws(Failure) {
    do throws(LogError) {
      try file.truncate(to: end)
      try file.sync()
      reserved = end
    } catch { throw .lost(error) }
  }

  /// Writes the header before a batch's records, and returns the place after the batch.
  private func seal(
    _ batch: inout ByteWriter, kind: BatchHeader.Kind, recordCount: Int
  ) -> JournalScan.Place {
    let header = batch.withUnsafeBytes { bytes in
      BatchHeader(
        kind: kind, number: place.number + 1, recordCount: recordCount, previous: place.chain,
        body: UnsafeRawBufferPointer(rebasing: bytes[BatchHeader.size...]))
    }
    let bytes = header.bytes(store: store)
    for (offset, byte) in bytes.enumerated() { batch.overwrite(at: offset, fixed: byte) }
    let chain = batch.withUnsafeBytes { BatchHeader.chain($0) }
    return JournalScan.Place(number: header.number, chain: chain)
  }
}
