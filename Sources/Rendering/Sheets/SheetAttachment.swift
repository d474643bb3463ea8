public import EditModel
public import TextGrid

/// An attachment with its place on a sheet.
public struct SheetAttachment: Hashable, Sendable {
  /// What is known of it.
  public var attachment: Attachment
  /// Its character in the text.
  public var units: UTF16Range
  /// The part of it that is on the sheet.
  public var rectangle: CellRectangle
  /// Rows of it above that part, which are not on the sheet.
  public var rowsAbove: Int
  /// Rows of it in the layout, those that are not on the sheet included.
  public var rows: Int

  /// An attachment.
  ///
  /// - Parameters:
  ///   - attachment: What is known of it.
  ///   - units: Its character in the text.
  ///   - rectangle: The part of it that is on the sheet.
  ///   - rowsAbove: Rows of it above that part.
  ///   - rows: Rows of it in the layout.
  public init(
    _ attachment: Attachment, units: UTF16Range, rectangle: CellRectangle, rowsAbove: Int = 0,
    rows: Int
  ) {
    (self.attachment, self.units, self.rectangle) = (attachment, units, rectangle)
    (self.rowsAbove, self.rows) = (rowsAbove, rows)
  }
}
