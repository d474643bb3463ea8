package import EditModel

/// The effect of a message on the log: the entries to check, log and apply.
package struct LSPPlan: Hashable, Sendable {
  /// The documents and their entries, in the order in which they are logged.
  package var documents: [PlannedDocument] = []
  /// The anomalies of the message, for the daemon's log.
  package var anomalies: [LSPAnomaly] = []

  /// Adds the entries of a document, unless there are none.
  mutating func add(_ document: PlannedDocument) {
    if document.renamedFrom != nil || !document.entries.isEmpty { documents.append(document) }
  }
}

/// The entries to log in the history of one document.
package struct PlannedDocument: Hashable, Sendable {
  /// The document's name, after a rename from `renamedFrom`.
  package var document: DocumentID
  /// The old name, if the document is renamed before the entries are logged.
  package var renamedFrom: DocumentID?
  /// The entries, in order. The ranges of each edit refer to the text after the edit before it.
  package var entries: [PlannedEntry]

  init(_ document: DocumentID, renamedFrom: DocumentID? = nil, entries: [PlannedEntry] = []) {
    (self.document, self.renamedFrom, self.entries) = (document, renamedFrom, entries)
  }
}

/// An entry of a history, still without number, author and time.
package enum PlannedEntry: Hashable, Sendable {
  case edit(PlannedEdit)
  case event(HistoryEvent.Kind)
}

/// An edit, still without number, author and time.
package struct PlannedEdit: Hashable, Sendable {
  package var action: EditAction
  package var origin: Origin
  /// True if it belongs to the transaction of the edit before it.
  package var continuesTransaction: Bool
  /// The author, if it is not the session's.
  package var author: String?

  init(
    _ action: EditAction, origin: Origin, continuesTransaction: Bool, author: String? = nil
  ) {
    (self.action, self.origin, self.author) = (action, origin, author)
    self.continuesTransaction = continuesTransaction
  }
}

extension [PlannedEntry] {
  /// Adds `actions` as one transaction, each with the origin that `origin` returns for it.
  mutating func append(
    transaction actions: [EditAction], author: String? = nil, origin: (EditAction) -> Origin
  ) {
    for (index, action) in actions.enumerated() {
      append(
        .edit(
          PlannedEdit(
            action, origin: origin(action), continuesTransaction: index > 0, author: author)))
    }
  }
}
