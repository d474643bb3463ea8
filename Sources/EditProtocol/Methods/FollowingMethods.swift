public import EditJSON
public import EditModel

extension Methods {
  /// Methods about entries as they are logged.
  static let following: [any MethodRequest.Type] = [
    SubscribeRequest.self, CreditRequest.self, UnsubscribeRequest.self,
  ]
}

/// A request about the subscriptions of a connection.
package enum FollowingRequest: Hashable, Sendable {
  case subscribe(SubscribeRequest)
  case credit(CreditRequest)
  case unsubscribe(UnsubscribeRequest)
}

/// A place between two entries of a history.
public struct HistoryPosition: Hashable, Sendable {
  /// The last edit before it; 0 if there is none.
  public var after: SequenceNumber
  /// The number of events that follow this edit before it.
  public var events: Int

  /// A place. By default, that before all entries.
  public init(after: SequenceNumber = 0, events: Int = 0) {
    (self.after, self.events) = (after, events)
  }

  static let codec = Codec<Self>(
    { HistoryPosition(after: $0, events: $1) },
    .required("after", \.after, .unsigned),
    .optional("events", \.events, .count, else: 0, isAlwaysWritten: true))
}

// MARK: editlog/subscribe

/// Asks for the entries of one document or of all, from a place on, and then for each that is logged.
///
/// They come as `editlog/deliver`, in the order of the log: none is left out, none comes twice.
public struct SubscribeRequest: MethodRequest {
  /// The document. Nil means all, and those that come later.
  public var document: DocumentID?
  /// The place before the first entry. If nil, the entries that are logged from now on are sent.
  /// Without a document, only the place before all entries is possible.
  public var from: HistoryPosition?
  /// The cost of the entries that may be sent before more credit is given. An entry costs 1, and 1 for
  /// each 4,096 UTF-16 units of its text. The last entry may exceed what is left.
  public var credit: Int
  /// True if deliveries also tell the changes of the text, its attributes and its paragraphs, so that no
  /// further call is needed to follow them. Only for one document.
  public var changes: Bool
  /// If not nil, the changes tell of sections too. Only with `changes`.
  public var sections: SectionsOption?
  /// If the next entry of a document is more than this number of edits behind the newest one, the entries
  /// between are left out: a delivery without entries, `isSnapshot`, names the newest version, which the
  /// client may ask for. Nil if every entry is sent.
  public var snapshotAfter: Int?
  /// True if the subscription also tells whether there is something to undo and to redo: at its start, and
  /// when that changes.
  public var undoState: Bool

  /// What begins a section.
  public struct SectionsOption: Hashable, Sendable {
    /// The name of the attribute that begins sections. If nil, headings do: that of `heading`, and those of Markdown.
    public var key: String?

    /// Sections by an attribute, or by headings.
    public init(key: String? = nil) { self.key = key }

    static let codec = Codec<Self>(
      { SectionsOption(key: $0) }, .optional("key", \.key, .string))
  }

  /// The default of `credit`, and its maximum.
  public static let (creditStandard, creditMax) = (1_000, 1_000_000)
  /// The maximum of `snapshotAfter`; its minimum is 1.
  public static let snapshotAfterMax = 1 << 31

  /// A call.
  public init(
    _ document: DocumentID?, from: HistoryPosition? = nil, credit: Int = creditStandard,
    changes: Bool = false, snapshotAfter: Int? = nil, undoState: Bool = false,
    sections: SectionsOption? = nil
  ) {
    (self.document, self.from, self.credit) = (document, from, credit)
    self.sections = sections
    (self.changes, self.snapshotAfter, self.undoState) = (changes, snapshotAfter, undoState)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, SubscribeAnswer>(
    "editlog/subscribe",
    "Sends entries as they are logged.",
    isChange: false,
    params: Codec(
      {
        SubscribeRequest(
          $0, from: $1, credit: $2, changes: $3, snapshotAfter: $4, undoState: $5,
          sections: $6)
      },
      .optional("document", \.document, .document),
      .optionalGroup("after", \.from, HistoryPosition.codec),
      .optional("credit", \.credit, .integer(in: 0...creditMax), else: creditStandard),
      .optional("changes", \.changes, .bool, else: false),
      .optional("snapshotAfter", \.snapshotAfter, .integer(in: 1...snapshotAfterMax)),
      .optional("undoState", \.undoState, .bool, else: false),
      .optional("sections", \.sections, SectionsOption.codec)),
    answer: SubscribeAnswer.codec)
}

/// A subscription that has begun.
public struct SubscribeAnswer: Hashable, Sendable {
  /// Its number on this connection.
  public var subscription: Int
  /// The place from which entries are sent, if it is about one document.
  public var from: HistoryPosition?
  /// Whether there is something to undo and to redo at this place, if the subscription asked for it.
  public var undoState: UndoState?

  /// An answer.
  public init(subscription: Int, from: HistoryPosition? = nil, undoState: UndoState? = nil) {
    (self.subscription, self.from, self.undoState) = (subscription, from, undoState)
  }

  package static let codec = Codec<Self>(
    { SubscribeAnswer(subscription: $0, from: $1, undoState: $2) },
    .required("subscription", \.subscription, .count),
    .optionalGroup("after", \.from, HistoryPosition.codec),
    .optional("undoState", \.undoState, UndoState.codec))
}

/// Whether there is something to undo and to redo in a version of a document.
public struct UndoState: Hashable, Sendable {
  /// The version.
  public var sequence: SequenceNumber
  /// True if there is something to undo.
  public var isUndoable: Bool
  /// True if there is something to redo.
  public var isRedoable: Bool

