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
  private var exactAuthor: ExactString?
  /// The client's run that sent it; nil if the client gave none.
  public var session: SessionID?
  /// The number of the client's request within its session; 0 if the client gave none.
  public var counter: UInt64
  /// The time in the log; never before that of the edit before it.
  public var time: Timestamp
  /// The time that the client sent, if it differs from `time`.
  public var clientTime: Timestamp?

  /// An edit with everything known about it.
  public init(
    sequence: SequenceNumber, action: EditAction, origin: Origin = .typing,
    transaction: SequenceNumber? = nil, author: String? = nil, session: SessionID? = nil,
    counter: UInt64 = 0, time: Timestamp = Timestamp(nanoseconds: 0), clientTime: Timestamp? = nil
  ) {
    (self.sequence, self.action, self.origin) = (sequence, action, origin)
    self.transaction = transaction ?? sequence
    exactAuthor = author.map(ExactString.init)
    (self.session, self.counter) = (session, counter)
    (self.time, self.clientTime) = (time, clientTime)
  }
}
