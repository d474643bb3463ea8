public import EditModel

/// What a message means for the log: all that is to be validated, recorded and applied for it.
public struct LSPPlan: Hashable, Sendable {
  /// The entries by document, in the order they are to be recorded.
  public var documents: [PlannedDocument] = []
  /// What was odd, for the daemon's log.
  public var anomalies: [LSPAnomaly] = []

  /// The plan of a message that changes nothing.
  public init() {}
}

/// What is to be recorded in one document's history.
public struct PlannedDocument: Hashable, Sendable {
  /// The document, by its name after `renamedFrom` was dealt with.
  public var document: DocumentID
  /// The name its history has until now, where it is to be renamed before the entries.
  public var renamedFrom: DocumentID?
  /// The entries, in order. Each edit counts in the text left by the one before.
  public var entries: [PlannedEntry]

  /// These entries for `document`.
  public init(
    _ document: DocumentID, renamedFrom: DocumentID? = nil, entries: [PlannedEntry] = []
  ) {
    (self.document, self.renamedFrom, self.entries) = (document, renamedFrom, entries)
  }
}

/// An entry of a history that has no number, author and time yet.
public enum PlannedEntry: Hashable, Sendable {
  case edit(PlannedEdit)
  case event(HistoryEvent.Kind)
}

/// An edit that has no number, author and time yet.
public struct PlannedEdit: Hashable, Sendable {
  /// What is replaced by what.
  public var action: EditAction
  /// Where it comes from.
  public var origin: Origin
  /// True where it belongs to the transaction of the edit before it; false where it opens one.
  public var continuesTransaction: Bool

  /// The edit `action` of this origin.
  public init(_ action: EditAction, origin: Origin, continuesTransaction: Bool) {
    (self.action, self.origin) = (action, origin)
    self.continuesTransaction = continuesTransaction
  }
}

extension [PlannedEntry] {
  /// Adds `actions` as one transaction, each with the origin that `origin` gives it.
  mutating func append(transaction actions: [EditAction], origin: (EditAction) -> Origin) {
    for (index, action) in actions.enumerated() {
      append(
        .edit(PlannedEdit(action, origin: origin(action), continuesTransaction: index > 0)))
    }
  }
}
