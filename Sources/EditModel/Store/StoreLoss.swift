/// A loss of acknowledged data.
public struct StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// The kind of a loss.
  public enum Kind: UInt8, Sendable {
    /// Entries that were acknowledged.
    case entries = 0
    /// The catalog or the durable mark, which say which files must exist. Nothing else is known to
    /// be missing.
    case record = 1
  }

  /// The kind of the loss.
  public var kind = Kind.entries
  /// Identifies the loss permanently: two losses with the same key are one.
  public var key: String
  /// The path of the file that had the data, relative to the store.
  public var file: String
  /// A phrase for people: what is lost.
  public var what: String
  /// The time at which the loss was found.
  public var time: Timestamp
  /// The time at which a person accepted it; nil before.
  public var acceptedTime: Timestamp?

  /// A loss with everything known about it.
  package init(
    kind: Kind = .entries, key: String, file: String, what: String, time: Timestamp,
    acceptedTime: Timestamp? = nil
  ) {
    (self.kind, self.key, self.file, self.what) = (kind, key, file, what)
    (self.time, self.acceptedTime) = (time, acceptedTime)
  }

  /// One line: the file, and what is lost.
  public var description: String { "\(file): \(what)" }
}
