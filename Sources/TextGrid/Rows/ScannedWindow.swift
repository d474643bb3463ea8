import EditModel

/// A window of a paragraph, cut into clusters.
struct ScannedWindow: Sendable {
  /// The units, its terminator included if the paragraph ends with the window.
  let units: [UInt16]
  /// The clusters; the terminator is the last.
  let clusters: [Cluster]
  /// The place of the first unit in its paragraph, in UTF-16 units.
  let start: Int
  let casing: DisplayCase
  /// The attachments in the units.
  let objects: [ObjectSize]

  /// Scans a window.
  ///
  /// - Parameters:
  ///   - units: The units of the window.
  ///   - terminatorLength: UTF-16 units of the terminator at its end; 0 if there is none.
  ///   - start: The place of the first unit in its paragraph.
  ///   - casing: How letters are shown.
  ///   - objects: The attachments in the units.
  ///   - namesInvisible: Whether characters that are not seen are shown by their codes.
  ///   - spacesMarks: Whether marks that are written beside their letters have cells.
  init(
    _ units: [UInt16], terminatorLength: Int, start: Int, casing: DisplayCase,
    objects: [ObjectSize] = [], namesInvisible: Bool = false, spacesMarks: Bool = false
  ) {
    (self.start, self.casing, self.objects) = (start, casing, objects)
    let content = units.count - terminatorLength
    var clusters = ClusterScan.clusters(
      of: terminatorLength == 0 ? units : Array(units[..<content]), casing: casing,
      objects: objects)
    if namesInvisible {
      for index in clusters.indices {
        guard let code = ClusterText(clusters[index], units, casing).code else { continue }
        (clusters[index].kind, clusters[index].cells) = (.control, code.utf8.count)
      }
    }
    if spacesMarks {
      for index in clusters.indices where clusters[index].length > 1 {
        clusters[index].cells += ClusterText(clusters[index], units, casing).spacingMarkCount
      }
    }
    if terminatorLength > 0 {
      let isBroken = content > 0 && Self.endsRow(units[content - 1])
      clusters.append(
        Cluster(
          start: content, end: units.count, cells: 0, kind: .terminator,
          breakBefore: isBroken ? .mandatory : .prohibited, beginsRightToLeft: false))
    }
    (self.units, self.clusters) = (units, clusters)
  }

  /// True if the row ends after this unit, although the paragraph does not (UAX 14, BK and NL).
  static func endsRow(_ unit: UInt16) -> Bool {
    unit == 0x0B || unit == 0x0C || unit == 0x85 || unit == 0x2028
  }

  /// The index of the first cluster from which a row can begin at `offset`, a place in the window: the
  /// cluster that holds it.
  func clusterIndex(at offset: Int) -> Int {
    clusters.partitionPoint { $0.end <= offset }
  }

  /// The fragment of the clusters `indices`.
  ///
  /// - Parameters:
  ///   - indices: The clusters. None are the end of the window.
  ///   - column: The cell of the container's row at which the fragment begins.
  ///   - width: Cells that it may take.
  ///   - tabStop: Cells between tab stops.
  ///   - location: The paragraph's place in the text, in UTF-16 units.
  ///   - isBrokenWord: True if it ends inside a word.
  ///   - rowsMax: Rows that there are for an attachment.
  func fragment(
    _ indices: Range<Int>, column: Int, width: Int, tabStop: Int, location: Int,
    isBrokenWord: Bool, rowsMax: Int = .max
  ) -> GridFragment {
    let base = location + start
    var placing = ClusterPlacing(width: width, tabStop: tabStop)
    let placed = clusters[indices].map { cluster in
      let cells = placing.cells(of: cluster, units[cluster.start]) ?? 0
      defer { placing.take(cells) }
      return PlacedCluster(
        units: UTF16Range(base + cluster.start..<base + cluster.end),
        cells: placing.cells..<placing.cells + cells, rows: min(cluster.rows, rowsMax),
        kind: cluster.kind,
        shown: ClusterText(cluster, units, casing).shown(cells: cells),
        beginsRightToLeft: cluster.beginsRightToLeft)
    }
    let range =
      indices.isEmpty
      ? units.count..<units.count
      : clusters[indices.lowerBound].start..<clusters[indices.upperBound - 1].end
    return GridFragment(
      column: column, width: width,
      units: UTF16Range(base + range.lowerBound..<base + range.upperBound), clusters: placed,
      isBrokenWord: isBrokenWord)
  }
}
