package import EditJSON
public import EditModel

/// Rows or pages of a version.
public struct RenderAnswer: HistoryAnswer {
  /// The work of a layout, in steps that are the same on each machine.
  public struct Work: Hashable, Sendable {
    /// Windows of paragraphs that were laid out, UTF-16 units in them, and rows.
    public var (windows, units, rows): (Int, Int, Int)

    /// Work.
    public init(windows: Int, units: Int, rows: Int) {
      (self.windows, self.units, self.rows) = (windows, units, rows)
    }

    static let codec = Codec<Self>(
      { Work(windows: $0, units: $1, rows: $2) },
      .required("windows", \.windows, .count), .required("units", \.units, .count),
      .required("rows", \.rows, .count))
  }

  /// The text that comes after the last page of an answer.
  public struct Overflow: Hashable, Sendable {
    /// UTF-16 units.
    public var units: Int
    /// Paragraphs, the one that is broken off included.
    public var paragraphs: Int

    /// An overflow.
    public init(units: Int, paragraphs: Int) { (self.units, self.paragraphs) = (units, paragraphs) }

    static let codec = Codec<Self>(
      { Overflow(units: $0, paragraphs: $1) },
      .required("units", \.units, .count), .required("paragraphs", \.paragraphs, .count))
  }

  /// The version's number.
  public var sequence: SequenceNumber
  /// The length of the whole text in UTF-16 units.
  public var length: Int
  /// The number of paragraphs of the whole text.
  public var paragraphCount: Int
  /// Rows before the first one of the answer: counted if `isRowExact`, else an estimate. Nil for pages.
  public var firstRow: Int?
  /// True if `firstRow` was counted.
  public var isRowExact: Bool
  /// The rows in one sheet, or each page in one.
  public var sheets: [RenderedSheet]
  /// False if so much text is before the rows that comments and fences which began there may not be
  /// known to the rules.
  public var isStyleExact: Bool
  /// False if a numbered list begins so far before the rows that the numbers of its items may be too
  /// small.
  public var areNumbersExact: Bool
  /// Paragraphs of the answer, or beside it, that are too long for the rules: after their first
  /// `styledLengthMax` units they have the looks of their own attributes only.
  public var unstyledCount: Int
  /// UTF-16 units of a paragraph that the rules style, at most. Nil if no paragraph has more.
  public var styledLengthMax: Int?
  /// Where the next part begins. Nil at the end of the text.
  public var next: RenderPlace?
  /// The text after the last page. Nil for rows, and at the end of the text.
  public var overflow: Overflow?
  /// The work of the layout.
  public var work: Work
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  ///
  /// - Parameters:
  ///   - sequence: The version's number.
  ///   - length: The length of the whole text in UTF-16 units.
  ///   - paragraphCount: The number of paragraphs of the whole text.
  ///   - firstRow: Rows before the first one.
  ///   - isRowExact: True if they were counted.
  ///   - sheets: The rows, or pages.
  ///   - isStyleExact: False if comments and fences before the rows may not be known.
  ///   - areNumbersExact: False if numbers of items of a list may be too small.
  ///   - unstyledCount: Paragraphs that are too long for the rules.
  ///   - styledLengthMax: UTF-16 units of them that the rules style.
  ///   - next: Where the next part begins.
  ///   - overflow: The text after the last page.
  ///   - work: The work of the layout.
  ///   - reservation: Warnings.
  public init(
    sequence: SequenceNumber, length: Int, paragraphCount: Int, firstRow: Int? = nil,
    isRowExact: Bool = false, sheets: [RenderedSheet], isStyleExact: Bool = true,
    areNumbersExact: Bool = true, unstyledCount: Int = 0, styledLengthMax: Int? = nil,
    next: RenderPlace? = nil, overflow: Overflow? = nil, work: Work,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.length, self.paragraphCount) = (sequence, length, paragraphCount)
    (self.firstRow, self.isRowExact, self.sheets) = (firstRow, isRowExact, sheets)
    (self.isStyleExact, self.areNumbersExact) = (isStyleExact, areNumbersExact)
    (self.unstyledCount, self.styledLengthMax) = (unstyledCount, styledLengthMax)
    (self.next, self.overflow, self.work) = (next, overflow, work)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    {
      RenderAnswer(
        sequence: $0, length: $1, paragraphCount: $2, firstRow: $3, isRowExact: $4, sheets: $5,
        isStyleExact: $6, areNumbersExact: $7, unstyledCount: $8, styledLengthMax: $9,
        next: $10, overflow: $11, work: $12, reservation: $13)
    },
    .required("sequence", \.sequence, .unsigned),
    .required("length", \.length, .count),
    .required("paragraphCount", \.paragraphCount, .count),
    .optional("firstRow", \.firstRow, .count),
    .optional("firstRowExact", \.isRowExact, .bool, else: false),
    .required("sheets", \.sheets, .array(RenderedSheet.codec)),
    .optional("stylesExact", \.isStyleExact, .bool, else: true),
    .optional("numbersExact", \.areNumbersExact, .bool, else: true),
    .optional("unstyledParagraphs", \.unstyledCount, .count, else: 0),
    .optional("styledUnits", \.styledLengthMax, .count),
    .optional("next", \.next, RenderPlace.codec),
    .optional("overflow", \.overflow, Overflow.codec),
    .required("work", \.work, Work.codec),
    .group(\.reservation, Reservation.codec))
}

/// A rectangle of cells. Columns and rows are counted from 0.
public struct RenderRectangle: Hashable, Sendable {
  /// The first column and the first row.
  public var (column, row): (Int, Int)
  /// Columns and rows in it.
  public var (columns, rows): (Int, Int)

  /// A rectangle.
  public init(column: Int, row: Int, columns: Int, rows: Int) {
    (self.column, self.row, self.columns, self.rows) = (column, row, columns, rows)
  }

  package static let codec = Codec<Self>(
    { RenderRectangle(column: $0, row: $1, columns: $2, rows: $3) },
    .required("column", \.column, .count), .required("row", \.row, .count),
    .required("columns", \.columns, .count), .required("rows", \.rows, .count))
}
