/// The number of an edit in its document's history. The first edit is 1; version 0 is the empty
/// document.
public typealias SequenceNumber = UInt64

/// One recorded edit: the action, and its author, time and origin.
public struct Edit: Hashable, Sendable {
  /// Its number in the document's history: 1, 2, 3, … without gaps.
  public var sequence: SequenceNumber
  /// The change.
  public var action: EditAction
  /// The kind of its source.
  public var origin: Origin
  /// The sequence number of the first edit of its transaction; equal to `sequence` if it begins
  /// one. A transaction is one notification and one undo step.
  public var transaction: SequenceNumber
  /// The author, if known: a person or an agent, as named by the client.
  public var author: String? {
    get { exactAuthor?.string }
    set { exactAuthor = newValue.map(ExactString.init) }
  }
  fileprivate var exactAuthor: ExactString?
  /// The client's run that sent it; nil if the client gave none.
  public var session: SessionID?
  /// The number of the client's request within its session; 0 if the client gave none.
  public var counter: UInt64
  /// The time in the log; never before that of the edit before it.
  public var time: Timestamp
  /// The time that the client sent, if it differs from `time`.
  public var clientTime: Timestamp?
  /// The carets and selected ranges of the client before and after it, if the client sent them.
  public var selection: EditSelection?
}

/// Who made an edit: its author and session. It is compared for each edit of a history, so that does not
/// count references.
package struct EditWriter: Sendable {
  private var exactAuthor: ExactString?
  /// The client's run; nil if the client gave none.
  package private(set) var session: SessionID?

  /// A writer.
  package init(author: String?, session: SessionID?) {
    self.init(exactAuthor: author.map(ExactString.init), session: session)
  }

  /// A writer.
  package init(exactAuthor: ExactString?, session: SessionID?) {
    (self.exactAuthor, self.session) = (exactAuthor, session)
  }

  /// The writer of an edit.
  package init(of edit: borrowing Edit) {
    (exactAuthor, session) = (edit.exactAuthor, edit.session)
  }

  /// The author, if known.
  package var author: String? { exactAuthor?.string }

  /// True if the author and the session of an edit are the same, by the bytes of their names.
  package func wrote(_ edit: Edit) -> Bool {
    edit.exactAuthor == exactAuthor && edit.session == session
  }
}

// The memberwise initializer, which moves its arguments, is there if no other is in the type.
extension Edit {
  /// An edit with everything known about it.
  public init(
    sequence: SequenceNumber, action: EditAction, origin: Origin = .typing,
    transaction: SequenceNumber? = nil, author: String? = nil, session: SessionID? = nil,
    counter: UInt64 = 0, time: Timestamp = Timestamp(nanoseconds: 0), clientTime: Timestamp? = nil,
    selection: EditSelection? = nil
  ) {
    self.init(
      sequence: sequence, action: action, origin: origin, transaction: transaction ?? sequence,
      exactAuthor: author.map(ExactString.init), session: session, counter: counter, time: time,
      clientTime: clientTime, selection: selection)
  }
}

extension HistoryEntry {
  /// An edit of these parts. They are moved in, and no reference is counted: callers make very
  /// many.
  package init(
    sequence: SequenceNumber, action: EditAction, origin: Origin, transaction: SequenceNumber,
    exactAuthor: ExactString?, session: SessionID?, counter: UInt64, time: Timestamp,
    clientTime: Timestamp?, selection: EditSelection?
  ) {
    self = .edit(
      Edit(
        sequence: sequence, action: action, origin: origin, transaction: transaction,
        exactAuthor: exactAuthor, session: session, counter: counter, time: time,
        clientTime: clientTime, selection: selection))
  }
}
