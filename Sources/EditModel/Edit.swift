/// Position of an edit in its document's history. The first edit is 1; state 0 is the empty
/// document.
public typealias SequenceNumber = UInt64

/// One recorded edit: the action, and who made it, when, from what origin.
public struct Edit: Hashable, Sendable {
  /// Its place in the document's history: 1, 2, 3, … without gaps.
  public var sequence: SequenceNumber
  /// What was replaced by what.
  public var action: EditAction
  /// Where it comes from.
  public var origin: Origin
  /// The sequence number of the first edit of its transaction; equal to `sequence` where it
  /// opens one. A transaction is one notification and one undo step.
  public var transaction: SequenceNumber
  /// Who made it, where known: a person or an agent, as named by the client.
  public var author: String? {
    get { exactAuthor?.string }
    set { exactAuthor = newValue.map(ExactString.init) }
  }
  private var exactAuthor: ExactString?
  /// The client's run that sent it, and the number of the request there; nil and 0 where the
  /// client gave none.
  public var session: SessionID?
  /// The number of the client's request within its session.
  public var counter: UInt64
  /// When it happened; never before the edit before it.
  public var time: Timestamp
  /// The client's own time, where it sent one that `time` could not keep.
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
