import EditLog
import EditModel
import EditorSync

/// A document with staged entries that are not in the log yet.
struct StagedDocument: Sendable {
  var document: LiveDocument
  /// The times of the request, if it may be a large deletion; and the large deletions.
  var timing: RequestTiming?
  var measured: [MeasuredEdit] = []
  var entries: [HistoryEntry] = []
  /// The hash chain of the sealed entries, if the document was read from its files.
  var chain: SealedChain?
  /// The editor's session after its message, and the anomalies found in the message.
  var session: LSPSession?
  var anomalies: [LSPAnomaly] = []
  /// The errors of the message's edits that were left out.
  var refused: [EditError] = []

  /// The cost of writing the entries, in units of `WorkCost`.
  var cost: Int { entries.reduce(0) { $0 + $1.cost } }
}
