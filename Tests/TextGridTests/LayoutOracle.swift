import EditModel

@testable import TextGrid

/// The rows of a whole text, found by trying all ends of each row. Slow, and plainly right.
struct LayoutOracle {
  struct Row: Equatable {
    let paragraph: Int
    let kind: GridRow.Kind
    let units: Range<Int>
  }

  let options: GridOptions
  let windows: ParagraphWindows

  func rows(of text: some AttributedStorage, _ formats: some ParagraphFormats) -> [Row] {
    var rows: [Row] = []
    for paragraph in 0..<text.paragraphCount {
      let range = text.paragraphRange(at: paragraph)
      let format = formats.format(ofParagraph: paragraph)
      let indent = min(format.indent, max(0, options.width - 8))
      rows += blank(paragraph, format.rowsBefore)
      rows += self.rows(of: range.bounds, paragraph, text, width: options.width - indent)
      rows += blank(paragraph, format.rowsAfter)
    }
    return rows
  }

  private func blank(_ paragraph: Int, _ count: Int) -> [Row] {
    Array(repeating: Row(paragraph: paragraph, kind: .blank, units: 0..<0), count: count)
  }

  private func rows(
    of range: Range<Int>, _ paragraph: Int, _ text: some AttributedStorage, width: Int
  ) -> [Row] {
    let units = text.units(in: UTF16Range(range))
    let terminator =
      units.suffix(2) == [0x0D, 0x0A] ? 2 : [0x0A, 0x0D, 0x2029].contains(units.last) ? 1 : 0
    let end = range.upperBound - terminator
    var starts: [Int] = [range.lowerBound]
    while let next = windows.start(of: starts.count, in: range.lowerBound..<end, of: text) {
      starts.append(next)
    }
    var rows: [Row] = []
    for (start, stop) in zip(starts, starts.dropFirst() + [end]) {
      let part = text.units(in: UTF16Range(start..<stop))
      let objects = part.indices.compactMap { offset -> ObjectSize? in
        guard part[offset] == Attachment.unit,
          let found = Attachment(text.attributes(at: start + offset).attributes)
        else { return nil }
        return ObjectSize(offset: offset, columns: found.columns, rows: found.rows)
      }
      for row in self.rows(of: part, objects, width: width) {
        rows.append(
          Row(
            paragraph: paragraph, kind: .text,
            units: start + row.lowerBound..<start + row.upperBound))
        // The lower parts of the attachments in the row.
        let height = objects.filter { row.contains($0.offset) }.map(\.rows).max() ?? 1
        rows += below(paragraph, height - 1)
      }
    }
    let endsWithBreak = units.dropLast(terminator).last.map { Self.isBreak($0) } ?? false
    if rows.isEmpty || endsWithBreak {
      rows.append(
        Row(
          paragraph: paragraph, kind: terminator > 0 ? .text : .extra,
          units: end..<range.upperBound))
    } else if terminator > 0 {
      if let last = rows.lastIndex(where: { $0.kind == .text }) {
        rows[last] = Row(
          paragraph: paragraph, kind: .text,
          units: rows[last].units.lowerBound..<range.upperBound)
      }
    }
    return rows
  }

  private func below(_ paragraph: Int, _ count: Int) -> [Row] {
    Array(repeating: Row(paragraph: paragraph, kind: .object, units: 0..<0), count: count)
  }

  private static func isBreak(_ unit: UInt16) -> Bool { [0x0B, 0x0C, 0x85, 0x2028].contains(unit) }

  /// The rows of a window.
  private func rows(
    of units: [UInt16], _ objects: [ObjectSize], width: Int
  ) -> [Range<Int>] {
    let clusters = ClusterScan.clusters(of: units, casing: options.casing, objects: objects)
    var rows: [Range<Int>] = []
    var first = 0
    while first < clusters.count {
      var (best, forced) = (first + 1, true)
      for end in first + 1...clusters.count {
        let row = clusters[first..<end]
        guard fits(row, units, width) else { break }
        // Not over a line break.
        if row.dropFirst().contains(where: { $0.breakBefore == .mandatory }) { break }
        if end - first > 1,
          clusters[end - 1].end - clusters[first].start > GridOptions.rowLengthMax(width: width)
        {
          (best, forced) = (end - 1, false)
          break
        }
        let mayEnd = end == clusters.count || clusters[end].breakBefore != .prohibited
        if mayEnd || forced { (best, forced) = (end, forced && !mayEnd) }
      }
      rows.append(clusters[first].start..<clusters[best - 1].end)
      first = best
    }
    return rows
  }

  /// True if the clusters, without white space that hangs over, have room on a row.
  private func fits(_ row: ArraySlice<Cluster>, _ units: [UInt16], _ width: Int) -> Bool {
    var cells = 0
    for (index, cluster) in zip(row.indices, row) {
      let own: Int
      switch cluster.kind {
      case .tab: own = options.tabStop - cells % options.tabStop
      case .hidden, .lineBreak, .terminator: own = 0
      default: own = index == row.startIndex ? min(cluster.cells, width) : min(cluster.cells, width)
      }
      let isSpace = cluster.length == 1 && [0x20, 0x09].contains(units[cluster.start])
      if cells + own > width {
        if !isSpace { return false }
        if cluster.kind == .tab { cells = width }
      } else {
        cells += own
      }
    }
    return true
  }
}
