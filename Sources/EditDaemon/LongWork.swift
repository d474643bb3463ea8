import EditLog
import EditModel
import EditProtocol
import Synchronization

/// Work on one document that takes long and is done on another thread while the loop takes other
/// requests: a large document is read, or a large edit is staged and then written.
struct LongWork {
  /// The editor that sent the message, if one did.
  var editor: EditorKey?
  /// True if the document is only read.
  var isReading = false
  /// The source of the request. Later requests of this source wait for the work to end.
  var source: Int?
  /// The entries to write, once they are staged.
  var staged: StagedDocument?
  /// Called when the entries are durable, with a receipt if there are any, or cannot be written.
  let whenDone: (Result<AppendReceipt?, ProtocolError>) -> Void
}

/// The long work under way, and the documents that wait for it.
struct LongWorkTable {
  /// Most documents that are read at a time, and most with other long work.
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

  /// True if fewer than the maximum of readings, or of other long work, are under way: a document is
  /// read while large edits are written.
  func mayBegin(isReading: Bool) -> Bool {
    !isHeld && all.values.count { $0.isReading == isReading } < Self.countMax
  }

  mutating func begin(_ work: LongWork, on document: DocumentID) { all[document] = work }

  /// Names the source of the work on a document, if there is some.
  mutating func setSource(_ source: Int, of document: DocumentID) {
    all[document]?.source = source
  }

  /// The entries of the work on a document are staged.
  mutating func stage(_ staged: StagedDocument, on document: DocumentID) {
    all[document]?.staged = staged
  }

  /// Takes the work on a document out.
  mutating func end(on document: DocumentID) -> LongWork? {
    guard let work = all.removeValue(forKey: document) else { return nil }
    servedLast = work.source
    return work
  }
}

/// Estimates how long work with a document takes, in units of inserting one UTF-16 unit: 100,000
/// take about a millisecond.
enum WorkCost {
  /// The cost of any edit or event.
  static let entry = 64
  /// The cost per UTF-16 unit of comparing texts: a comparison may take many times their lengths.
  static let comparedUnit = 256
  /// The cost per UTF-16 unit that is passed to find a position in another encoding.
  static let passedUnit = 8
  /// The cost of renaming a document.
  static let rename = 2_048
  /// The cost of searching a history for a request. It is above `IngestOptions.longLength`, so the
  /// search never runs on the loop.
  static let search = 1 << 30
  /// The cost per attribute run that an edit changes or sets.
  static let run = 64
}

/// A document with staged entries that are not in the log yet.
struct StagedDocument: Sendable {
  var document: LiveDocument
  var entries: [HistoryEntry] = []
  /// The hash chain through the sealed entries, if the document was read from its files.
  var chain: SealedChain?
  /// The editor's session after its message, and the anomalies found in the message.
  var session: LSPSession?
  var anomalies: [LSPAnomaly] = []
  /// The errors of the message's edits that were left out.
  var refused: [EditError] = []

  /// The cost of writing the entries, in units of `WorkCost`.
  var cost: Int {
    entries.reduce(0) { sum, entry in
      guard case .edit(let edit) = entry else { return sum + WorkCost.entry }
      return sum + edit.action.ownCost
    }
  }
}

/// Hands a document to another thread without keeping a copy: with a second reference, the first
/// edit would copy the text.
final class DocumentHandover: Sendable {
  private let document: Mutex<LiveDocument?>

  init(_ document: consuming LiveDocument) { self.document = Mutex(document) }

  /// Returns the document the first time, then nil.
  func take() -> LiveDocument? { document.withLock { $0.take() } }
}

extension AppendRequest {
  /// The cost of staging the edits in a document with `runCount` attribute runs, in units of
  /// `WorkCost`. O(edits).
  func cost(runCount: Int) -> Int {
    edits.reduce(0) { sum, edit in
      let action = edit.action
      let visited = action.attributes == .inherit ? 0 : min(runCount, action.range.length)
      return sum + action.ownCost + visited * WorkCost.run
    }
  }
}

