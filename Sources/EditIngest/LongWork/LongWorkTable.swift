import EditModel

/// The long work that runs, and the documents that wait for it.
struct LongWorkTable {
  /// The maximum number of documents that are read at a time, and of documents with other long work.
  private static let countMax = 4

  private(set) var all: [DocumentID: LongWork] = [:]
  /// The source whose long work ended last. It takes its turn after the others that wait.
  private(set) var servedLast: Int?
  /// True while a request that may concern any document waits: no long work begins before it.
  var isHeld = false
  /// Documents that another thread could not read. The next request reads them again and reports the
  /// error.
  var unreadable: Set<DocumentID> = []
  /// Documents whose files were opened, and that wait for their turn to be read.
  var waitsForReading: Set<DocumentID> = []

  subscript(document: DocumentID) -> LongWork? { all[document] }

  /// True while requests of the source wait for its long work.
  func holds(_ source: Int) -> Bool { all.values.contains { $0.source == source } }

  /// True while requests of the editor wait for its long work.
  func holds(_ editor: EditorKey) -> Bool { all.values.contains { $0.editor == editor } }

  /// True if more long work of this kind may begin. Reading and other work are counted apart, so that
  /// documents are read while large edits are written.
  func mayBegin(isReading: Bool) -> Bool {
    !isHeld && all.values.count { $0.isReading == isReading } < Self.countMax
  }

  mutating func begin(_ work: LongWork, on document: DocumentID) { all[document] = work }

  /// Sets the source of the work on a document, if there is work on it.
  mutating func setSource(_ source: Int, of document: DocumentID) {
    all[document]?.source = source
  }

  /// Sets the staged entries of the work on a document.
  mutating func stage(_ staged: StagedDocument, on document: DocumentID) {
    all[document]?.staged = staged
  }

  /// Removes and returns the work on a document.
  mutating func end(on document: DocumentID) -> LongWork? {
    guard let work = all.removeValue(forKey: document) else { return nil }
    servedLast = work.source
    return work
  }
}
