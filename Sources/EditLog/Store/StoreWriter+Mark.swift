import EditModel

extension StoreWriter {
  /// Makes durable what is noted for the catalog, and then notes in `confirmed` how far journals
  /// and catalog are durable.
  ///
  /// - Throws: also what leaves an older mark in place; then nothing may be removed that it names.
  func writeDurableMark(oldestJournal: UInt64? = nil) throws(LogError) {
    var flushes = FlushWatch()
    do throws(LogError) {
      try catalogFile?.flush(&flushes)
      try writeMark(oldestJournal ?? oldJournals.first?.number ?? journal.number, &flushes)
    } catch {
      guard flushes.hasFailed else { throw error }
      return try poisoning { () throws(LogError) in throw error }
    }
  }

  private func writeMark(
    _ oldestJournal: UInt64, _ flushes: inout FlushWatch
  ) throws(LogError) {
    let mark = DurableMark(
      batch: journal.place.number, journal: journal.number, oldestJournal: oldestJournal,
      documentLimit: documentLimit, catalog: catalogFile?.place)
    if markFile == nil {
      markFile = try DurableMarkFile(in: root, store: id, otherwise: mark, &flushes)
    }
    try markFile?.write(mark, &flushes)
    markedBatch = journal.place.number
  }

  /// Notes how far all is durable, where nothing depends on it.
  ///
  /// - Throws: if a flush failed. Anything else leaves an older mark, which is as true.
  func noteDurable() throws(LogError) {
    do { try writeDurableMark() } catch {
      guard isUsable else { throw error }
    }
  }

  /// Raises the number that no document has passed, if document `number` would pass it.
  func reserveNumber(_ number: UInt64) throws(LogError) {
    guard number > documentLimit else { return }
    let before = documentLimit
    documentLimit = min(number + Self.numbersReserved, StoreLayout.numberMax)
    do { try writeDurableMark() } catch {
      documentLimit = before
      throw error.isNoRoom ? .noSpace(path: root.path) : error
    }
  }

  /// Numbers of documents that one mark reserves.
  private static let numbersReserved: UInt64 = 1023
}
