import EditLogFormat
public import EditModel

/// The result of an append that is durable.
public struct AppendReceipt: Hashable, Sendable {
  /// The document.
  public var document: DocumentID
  /// The sequence number of its last edit.
  public var lastSequence: SequenceNumber
  /// The head of its hash chain. With the sequence number, it can prove later that the history was
  /// not rewritten; see `History.confirms`.
  public var head: ChainHead
}
