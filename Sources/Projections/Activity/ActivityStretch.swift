public import EditModel

/// A stretch of time in which an author edited: each edit follows the one before it in less than 5 minutes.
///
/// If another author's edit comes less than 5 minutes before its first one, it begins at that edit. A stretch of one
/// edit that follows no other within 5 minutes has no length. The lengths of all stretches are the time spent
/// (`ActivityCounts.activeNanoseconds`).
public struct ActivityStretch: Hashable, Sendable {
  /// The time at which it begins.
  public var start: Timestamp
  /// The time of its last edit.
  public var end: Timestamp
  /// The author, if known.
  public var author: String? { exactAuthor?.string }
  var exactAuthor: ExactString?
}
