import EditModel

/// The rows of a window of a paragraph. Places are counted from the paragraph's start, so that they
/// stay right if text before it changes.
struct WindowRows: Sendable {
  let scanned: ScannedWindow
  /// The index after the last cluster of each row of text.
  let ends: [Int]
  /// The rows of the grid before each row of text, and before the end; nil if each has one.
  private let tops: [Int]?
  /// The rows, by index into `ends`, that end inside a word.
  let brokenWords: Set<Int>
  /// Blank rows before the first row of the paragraph, and after the last.
  let (blankBefore, blankAfter): (Int, Int)
  let indent: Int
  /// The format with which the rows were found.
  let format: ParagraphFormat
  /// True if no window follows in the paragraph.
  let isLast: Bool

  /// Rows, blank ones included.
  var count: Int { blankBefore + textCount + blankAfter }

  /// Rows without the blank ones.
  var textCount: Int { tops?.last ?? ends.count }

  /// Finds the rows of a window.
  init(
    _ scanned: ScannedWindow, options: GridOptions, format: ParagraphFormat, isFirst: Bool,
    isLast: Bool
  ) {
    self.scanned = scanned
    (self.isLast, self.format) = (isLast, format)
    let format = format.clamped(width: options.width)
    indent = format.indent
    blankBefore = isFirst ? format.rowsBefore : 0
    blankAfter = isLast ? format.rowsAfter : 0
    let breaker = RowBreaker(window: scanned, tabStop: options.tabStop)
    var (ends, broken, heights) = ([Int](), Set<Int>(), [Int]())
    while (ends.last ?? 0) < scanned.clusters.count {
      let row = breaker.row(from: ends.last ?? 0, width: options.width - indent)
      if row.isBrokenWord { broken.insert(ends.count) }
      ends.append(row.end)
      heights.append(row.height)
    }
    // An empty last paragraph, or a text that ends with a line break inside the paragraph.
    if ends.isEmpty || isLast && scanned.endsWithLineBreak {
      ends.append(ends.last ?? 0)
      heights.append(1)
    }
    (self.ends, brokenWords) = (ends, broken)
    tops =
      heights.contains { $0 > 1 }
      ? heights.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) } : nil
  }

  /// The row that holds the unit at `offset`, a place in the paragraph.
  func row(at offset: Int) -> Int {
    let cluster = scanned.clusterIndex(at: offset - scanned.start)
    // The place after the last unit is on the last row.
    let row = min(ends.partitionPoint { $0 <= cluster }, ends.count - 1)
    return blankBefore + (tops?[row] ?? row)
  }

  /// The clusters of a row, by its index into `ends`.
  func clusters(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

  /// The row at `place`.
  ///
  /// - Parameters:
  ///   - place: A place in this window.
  ///   - location: The paragraph's place in the text, in UTF-16 units.
  ///   - options: The options with which the rows were found.
  func row(at place: RowPlace, location: Int, options: GridOptions) -> GridRow {
    let index = place.row - blankBefore
    guard (0..<textCount).contains(index) else {
      return GridRow(paragraph: place.paragraph, place: place, kind: .blank, fragments: [])
    }
    let line = tops.map { tops in tops.partitionPoint { $0 <= index } - 1 } ?? index
    let clusters = clusters(of: line)
    let fragment = scanned.fragment(
      clusters, column: indent, width: options.width - indent, tabStop: options.tabStop,
      location: location, isBrokenWord: brokenWords.contains(line))
    let row = GridRow(
      paragraph: place.paragraph, place: place, kind: clusters.isEmpty ? .extra : .text,
      fragments: [fragment])
    let below = index - (tops?[line] ?? line)
    return below == 0 ? row : GridRow(below, below: row, place: place)
  }
}

extension ScannedWindow {
  /// True if the text ends with a line break that does not end the paragraph.
  var endsWithLineBreak: Bool { units.last.map { Self.endsRow($0) } ?? false }
}
