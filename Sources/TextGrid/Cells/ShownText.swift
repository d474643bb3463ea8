/// A short text on the grid that is no part of a document, such as a name.
public enum ShownText {
  /// The text as it is shown in at most some cells: harmless on a terminal, and with `…` if it was cut.
  /// O(the text).
  ///
  /// - Parameters:
  ///   - text: The text. Line breaks and tabs in it are shown as spaces.
  ///   - cells: Cells, at most.
  /// - Returns: What is shown, and the cells that it takes.
  public static func cut(_ text: String, cells: Int) -> (text: String, cells: Int) {
    let clusters = placed(text.utf16)
    guard let last = clusters.last, cells > 0 else { return ("", 0) }
    if last.cells.upperBound <= cells {
      return (clusters.reduce(into: "") { $0 += $1.shown }, last.cells.upperBound)
    }
    let kept = clusters.prefix { $0.cells.upperBound < cells }
    return (
      kept.reduce(into: "") { $0 += $1.shown } + "…", (kept.last?.cells.upperBound ?? 0) + 1
    )
  }

  /// The clusters of a text of one row.
  static func placed(_ text: some Sequence<UInt16>) -> [PlacedCluster] {
    // A lead surrogate at the end is shown as U+FFFD.
    let units = text.map { ScannedWindow.endsRow($0) || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
    let scanned = ScannedWindow(units, terminatorLength: 0, start: 0, casing: .written)
    return scanned.fragment(
      0..<scanned.clusters.count, column: 0, width: GridOptions.widthMax, tabStop: 1, location: 0,
      isBrokenWord: false
    ).clusters
  }
}