  /// A state.
  public init(sequence: SequenceNumber, isUndoable: Bool, isRedoable: Bool) {
    (self.sequence, self.isUndoable, self.isRedoable) = (sequence, isUndoable, isRedoable)
  }

  static let codec = Codec<Self>(
    { UndoState(sequence: $0, isUndoable: $1, isRedoable: $2) },
    .required("sequence", \.sequence, .unsigned),
    .required("undoable", \.isUndoable, .bool),
    .required("redoable", \.isRedoable, .bool))
}

/// Entries of one document, in the order of its history: the params of `editlog/deliver`, which the
/// daemon sends as a notification.
public struct Delivery: Hashable, Sendable {
  /// The name of the notification.
  public static let method = "editlog/deliver"

  /// The number of the subscription.
  public var subscription: Int
  /// The document, by its name at this moment.
  public var document: DocumentID
  /// The entries.
  public var entries: [HistoryEntry]
  /// The place after them, from which a later subscription continues.
  public var next: HistoryPosition
  /// What the edits changed, by transactions. Nil if the subscription did not ask for it.
  public var changes: [GroupChange]?
  /// True if entries were left out: `next` is the newest version, and the client may ask for its state.
  public var isSnapshot: Bool
  /// Whether there is something to undo and to redo in the version after the entries. Nil if the
  /// subscription did not ask for it, or was told so before.
  public var undoState: UndoState?
  /// Why nothing more is sent about this document. Nil if more is sent.
  public var error: ProtocolError?

  /// Entries.
  public init(
    subscription: Int, document: DocumentID, entries: [HistoryEntry], next: HistoryPosition,
    changes: [GroupChange]? = nil, isSnapshot: Bool = false, undoState: UndoState? = nil,
    error: ProtocolError? = nil
  ) {
    (self.subscription, self.document, self.entries) = (subscription, document, entries)
    (self.next, self.changes, self.isSnapshot, self.error) = (next, changes, isSnapshot, error)
    self.undoState = undoState
  }

  private static let codec = Codec<Self>(
    {
      Delivery(
        subscription: $0, document: $1, entries: $2, next: $3, changes: $4, isSnapshot: $5,
        undoState: $6, error: $7)
    },
    .required("subscription", \.subscription, .count),
    .required("document", \.document, .document),
    .required("entries", \.entries, .array(.entry)),
    .group(\.next, HistoryPosition.codec),
    .optional("changes", \.changes, .array(GroupChange.codec)),
    .optional("snapshot", \.isSnapshot, .bool, else: false),
    .optional("undoState", \.undoState, UndoState.codec),
    .optional("error", \.error, .protocolError))

  /// The params of the notification.
  public var params: JSON { Self.codec.encode(self) }

  /// Reads the params of the notification.
  public init(params: JSON) throws(ShapeError) { self = try Self.codec.decode(params) }
}

extension HistoryEntry {
  /// What the entry costs of a subscription's credit.
  package var creditCost: Int {
    guard case .edit(let edit) = self else { return 1 }
    return 1 + (edit.action.replacement?.count ?? 0) / 4_096
  }
}

extension Codec<ProtocolError> {
  /// An error object.
  static let protocolError = Codec(
    schema: ["type": "object", "required": ["code", "message"]],
    decode: { (json) throws(ShapeError) in try ProtocolError(json: json) }, encode: { $0.json })
}

// MARK: editlog/credit

/// Allows a subscription to send more entries.
public struct CreditRequest: MethodRequest {
  /// The number of the subscription.
  public var subscription: Int
  /// The cost of the entries that may be sent besides those that were allowed before.
  public var credit: Int

  /// A call.
  public init(subscription: Int, credit: Int) {
    (self.subscription, self.credit) = (subscription, credit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, CreditAnswer>(
    "editlog/credit",
    "Allows a subscription to send more entries.",
    isChange: false,
    params: Codec(
      { CreditRequest(subscription: $0, credit: $1) },
      .required("subscription", \.subscription, .count),
      .required("credit", \.credit, .integer(in: 1...SubscribeRequest.creditMax))),
    answer: CreditAnswer.codec)
}

/// The credit of a subscription.
public struct CreditAnswer: Hashable, Sendable {
  /// The cost of the entries that may be sent now.
  public var credit: Int

  /// An answer.
  public init(credit: Int) { self.credit = credit }

  package static let codec = Codec<Self>(
    { CreditAnswer(credit: $0) }, .required("credit", \.credit, .count))
}

// MARK: editlog/unsubscribe

/// Ends a subscription.
public struct UnsubscribeRequest: MethodRequest {
  /// The number of the subscription.
  public var subscription: Int

  /// A call.
  public init(subscription: Int) { self.subscription = subscription }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, UnsubscribeAnswer>(
    "editlog/unsubscribe",
    "Ends a subscription.",
    isChange: false,
    params: Codec(
      { UnsubscribeRequest(subscription: $0) },
      .required("subscription", \.subscription, .count)),
    answer: UnsubscribeAnswer.codec)
}

/// The end of a subscription.
public struct UnsubscribeAnswer: Hashable, Sendable {
  /// An answer.
  public init() {}

  package static let codec = Codec<Self>({ UnsubscribeAnswer() })
}
