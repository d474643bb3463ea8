package import EditModel

/// A version, its time and its author.
package struct TimeSample: Hashable, Sendable {
  /// The version.
  package var sequence: SequenceNumber
  /// The time of its last edit.
  package var time: Timestamp
  /// The author of its last edit, if known.
  package var author: String?

  /// A version, its time and its author.
  package init(_ sequence: SequenceNumber, _ time: Timestamp, author: String? = nil) {
    (self.sequence, self.time, self.author) = (sequence, time, author)
  }
}
