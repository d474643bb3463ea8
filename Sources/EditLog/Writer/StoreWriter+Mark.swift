import EditLogFormat
import EditModel

extension StoreWriter {
  /// Makes the pending records of the catalog durable, then writes to `confirmed` how far journals
  /// and catalog are durable.
  ///
  /// - Throws: also errors that leave an older mark in place. Then nothing that this mark names may
  ///   be removed.
  func writeDurableMark(oldestJournal: UInt64? = nil) throws(LogError) {
    var flushes = FlushWatch()
    do throws(LogError) {
      try catalogFile?.flush(&flushes)
      try writeMark(max(oldestJournal ?? 0, oldestWithoutGap), &flushes)
    } catch {
      guard flushes.hasFailed else { throw error }
      return try poisoning { () throws(LogError) in throw error }
    }
  }

  /// The oldest journal after which no number is left out. Numbers are left out where it was not known which
  /// journals there were; none of them must exist.
  private var oldestWithoutGap: UInt64 {
    oldJournals.reversed().reduce(journal.number) { $1.number + 1 == $0 ? $1.number : $0 }
  }

  /// True if a number of a journal is left out.
  var hasGap: Bool { oldestWithoutGap > oldJournals.first?.number ?? journal.number }

  private func writeMark(
    _ oldestJournal: UInt64, _ flushes: inout FlushWatch
  ) throws(LogError) {
    let mark = mark(oldestJournal)
    if markFile == nil {
      markFile = try DurableMarkFile(in: root, store: id, otherwise: mark, &flushes)
    }
    try markFile?.write(mark, &flushes)
    markedBatch = journal.place.number
  }

  private func mark(_ oldestJournal: UInt64) -> DurableMark {
    DurableMark(
      batch: journal.place.number, journal: journal.number, oldestJournal: oldestJournal,
      documentLimit: documentLimit, catalog: catalogFile?.place)
  }

  /// Replaces the file of the durable mark, because a slot or a byte outside the slots is bad.
  func rewriteMark(_ flushes: inout FlushWatch) throws(LogError) {
    var mark = mark(oldestWithoutGap)
    mark.number = (markFile?.last.number ?? 0) + 1
    try root.replace(
      StoreLayout.confirmed, with: DurableMarkCodec.bytes(of: mark, id), &flushes)
    // The open file was replaced.
    markFile = try DurableMarkFile(in: root, store: id, otherwise: mark, &flushes)
  }

  /// Writes the durable mark when nothing depends on it.
  ///
  /// - Throws: if a flush failed. Other errors leave an older mark, which is valid too.
  func noteDurable() throws(LogError) {
    do { try writeDurableMark() } catch {
      guard isUsable else { throw error }
    }
  }

  /// True if there are batches that the mark does not name, or changes that the catalog lacks.
  public var hasUnmarkedBatches: Bool {
    isUsable && (journal.place.number > markedBatch || catalogFile?.isDirty == true)
  }

  /// The number of batches that the mark does not name.
  package var unmarkedBatchCount: UInt64 {
    journal.place.number - min(markedBatch, journal.place.number)
  }

  /// Updates the durable mark. Call it within seconds after an append: appends themselves do it only
  /// once in 16 batches.
  ///
  /// - Throws: `LogError.poisoned` after a flush that failed.
  public func markDurable() throws(LogError) {
    try checkPoison()
    try noteDurable()
  }

  /// Raises the limit of document numbers, if document `number` would exceed it.
  func reserveNumber(_ number: UInt64) throws(LogError) {
    guard number > documentLimit else { return }
    let before = documentLimit
    documentLimit = min(number + Self.numbersReserved, StoreLayout.numberMax)
    do { try writeDurableMark() } catch {
      documentLimit = before
      throw error.isNoRoom ? .noSpace(path: root.path) : error
    }
  }

  /// The number of document numbers that one mark reserves.
  private static let numbersReserved: UInt64 = 1023
}
