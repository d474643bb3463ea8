/// Finds the clusters of a row: as many as fit, up to a place at which a row may end.
///
/// White space at the end of a row may hang over it; it is then not shown. A word longer than a row is
/// broken between clusters.
struct RowBreaker {
  let window: ScannedWindow
  let tabStop: Int

  /// The clusters of a row.
  struct Row: Hashable {
    /// The index after the last cluster.
    let end: Int
    /// True if the row ends inside a word, because the word does not fit.
    let isBrokenWord: Bool
    /// The rows of the grid that it takes: those of its highest cluster.
    var height = 1
  }

  /// The row that begins with the cluster `first`, on a fragment of `width` cells. `first` must be an
  /// index of a cluster. O(clusters in the row).
  func row(from first: Int, width: Int) -> Row {
    let clusters = window.clusters
    var placing = ClusterPlacing(width: width, tabStop: tabStop)
    let lengthMax = GridOptions.rowLengthMax(width: width)
    var possible: (end: Int, height: Int)?
    var (index, height) = (first, 1)
    while index < clusters.count {
      let cluster = clusters[index]
      if index > first {
        switch cluster.breakBefore {
        case .mandatory: return Row(end: index, isBrokenWord: false, height: height)
        case .possible: possible = (index, height)
        case .prohibited: break
        }
        if cluster.end - clusters[first].start > lengthMax {
          return Row(end: index, isBrokenWord: false, height: height)
        }
      }
      guard let cells = placing.cells(of: cluster, window.units[cluster.start]) else {
        // The first cluster always fits.
        return Row(
          end: possible?.end ?? index, isBrokenWord: possible == nil,
          height: possible?.height ?? height)
      }
      placing.take(cells)
      height = max(height, cluster.rows)
      index += 1
    }
    return Row(end: index, isBrokenWord: false, height: height)
  }
}
