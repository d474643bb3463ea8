import EditLog
import EditModel
import EditProtocol
import Synchronization

/// Work on one document that takes long, done beside the requests of others: a large document is
/// read, or a large edit staged and then written.
struct LongWork {
  /// Whose message it is.
  var editor: EditorKey?
  /// True if the document is only read.
  var isReading = false
  /// Where its request came from; what that sends later comes after it.
  var source: Int?
  /// What is to be written, once it is staged.
  var staged: StagedDocument?
  /// Called when the entries are durable, with a receipt if there are any, or cannot be written.
  let whenDone: (Result<AppendReceipt?, ProtocolError>) -> Void
}

/// A document with staged entries that are not in the log yet.
struct StagedDocument: Sendable {
  var document: LiveDocument
  var entries: [HistoryEntry] = []
  /// The editor's session after its message, and what was odd in that.
  var session: LSPSession?
  var oddities: [Oddity] = []
  /// Why edits of the message were left out.
  var refused: [EditError] = []

  /// UTF-16 units that the entries put in.
  var length: Int { entries.reduce(0) { $0 + $1.textLength } }
}

/// Hands a document to another thread. Were a copy left behind, its first edit would copy the text.
final class DocumentHandover: Sendable {
  private let document: Mutex<LiveDocument?>

  init(_ document: consuming LiveDocument) { self.document = Mutex(document) }

  /// The document, once.
  func take() -> LiveDocument? { document.withLock { $0.take() } }
}

extension HistoryEntry {
  /// UTF-16 units that an edit puts in.
  fileprivate var textLength: Int {
    if case .edit(let edit) = self { edit.action.replacement?.count ?? 0 } else { 0 }
  }
}

extension AppendRequest {
  /// UTF-16 units that its edits put in.
  var textLength: Int { edits.reduce(0) { $0 + ($1.action.replacement?.count ?? 0) } }
}

extension LSPMessage {
  /// The documents it names; nil where it may concern others.
  var documents: [DocumentID]? {
    switch self {
    case .didOpen(let params): [params.uri]
    case .didChange(let params): [params.uri]
    case .didSave(let params): [params.uri]
    case .didClose(let params): [params.uri]
    case .initialize(_, let open): open
    case .other: []
    case .didRenameFiles, .end: nil
    }
  }

  /// UTF-16 units of its texts.
  fileprivate var textLength: Int {
    switch self {
    case .didOpen(let params): params.text.count
    case .didChange(let params): params.changes.reduce(0) { $0 + $1.text.count }
    case .didSave(let params): params.text?.count ?? 0
    case .initialize, .didClose, .didRenameFiles, .end, .other: 0
    }
  }
}

extension LSPSession {
  /// UTF-16 units that are looked at to read a message about the document it names, which has
  /// `length`; 0 where other documents are looked at too.
  func readingLength(of message: LSPMessage, documentLength length: Int) -> Int {
    switch message {
    case .didOpen: return max(length, message.textLength)
    case .didChange(let params):
      guard let opened = documents[params.uri] else { return 0 }
      let readsAll =
        params.changes.count > 1 || params.changes.contains { $0.range == nil }
        || opened.comparesNextChange
      return readsAll ? max(length, message.textLength) : message.textLength
    case .didSave(let params):
      return documents[params.uri] == nil ? 0 : max(length, message.textLength)
    case .didClose(let params): return documents[params.uri] == nil ? 0 : length
    case .initialize, .didRenameFiles, .end, .other: return 0
    }
  }
}
