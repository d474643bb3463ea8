/// A change of the simulated disk that no flush has made durable.
public struct PendingChange: Hashable, Sendable {
  /// What is changed.
  public enum Kind: Hashable, Sendable {
    /// Bytes of a file, in this many sectors.
    case bytes(sectors: Int)
    /// A file's size alone.
    case size
    /// A name made, removed or changed.
    case name
  }

  /// Larger for later changes.
  public var id: Int
  /// What is changed.
  public var kind: Kind
}

/// What becomes of an unsynced change when the machine stops.
public enum Survival: Hashable, Sendable {
  /// The disk is as if it had not been made.
  case lost
  /// It is made.
  case kept
  /// Of a write, the sectors of these numbers, counted from its first; other changes are made.
  case sectors(Range<Int>)
  /// Of a write, each sector or not by this seed; other changes are made.
  case some(seed: UInt64)
  /// The file gets its new length; the bytes after its old end are zeros.
  case zeros
  /// The file gets its new length; the bytes after its old end are random.
  case garbage(seed: UInt64)
}
