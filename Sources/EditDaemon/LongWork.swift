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

/// Estimates how long work with a document takes, in units of inserting one UTF-16 unit: 100,000
/// take about a millisecond.
enum WorkCost {
  /// An edit or event, however short.
  static let entry = 64
  /// A UTF-16 unit of texts that are compared.
  static let comparedUnit = 32
  /// An attribute run that an edit changes or sets.
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
  var oddities: [Oddity] = []
  /// The errors of the message's edits that were left out.
  var refused: [EditError] = []

  /// The cost of writing the entries, in units of `WorkCost`.
  var cost: Int { entries.reduce(0) { $0 + $1.textLength + WorkCost.entry } }
}

/// Hands a document to another thread without keeping a copy: with a second reference, the first
/// edit would copy the text.
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
  /// The cost of staging the edits in a document with `runCount` attribute runs, in units of
  /// `WorkCost`. O(edits).
  func cost(runCount: Int) -> Int {
    edits.reduce(0) { sum, edit in
      let runs = edit.action.styledRunCountMax(of: runCount)
      return sum + (edit.action.replacement?.count ?? 0) + WorkCost.entry + runs * WorkCost.run
    }
  }
}

extension EditAction {
  /// The attribute runs that the edit visits, at most, in a text with `runCount` of them; its own
  /// runs are counted too.
  fileprivate func styledRunCountMax(of runCount: Int) -> Int {
    let visited = min(runCount, range.length)
    return switch attributes {
    case .inherit: 0
    case .set(let runs), .merge(let runs): visited + runs.count
    case .remove(let names): visited + names.count
    }
  }
}

extension LSPMessage {
  /// The documents it names; nil if it may concern others too.
  var documents: [DocumentID]? {
    switch self {
    case .didOpen(let params): [params.uri]
    case .didChange(let params): [params.uri]
    case .didSave(let params): [params.uri]
    case .didClose(let params): [params.uri]
    case .reopened(let open): open.count > 1 ? nil : Array(open)
    case .initialize, .other: []
    case .didRenameFiles, .end, .ended: nil
    }
  }

  /// The UTF-16 units of its texts.
  fileprivate var textLength: Int {
    switch self {
    case .didOpen(let params): params.text.count
    case .didChange(let params): params.changes.reduce(0) { $0 + $1.text.count }
    case .didSave(let params): params.text?.count ?? 0
    case .initialize, .reopened, .didClose, .didRenameFiles, .end, .ended, .other: 0
    }
  }
}

extension LSPSession {
  /// The cost of reading a message about one document of `length` UTF-16 units, in units of
  /// `WorkCost`; 0 if the message concerns other documents too.
  func cost(of message: LSPMessage, documentLength length: Int) -> Int {
    // A new document has no text to compare with.
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
    case .initialize, .reopened, .didRenameFiles, .end, .ended, .other: return 0
    }
  }
}
