public import EditModel

/// A piece of text on one row of a container.
public struct GridFragment: Hashable, Sendable {
  /// The cell at which it begins, counted from the first of the container's row.
  public let column: Int
  /// Cells that it may take.
  public let width: Int
  /// Its units in the text. White space at the end, and the terminator, are part of it.
  public let units: UTF16Range
  /// Its clusters in the order of the text, which is also the order in which they are shown.
  public let clusters: [PlacedCluster]
  /// True if it ends inside a word that is longer than a row.
  public let isBrokenWord: Bool

  /// Cells that are taken.
  public var cells: Int { clusters.last?.cells.upperBound ?? 0 }

  /// What is shown. O(clusters).
  public var shown: String { clusters.reduce(into: "") { $0 += $1.shown } }

  /// The attachments that begin in it, from left to right. O(clusters).
  var objects: [PlacedObject] {
    clusters.compactMap { cluster in
      guard cluster.kind == .object else { return nil }
      return PlacedObject(
        units: cluster.units, column: column + cluster.cells.lowerBound,
        columns: cluster.cells.count, rows: cluster.rows, row: 0)
    }
  }

  /// True if right-to-left text begins in it. Its cells are in the order of the text; what shows it may order the
  /// letters.
  public var beginsRightToLeft: Bool { clusters.contains { $0.beginsRightToLeft } }
}

// The map between units and cells. Each cluster has some units and some cells; clusters without cells
// are at the place of the next that has some.
extension GridFragment {
  /// The cells of the units of `range`, counted from the first cell of the fragment: all cells of each
  /// cluster that `range` touches. Empty, at the right place, if it touches none with cells. O(log
  /// clusters).
  public func cells(of range: UTF16Range) -> Range<Int> {
    let first = clusters.partitionPoint { $0.units.upperBound <= range.location }
    guard first < clusters.count else { return cells..<cells }
    let end = max(first, clusters.partitionPoint { $0.units.location < range.upperBound })
    let lower = clusters[first].cells.lowerBound
    return lower..<(end == first ? lower : clusters[end - 1].cells.upperBound)
  }

  /// The cell at which the cluster that holds the unit at `offset` begins. O(log clusters).
  public func cell(at offset: Int) -> Int {
    cells(of: UTF16Range(offset..<offset)).lowerBound
  }

  /// The first unit of the cluster shown on `cell`; the unit after the last one that is shown if
  /// `cell` is after the text. O(log clusters).
  public func offset(atCell cell: Int) -> Int {
    let index = clusters.partitionPoint { $0.cells.upperBound <= cell }
    if index < clusters.count { return clusters[index].units.location }
    let shownEnd = clusters.partitionPoint { $0.cells.lowerBound < cells }
    return shownEnd == 0 ? units.location : clusters[shownEnd - 1].units.upperBound
  }
}
