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

/// How long work with a document takes, in UTF-16 units that are put in: about a millisecond for
/// 100,000.
enum WorkCost {
  /// An edit or event, however short.
  static let entry = 64
  /// A unit of texts that are compared.
  static let comparedUnit = 32
  /// A run of attributes that an edit changes.
  static let run = 8
}

/// A document with staged entries that are not in the log yet.
struct StagedDocument: Sendable {
  var document: LiveDocument
  var entries: [HistoryEntry] = []
  /// The hash chain through what is sealed, of a document that was read.
  var chain: SealedChain?
  /// The editor's session after its message, and what was odd in that.
  var session: LSPSession?
  var oddities: [Oddity] = []
  /// Why edits of the message were left out.
  var refused: [EditError] = []

  /// What writing the entries costs.
  var cost: Int { entries.reduce(0) { $0 + $1.textLength + WorkCost.entry } }
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
  /// What staging costs in a document with so many runs of attributes.
  func cost(runCount: Int) -> Int {
    edits.reduce(0) { sum, edit in
      let text = edit.action.replacement?.count ?? 0
      let styled = edit.action.attributes == .inherit ? 0 : runCount
      return sum + text + WorkCost.entry + styled * WorkCost.run
    }
  }
}

extension LSPMessage {
  /// The documents it names; nil where it may concern others.
  var documents: [DocumentID]? {
    switch self {
    case .didOpen(let params): [params.uri]
    case .didChange(let params): [params.uri]
    case .didSave(let params): [params.uri]
    case .didClose(let params): [params.uri]
    case .reopened(let document): [document]
    case .initialize, .other: []
    case .didRenameFiles, .end: nil
    }
  }

  /// UTF-16 units of its texts.
  fileprivate var textLength: Int {
    switch self {
    case .didOpen(let params): params.text.count
    case .didChange(let params): params.changes.reduce(0) { $0 + $1.text.count }
    case .didSave(let params): params.text?.count ?? 0
    case .initialize, .reopened, .didClose, .didRenameFiles, .end, .other: 0
    }
  }
}

extension LSPSession {
  /// What it costs to read a message about the document it names, which has `length`; 0 where other
  /// documents are looked at too.
  func cost(of message: LSPMessage, documentLength length: Int) -> Int {
    // Of a document that is not known, there is nothing to compare with.
    let compared = (length == 0 ? 1 : WorkCost.comparedUnit) * max(length, message.textLength)
    switch message {
    case .didOpen: return compared
    case .didChange(let params):
      guard let opened = documents[params.uri] else { return 0 }
      if opened.comparesNextChange || params.changes.contains(where: { $0.range == nil }) {
        return compared
      }
      return message.textLength + params.changes.count * WorkCost.entry
        + (params.changes.count > 1 ? length : 0)
    case .didSave(let params): return documents[params.uri] == nil ? 0 : compared
    case .didClose(let params): return documents[params.uri] == nil ? 0 : length
    case .initialize, .reopened, .didRenameFiles, .end, .other: return 0
    }
  }
}