extension EditAction {
  /// The cost of the edit in any text: of its text and of its attributes, in units of `WorkCost`.
  fileprivate var ownCost: Int {
    let text = (replacement?.count ?? 0) + WorkCost.entry
    return switch attributes {
    case .inherit: text
    case .set(let runs), .merge(let runs):
      runs.reduce(text) { $0 + WorkCost.run + $1.attributes.size }
    case .remove(let names): names.reduce(text) { $0 + WorkCost.run + $1.utf8.count }
    }
  }
}

extension AttributeSet {
  /// The approximate bytes of names and values. O(names and values).
  fileprivate var size: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.size } }
}

extension AttributeValue {
  fileprivate var size: Int {
    switch self {
    case .bool, .integer, .double: 8
    case .string(let string): string.utf8.count
    case .bytes(let bytes): bytes.count
    case .list(let values): values.reduce(8) { $0 + $1.size }
    case .map(let values): 8 + values.size
    }
  }
}

extension LSPMessage {
  /// The documents that it names; nil if it may affect others too.
  var documents: [DocumentID]? {
    switch self {
    case .didOpen(let params): [params.uri]
    case .didChange(let params, _): [params.uri]
    case .didSave(let params, _): [params.uri]
    case .didClose(let params): [params.uri]
    case .reopened(let open): open.count > 1 ? nil : Array(open)
    case .renamed(let moves): moves.flatMap { [$0.oldURI, $0.newURI] }
    case .renamedOntoKnown(let rename): [rename.oldURI, rename.newURI]
    case .part(_, let message, _): message.documents
    case .initialize, .other: []
    case .didRenameFiles, .end, .ended: nil
    }
  }

  /// The document that must be in memory to stage it.
  var documentToRead: DocumentID? {
    switch self {
    case .renamed: nil
    case .part(_, let message, _): message.documentToRead
    default: documents?.first
    }
  }

  /// The documents that it renames to free names.
  var moves: [DidRenameFilesParams.Rename] {
    switch self {
    case .renamed(let moves): moves
    case .part(_, let message, _): message.moves
    default: []
    }
  }

  /// True if reading it compares a text with the file of its document.
  var isComparedWithFile: Bool {
    switch self {
    case .didOpen, .didSave, .didChange(_, as: .opened): true
    default: false
    }
  }

  /// The UTF-16 units of its texts.
  fileprivate var textLength: Int {
    switch self {
    case .didOpen(let params): params.text.count
    case .didChange(let params, _): params.changes.reduce(0) { $0 + $1.text.count }
    case .didSave(let params, _): params.text?.count ?? 0
    case .part(_, let message, _): message.textLength
    case .initialize, .reopened, .didClose, .didRenameFiles, .renamed, .renamedOntoKnown, .end,
      .ended, .other:
      0
    }
  }
}

extension LSPSession {
  /// The cost of reading a message about one document of `length` UTF-16 units, in units of
  /// `WorkCost`; 0 if the message concerns other documents too.
  func cost(
    of message: LSPMessage, documentLength length: Int, fileSize: Int
  ) -> Int {
    // A new document has no text to compare with.
    let compared =
      (length == 0 ? 1 : WorkCost.comparedUnit) * max(length, message.textLength, fileSize)
      + fileSize
    switch message {
    case .didOpen: return compared
    case .didChange(let params, _):
      guard let opened = documents[params.uri] else { return compared }
      if opened.comparesNextChange || params.changes.contains(where: { $0.range == nil }) {
        return compared
      }
      let passed = client.encoding == .utf16 ? 0 : length * WorkCost.passedUnit
      return message.textLength + params.changes.count * (WorkCost.entry + passed)
        + (params.changes.count > 1 ? length : 0)
    case .didSave: return compared
    case .didClose(let params): return documents[params.uri] == nil ? 0 : length
    case .initialize, .reopened, .didRenameFiles, .renamed, .renamedOntoKnown, .part, .end,
      .ended, .other:
      return 0
    }
  }
}
