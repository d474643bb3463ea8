/// The space around and before the rows of a paragraph, in rows and cells.
public struct ParagraphFormat: Hashable, Sendable {
  /// Blank rows before the first row.
  public var rowsBefore: Int
  /// Blank rows after the last row.
  public var rowsAfter: Int
  /// Cells before the text of each row.
  public var indent: Int
  /// Cells of the indent that a narrow row keeps too, such as those of a list's number.
  public var signCells: Int

  /// A format. Negative numbers count as 0, large ones as the maximum: 64 rows, and an indent that
  /// leaves eight cells or the whole row.
  ///
  /// - Parameters:
  ///   - rowsBefore: Blank rows before the first row.
  ///   - rowsAfter: Blank rows after the last row.
  ///   - indent: Cells before the text of each row.
  ///   - signCells: Cells of the indent that stay if they leave four cells of the row.
  public init(rowsBefore: Int = 0, rowsAfter: Int = 0, indent: Int = 0, signCells: Int = 0) {
    (self.rowsBefore, self.rowsAfter, self.indent) = (rowsBefore, rowsAfter, indent)
    self.signCells = signCells
  }

  /// Blank rows before or after a paragraph, at most.
  public static let blankRowsMax = 64

  /// The same format with numbers that fit rows of `width` cells.
  func clamped(width: Int) -> ParagraphFormat {
    ParagraphFormat(
      rowsBefore: min(max(rowsBefore, 0), Self.blankRowsMax),
      rowsAfter: min(max(rowsAfter, 0), Self.blankRowsMax),
      indent: min(
        max(indent, 0), max(0, width - 8, min(signCells, width - 4))))
  }
}

/// Says how paragraphs are set off.
public protocol ParagraphFormats {
  /// The format of the paragraph at `index` of the laid out text. It must cost the same wherever the
  /// paragraph is, and depend on the text and its attributes alone.
  func format(ofParagraph index: Int) -> ParagraphFormat
}

/// Paragraphs without blank rows and indents.
public struct PlainFormats: ParagraphFormats, Sendable {
  /// The formats.
  public init() {}

  /// No blank rows, and no indent.
  public func format(ofParagraph index: Int) -> ParagraphFormat { ParagraphFormat() }
}
