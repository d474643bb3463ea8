public import EditModel

/// A stretch of time in which an author edited: each edit follows the one before it in less than 5 minutes.
///
/// It begins at the edit before its first one if that is as near, whoever made it. One without a near edit before it has no
/// length. The lengths of all stretches are the time spent (`ActivityCounts.activeNanoseconds`).
public struct ActivityStretch: Hashable, Sendable {
  /// The time at which it begins.
  public var start: Timestamp
  /// The time of its last edit.
  public var end: Timestamp
  /// The author, if known.
  public var author: String? { exactAuthor?.string }
  var exactAuthor: ExactString?
}
