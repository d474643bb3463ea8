/// A grapheme cluster of a text: units that share their cells.
public struct Cluster: Hashable, Sendable {
  /// Whether a row may, or must, end before a cluster.
  public enum Break: UInt8, Hashable, Sendable {
    /// A row ends here only if it has no better place.
    case prohibited
    /// A row may end here (Unicode UAX 14).
    case possible
    /// A row ends here: the cluster before is a line break within the paragraph.
    case mandatory
  }

  /// The first unit, in UTF-16 units of the scanned text.
  public var start: Int
  /// The unit after the last.
  public var end: Int
  /// The cells that it takes: usually 0 to 2, more if display case makes it longer. A tab's depend on
  /// its place; here it has 1.
  public var cells: Int
  /// The rows that it takes: 1, more for an attachment.
  public var rows = 1
  /// What it is.
  public var kind: ClusterKind
  /// Whether a row may end before it.
  public var breakBefore: Break
  /// True if right-to-left text begins with it.
  public var beginsRightToLeft: Bool

  /// UTF-16 units in the cluster.
  public var length: Int { end - start }
}
