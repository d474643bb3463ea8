public import EditModel

/// A cluster with its place on a row.
public struct PlacedCluster: Hashable, Sendable {
  /// Its units in the text.
  public let units: UTF16Range
  /// Its cells, counted from the first cell of its fragment.
  public let cells: Range<Int>
  /// Rows that it takes, from this one on: 1, more for an attachment.
  public let rows: Int
  /// What it is.
  public let kind: ClusterKind
  /// What is shown. It takes these cells on a terminal, and is harmless there.
  public let shown: String
  /// True if right-to-left text begins here.
  public let beginsRightToLeft: Bool
}
