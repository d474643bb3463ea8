import EditModel

/// The long work that runs, and the documents that wait for it.
struct LongWorkTable {
  /// The maximum number of documents that are read at a time, and of documents with other long work.
  private static let countMax = 4

  private var all: [DocumentID: LongWork] = [:]
  /// True while a request that may concern any document waits: no long work begins before it.
  private(set) var isHeld = false
  /// Documents that another thread could not read. The next request reads them again and reports the
  /// error.
  private var unreadable: Set<DocumentID> = []
  /// Documents whose files were opened, and that wait for their turn to be read.
  private var waitsForReading: Set<DocumentID> = []

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }

  subscript(document: DocumentID) -> LongWork? { all[document] }

  /// The documents whose entries are staged, and wait to be written.
  var staged: [DocumentID] { all.filter { $0.value.staged != nil }.map(\.key) }

  /// True if a request must wait for long work that runs. If it may concern any document, no long work begins
  /// until `endHold`.
  mutating func mustWait(_ request: IngestRequest) -> Bool {
    if all.isEmpty { return false }
    if let key = request.editor, all.values.contains(where: { $0.editor == key }) { return true }
    guard let names = request.documents else {
      isHeld = true
      return true
    }
    return names.contains { all[$0] != nil }
  }

  /// Ends the wait of a request that may concern any document. Returns true if more long work may begin
  /// because of that.
  mutating func endHold(by request: IngestRequest) -> Bool {
    guard isHeld, request.documents == nil else { return false }
    isHeld = false
    return true
  }

  /// True if more long work of this kind may begin. Reading and other work are counted apart, so that
  /// documents are read while large edits are written.
  func mayBegin(isReading: Bool) -> Bool {
    !isHeld && all.values.count { $0.isReading == isReading } < Self.countMax
  }

  mutating func begin(_ work: LongWork, on document: DocumentID) {
    waitsForReading.remove(document)
    all[document] = work
  }

  /// Sets the staged entries of the work on a document.
  mutating func stage(_ staged: StagedDocument, on document: DocumentID) {
    all[document]?.staged = staged
  }

  /// Removes and returns the work on a document.
  mutating func end(on document: DocumentID) -> LongWork? {
    all.removeValue(forKey: document)
  }

  /// Removes and returns all work.
  mutating func endAll() -> [LongWork] {
    defer { all = [:] }
    return Array(all.values)
  }

  // MARK: Reading

  /// True if a document has files that were opened, and waits for its turn to be read.
  func waitsForReading(_ document: DocumentID) -> Bool { waitsForReading.contains(document) }

  /// Lets a document wait for its turn to be read.
  mutating func awaitReading(_ document: DocumentID) { waitsForReading.insert(document) }

  /// True if a document could not be read, and was not read since.
  func isUnreadable(_ document: DocumentID) -> Bool { unreadable.contains(document) }

  mutating func setUnreadable(_ document: DocumentID, _ isUnreadable: Bool = true) {
    if isUnreadable { unreadable.insert(document) } else { unreadable.remove(document) }
  }
}
