package import EditModel

/// A version and its time.
package struct TimeSample: Hashable, Sendable {
  /// The version.
  package var sequence: SequenceNumber
  /// The time of its last edit.
  package var time: Timestamp

  /// A version and its time.
  package init(_ sequence: SequenceNumber, _ time: Timestamp) {
    (self.sequence, self.time) = (sequence, time)
  }
}
