/// The last request of a client's run in a document's history.
public struct SessionMark: Hashable, Sendable {
  /// The request's number within its session.
  public var counter: UInt64
  /// The last edit of that request, or the edit before its event.
  public var sequence: SequenceNumber

  /// A mark of these numbers.
  public init(counter: UInt64, sequence: SequenceNumber) {
    (self.counter, self.sequence) = (counter, sequence)
  }
}
