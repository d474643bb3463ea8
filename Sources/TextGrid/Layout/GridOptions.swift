/// How text is laid out: the width of a row, tabs, display case, invisible characters.
public struct GridOptions: Hashable, Sendable {
  /// Cells in a row, at most.
  public static let widthMax = 10_000
  /// Cells between tab stops, at most.
  public static let tabStopMax = 64

  /// Cells in a row: 1 to `widthMax`.
  public let width: Int
  /// Cells between tab stops: 1 to `tabStopMax`.
  public let tabStop: Int
  /// How letters are shown.
  public let casing: DisplayCase
  /// True if characters that are not seen, or look like others, are shown by their codes:
  /// `\u{200B}` for ZERO WIDTH SPACE.
  public let namesInvisible: Bool
  /// True if a mark that is written beside its letter, as vowel signs of Hindi and Thai are, has a cell of
  /// its own, as on most terminals. Otherwise it shares the letter's.
  public let spacesMarks: Bool

  /// Options. Numbers that are too small or too large are replaced by the nearest that are not.
  ///
  /// - Parameters:
  ///   - width: Cells in a row.
  ///   - tabStop: Cells between tab stops.
  ///   - casing: How letters are shown.
  ///   - namesInvisible: Whether characters that are not seen are shown by their codes.
  ///   - spacesMarks: Whether marks that are written beside their letters have cells.
  public init(
    width: Int, tabStop: Int = 8, casing: DisplayCase = .written, namesInvisible: Bool = false,
    spacesMarks: Bool = false
  ) {
    self.width = min(max(width, 1), Self.widthMax)
    self.tabStop = min(max(tabStop, 1), Self.tabStopMax)
    (self.casing, self.namesInvisible, self.spacesMarks) = (casing, namesInvisible, spacesMarks)
  }

  /// UTF-16 units in a row, at most. Characters without cells could otherwise make a row of any
  /// length.
  static func rowLengthMax(width: Int) -> Int { 1_024 + 32 * width }
}
