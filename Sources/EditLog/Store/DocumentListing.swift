import EditLogFormat
import EditModel

/// The documents of a store at one moment, to be summed up on any thread.
///
/// The catalog says what is sealed of a document: of its files, only the size of the last segment
/// is read. If something looks wrong, the document is opened as for reading.
public struct DocumentListing: Sendable {
  /// One document.
  struct Row: Sendable {
    let document: DocumentID
    let number: UInt64
    /// Entries that are only in the journals.
    let unsealed: EntryList
  }

  let rows: [Row]
  let catalog: Catalog
  let documents: DocumentsDirectory?
  let store: StoreID
  /// The files, if they are read beside a writer; nil if the writer has made the listing.
  let reader: Store?
  /// The histories of documents for which the catalog is incomplete.
  let histories: [UInt64: Result<History?, LogError>]

  /// All documents, by number. O(documents). If there are at most `countMax`, the footers of all
  /// segments are read as well.
  ///
  /// - Throws: `LogError.io`. An error of one document is in its summary.
  public func summaries(openingUpTo countMax: Int = 0) throws(LogError) -> [DocumentSummary] {
    let rows = rows.sorted { $0.number < $1.number }
    // Reading the sizes of the files takes most of the time.
    let sizes = rows.map { lastSegment(of: $0) }.concurrentMap { [documents] segment in
      try? segment.flatMap { segment throws(LogError) in
        try documents?.size(
          ofSegment: segment.first, of: segment.document, expected: segment.size)
      }
    }
    var summaries: [DocumentSummary] = []
    summaries.reserveCapacity(rows.count)
    for (row, size) in zip(rows, sizes) {
      let summary = try summary(row, lastSegmentSize: size, opening: rows.count <= countMax)
      if let summary { summaries.append(summary) }
    }
    return summaries
  }

  /// The last segment in the catalog. Returns nil if there is none, or if the history is opened.
  private func lastSegment(
    of row: Row
  ) -> (document: UInt64, first: SequenceNumber, size: Int)? {
    guard histories[row.number] == nil else { return nil }
    return catalog.documents[row.number]?.segments.last.map { (row.number, $0.first, $0.size) }
  }

  private func summary(
    _ row: Row, lastSegmentSize: Int?, opening: Bool
  ) throws(LogError) -> DocumentSummary? {
    if let history = histories[row.number] {
      return try DocumentSummary(row.document, row.number) { () throws(LogError) in
        try history.get()
      }
    }
    let sealed = catalog.documents[row.number]
    var summary = DocumentSummary(
      document: row.document, number: row.number, sealed, row.unsealed)
    guard let sealed, let last = sealed.segments.last else { return summary }
    guard opening || lastSegmentSize != last.size else { return summary }
    guard let reader else {
      summary.problem = try problem(row, sealed)
      return summary
    }
    // More may have been sealed than the catalog says.
    let read = try DocumentSummary(row.document, row.number) { () throws(LogError) in
      try reader.history(of: row.document)
    }
    guard let problem = read?.problem, read?.sealedSize == 0 else { return read }
    summary.problem = problem
    return summary
  }

  /// Why a document cannot be read; nil if it was sealed since this moment.
  private func problem(
    _ row: Row, _ sealed: CatalogDocument
  ) throws(LogError) -> LogError? {
    do throws(LogError) {
      let part = try SealedPart.open(
        row.number, in: documents, store: store, expecting: SealedExpectation(listed: sealed))
      var problem: LogError?
      try part?.forEach { problem = problem ?? $0.noticedProblem }
      return problem
    } catch {
      if case .io = error { throw error }
      return error
    }
  }
}

extension Store {
  /// All documents, by number, from the catalog and the journals. If there are at most `countMax`,
  /// the footers of all segments are read as well.
  ///
  /// - Throws: `LogError.io`. An error of one document is in its summary.
  public func documents(openingUpTo countMax: Int = 0) throws(LogError) -> [DocumentSummary] {
    try listing().summaries(openingUpTo: countMax)
  }

  private func listing() throws(LogError) -> DocumentListing {
    let catalog = self.catalog.catalog ?? Catalog()
    var rows: [DocumentListing.Row] = []
    var histories: [UInt64: Result<History?, LogError>] = [:]
    for (document, number) in try documentNumbers() {
      rows.append(.init(document: document, number: number, unsealed: EntryList()))
      if let sealed = catalog.documents[number], sealed.tellsAll, !hasMore(number, sealed) {
        continue
      }
      histories[number] = Result { () throws(LogError) in try history(of: document) }
    }
    return DocumentListing(
      rows: rows, catalog: catalog, documents: documentsDirectory, store: id, reader: self,
      histories: histories)
  }

  /// True if the journals have entries that the catalog lacks: they are not sealed, or were sealed
  /// after it was written.
  private func hasMore(_ number: UInt64, _ sealed: CatalogDocument) -> Bool {
    guard let records = records[number] else { return false }
    let folded = records.fold(
      after: sealed.lastIndex, edit: sealed.lastSequence, journal: sealed.journal)
    return !folded.list.isEmpty || !folded.damages.isEmpty
  }
}

extension CatalogDocument {
  /// True if nothing more of a sealed document has to be read for its summary.
  var tellsAll: Bool { times != nil && !isDamaged && !segments.isEmpty }
}

extension DocumentSummary {
  /// The summary from the catalog and the entries after it.
  fileprivate init(
    document: DocumentID, number: UInt64, _ sealed: CatalogDocument?, _ unsealed: EntryList
  ) {
    self.init(
      document: document, number: number,
      lastSequence: unsealed.chunks.last?.last ?? sealed?.lastSequence ?? 0,
      firstTime: sealed?.times?.first ?? unsealed.chunks.first?.firstTime,
      lastTime: unsealed.chunks.last?.lastTime ?? sealed?.times?.last,
      sealedSize: sealed?.segments.reduce(0) { $0 + $1.size } ?? 0, unsealedSize: unsealed.size)
  }
}
