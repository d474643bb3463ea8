import EditLog
import EditModel

/// A document as it was acknowledged.
struct KnownDocument {
  var number: UInt64
  /// The name it has, and before it those it had.
  var names: [DocumentID]
  /// What is acknowledged and was not known to be lost.
  var entries: [HistoryEntry]
  /// What was written after them and not acknowledged: it may be there or not.
  var perhaps: [HistoryEntry] = []
  /// How many of them the durable mark vouches for. What came later may be taken for a write that
  /// was cut short.
  var markedCount: Int
  /// The last acknowledgement, kept elsewhere; nil after a loss.
  var kept: AppendReceipt?
  /// True if more was acknowledged, and is known to be lost: every answer has to say so.
  var isShort = false
}

/// A store as its owner knows it.
struct KnownStore {
  var documents: [KnownDocument] = []
  /// Numbers of documents that were ever given.
  var numbers: Set<UInt64> = []
  /// True once a loss was accepted: it stays listed.
  var hasAccepted = false

  /// Everything up to now is durable, and the mark says so.
  mutating func mark() {
    for index in documents.indices { documents[index].markedCount = documents[index].entries.count }
  }
}
