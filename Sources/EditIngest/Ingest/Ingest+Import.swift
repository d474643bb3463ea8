import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditorSync
import TextState

/// The imports in parts that are under way, those that began last. A part of another one is refused, as
/// if something else had been logged.
struct RunningImports {
  /// Where the next part of an import begins.
  struct Place {
    /// The number of entries that are logged.
    var entryCount: Int
    /// The version and the time of the last one.
    var end: LiveDocument.End
  }

  private static let countMax = 16
  private var places: [(document: DocumentID, place: Place)] = []

  /// The place that an import has reached; nil if none is under way.
  subscript(document: DocumentID) -> Place? {
    get { places.last { $0.document == document }?.place }
    set {
      places.removeAll { $0.document == document }
      if let newValue { places.append((document, newValue)) }
      if places.count > Self.countMax { places.removeFirst() }
    }
  }
}

extension Ingest {
  /// Stages a part of an import. All of its entries are logged, or none.
  func stage(
    _ request: ImportRequest, _ batch: inout IngestBatch,
    _ reply: @escaping IngestRequest.Reply<ImportAnswer>
  ) throws(ProtocolError) {
    let (id, entries) = (request.document, request.entries)
    let isLong = request.cost > options.longLength
    // If an entry is refused, the document is read from the log again, so its staged entries must be
    // there.
    if batch.contains(id) { flush(&batch) }
    let document = try liveDocument(id)
    let transaction = try checkPlace(of: request, document)
    documents[id] = nil
    let lengthMax = options.textLengthMax
    if isLong {
      return begin(id, document) { (document) throws(ProtocolError) in
        var staged = StagedDocument(document: document, entries: entries)
        try staged.document.stage(imported: entries, after: transaction, lengthMax: lengthMax)
        return staged
      } whenDone: { [self] result in
        reply(
          result.map { receipt in
            assumeIsolated { $0.imported(request, to: $0.documents[id]?.end, receipt) }
          })
      }
    }
    var staged = document
    try staged.stage(imported: entries, after: transaction, lengthMax: lengthMax)
    let (place, end) = (batch.count, staged.end)
    documents[id] = staged
    batch.add(entries, to: id)
    batch.whenDone { [self] result in
      reply(
        result.map { receipts in
          assumeIsolated { $0.imported(request, to: end, receipts[place]) }
        })
    }
  }

  /// Notes where the next part of an import begins, and returns the answer to this one.
  private func imported(
    _ request: ImportRequest, to end: LiveDocument.End?, _ receipt: AppendReceipt?
  ) -> ImportAnswer {
    imports[request.document] = end.map {
      RunningImports.Place(entryCount: request.entriesBefore + request.entries.count, end: $0)
    }
    return ImportAnswer(
      sequence: receipt?.lastSequence ?? end?.sequence ?? 0, head: receipt?.head.description)
  }

  /// Checks that a part is the first one of a new document, or follows the one before it. Returns the
  /// first edit of the transaction that it may go on with; 0 if there is none.
  private func checkPlace(
    of request: ImportRequest, _ document: borrowing LiveDocument
  ) throws(ProtocolError) -> SequenceNumber {
    guard (1...ImportRequest.entryCountMax).contains(request.entries.count) else {
      throw ProtocolError(
        .invalidParams,
        "params.entries must have 1 to \(ImportRequest.entryCountMax) entries, not \(request.entries.count)"
      )
    }
    let id = request.document
    if let client = desk.editor(of: id) { throw .openInEditor(id, client: client.shownName) }
    if request.entriesBefore == 0 {
      guard !isKnown(id) else {
        throw ProtocolError(
          .sequenceConflict,
          "\(id.shown) has a history already, and an import makes a new document; use another name",
          details: ["document": JSON(id.name), "latest": JSON(document.state.sequence)])
      }
      return 0
    }
    guard let place = imports[id], place.entryCount == request.entriesBefore,
      place.end.sequence == document.state.sequence, place.end.time == document.end.time
    else {
      throw ProtocolError(
        .sequenceConflict,
        """
        this part of the import of \(id.shown) does not follow the part before it, or something else was \
        logged since; forget the document, and send all parts again
        """,
        details: ["document": JSON(id.name), "latest": JSON(document.state.sequence)])
    }
    return place.end.transaction
  }
}
