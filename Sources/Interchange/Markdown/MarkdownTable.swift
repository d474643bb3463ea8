/// The rows of tables, as GitHub reads them.
enum MarkdownTable {
  /// The number of cells of a table's rule, such as `| --- | :-: |`; nil if a line is none. O(n).
  static func ruleCount(_ line: ArraySlice<UInt8>) -> Int? {
    var hasPipe = false
    for byte in line {
      switch byte {
      case UInt8(ascii: "|"), UInt8(ascii: ":"): hasPipe = true
      case UInt8(ascii: "-"), 0x20, 0x09: break
      default: return nil
      }
    }
    // Dashes alone make a heading of the paragraph.
    guard hasPipe else { return nil }
    let cells = cells(line)
    let isRule = cells.allSatisfy { cell in
      var cell = trimmed(cell)
      if cell.first == UInt8(ascii: ":") { cell.removeFirst() }
      if cell.last == UInt8(ascii: ":") { cell.removeLast() }
      return !cell.isEmpty && cell.allSatisfy { $0 == UInt8(ascii: "-") }
    }
    return isRule ? cells.count : nil
  }

  /// The number of cells of a row. O(n).
  static func cellCount(_ line: ArraySlice<UInt8>) -> Int { cells(line).count }

  private static func cells(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var line = trimmed(line)
    if line.first == UInt8(ascii: "|") { line.removeFirst() }
    var (cells, start): ([ArraySlice<UInt8>], Int) = ([], line.startIndex)
    for index in line.indices where line[index] == UInt8(ascii: "|") {
      if index > line.startIndex, line[index - 1] == UInt8(ascii: "\\") { continue }
      cells.append(line[start..<index])
      start = index + 1
    }
    if start < line.endIndex { cells.append(line[start...]) }
    return cells
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return rest
  }
}
