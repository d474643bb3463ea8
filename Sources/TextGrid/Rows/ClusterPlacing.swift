/// Places clusters one after the other from the first cell of a fragment on.
struct ClusterPlacing {
  /// Cells of the fragment.
  let width: Int
  let tabStop: Int
  /// Cells taken so far.
  private(set) var cells = 0

  /// A fragment without clusters.
  init(width: Int, tabStop: Int) { (self.width, self.tabStop) = (width, tabStop) }

  /// The cells that the next cluster takes; nil if it does not fit. White space always fits: what does
  /// not is not shown.
  func cells(of cluster: Cluster, _ unit: UInt16) -> Int? {
    switch cluster.kind {
    case .tab: return min(tabStop - cells % tabStop, width - cells)
    case .hidden, .lineBreak, .terminator: return 0
    case .text, .control, .orphan, .object:
      // One that is wider than the fragment is shown as U+FFFD, an attachment without its right side.
      let own = min(cluster.cells, width)
      if own <= width - cells { return own }
      return unit == 0x20 && cluster.length == 1 ? 0 : nil
    }
  }

  /// Takes cells for a cluster.
  mutating func take(_ count: Int) { cells += count }
}
