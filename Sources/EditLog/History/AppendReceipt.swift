import EditLogFormat
public import EditModel

/// What an append gives back once it is durable.
public struct AppendReceipt: Hashable, Sendable {
  /// The document.
  public var document: DocumentID
  /// The sequence number of its last edit.
  public var lastSequence: SequenceNumber
  /// The head of its hash chain: with the sequence number it proves later that the history was
  /// not rewritten, see `History.confirms`.
  public var head: ChainHead
}
