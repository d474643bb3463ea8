import EditModel

/// Cuts a text to a number of rows, with a sign that more follows.
///
/// The sign comes after the text of the last row, which is cut for it, if at least `keptLengthMin`
/// UTF-16 units of the row stay. Else the row stays whole, and the sign gets a row of its own.
public struct Truncation: Hashable, Sendable {
  /// UTF-16 units that must stay on the last row if the sign is on it.
  public static let keptLengthMin = 2
  /// UTF-16 units of the sign, at most. What is longer is cut.
  public static let signLengthMax = 256

  /// Rows of text, at most.
  public let rowsMax: Int
  /// The sign as it is shown, one cluster at a time.
  private let sign: [PlacedCluster]

  /// A truncation.
  ///
  /// - Parameters:
  ///   - rowsMax: Rows of text; at least 1.
  ///   - sign: What says that more follows.
  public init(rowsMax: Int, sign: String = "… more") {
    self.rowsMax = max(1, rowsMax)
    self.sign = ShownText.placed(sign.utf16.prefix(Self.signLengthMax))
  }

  /// The rows that are shown of a text.
  ///
  /// - Parameters:
  ///   - rows: The first rows of the text: `rowsMax + 1` of them, or all.
  ///   - width: Cells in a row.
  ///   - length: The length of the text in UTF-16 units; nil if it is not known. Then a margin at the text's
  ///     end counts as text.
  /// - Returns: The same rows if there are at most `rowsMax`, else `rowsMax` or one more. There is no sign if
  ///   no text comes after them, but a margin or the empty row after the last terminator.
  public func truncated(_ rows: [GridRow], width: Int, length: Int? = nil) -> [GridRow] {
    guard rows.count > rowsMax else { return rows }
    var kept = Array(rows.prefix(rowsMax))
    let next = rows[rowsMax].kind
    let end = kept.last { $0.units != nil }?.units?.upperBound
    if next == .extra || next == .blank && end != nil && end == length { return kept }
    let last = kept[rowsMax - 1]
    let signCells = sign.last?.cells.upperBound ?? 0
    guard let fragment = last.fragments.last, last.kind == .text else {
      return kept + [ownRow(last.paragraph, width)]
    }
    let room = fragment.width - signCells
    let shown = fragment.clusters.prefix { $0.kind != .terminator && $0.cells.upperBound <= room }
    let length = shown.reduce(0) { $0 + $1.units.length }
    guard room > 0, length >= Self.keptLengthMin, let first = shown.first, let end = shown.last
    else { return kept + [ownRow(last.paragraph, width)] }
    let cut = GridFragment(
      column: fragment.column, width: fragment.width,
      units: UTF16Range(first.units.location..<end.units.upperBound), clusters: Array(shown),
      isBrokenWord: false)
    kept[rowsMax - 1] = GridRow(
      paragraph: last.paragraph, place: last.place, kind: .text,
      fragments: last.fragments.dropLast() + [cut],
      more: sign(at: cut.column + cut.cells, width: signCells))
    return kept
  }

  private func ownRow(_ paragraph: Int, _ width: Int) -> GridRow {
    GridRow(
      paragraph: paragraph, place: nil, kind: .more, fragments: [], more: sign(at: 0, width: width))
  }

  /// The sign, or as much of it as fits.
  private func sign(at column: Int, width: Int) -> MoreSign {
    let fitting = sign.prefix { $0.cells.upperBound <= width }
    return MoreSign(
      column: column, text: fitting.reduce(into: "") { $0 += $1.shown },
      cells: fitting.last?.cells.upperBound ?? 0)
  }
}
