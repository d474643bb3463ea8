/// What the checkpoints of a document store.
public enum CheckpointSeries: CaseIterable, Hashable, Sendable {
  /// States: text, attributes and paragraphs.
  case states
  /// The states of projections.
  case projections
}

/// The place of a checkpoint in a history.
public struct CheckpointPlace: Hashable, Sendable {
  /// What it stores.
  public var series: CheckpointSeries
  /// The edit after which it was stored.
  public var sequence: SequenceNumber

  /// The place of a checkpoint after the edit `sequence`.
  public init(_ series: CheckpointSeries, _ sequence: SequenceNumber) {
    (self.series, self.sequence) = (series, sequence)
  }
}
