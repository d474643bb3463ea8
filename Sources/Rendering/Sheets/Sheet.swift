public import EditModel
public import Styling
public import TextGrid

/// Rows of text with everything that a renderer needs to show them: a part of a text, or a page.
public struct Sheet: Hashable, Sendable {
  /// Cells in a row.
  public var width: Int
  /// The rows, from top to bottom.
  public var rows: [SheetRow]
  /// What is drawn around the text, in the order in which it is drawn.
  public var decorations: [SheetDecoration]
  /// The attachments, in the order of the text.
  public var attachments: [SheetAttachment]
  /// The page, counted from 0; nil if the rows are no page.
  public var page: Int?
  /// Rectangles of the page that stay free: nothing is drawn in them.
  public var holes: [CellRectangle]

  /// A sheet.
  ///
  /// - Parameters:
  ///   - width: Cells in a row.
  ///   - rows: The rows.
  ///   - decorations: What is drawn around the text.
  ///   - attachments: The attachments.
  ///   - page: The page, counted from 0.
  ///   - holes: Rectangles of the page that stay free.
  public init(
    width: Int, rows: [SheetRow], decorations: [SheetDecoration] = [],
    attachments: [SheetAttachment] = [], page: Int? = nil, holes: [CellRectangle] = []
  ) {
    (self.width, self.rows, self.decorations, self.page) = (width, rows, decorations, page)
    (self.attachments, self.holes) = (attachments, holes)
  }
}

/// A row of a sheet.
public struct SheetRow: Hashable, Sendable {
  /// Its pieces of text. Those of one column come from left to right.
  public var fragments: [SheetFragment]
  /// The sign that more text follows; nil if it has none.
  public var more: SheetSign?

  /// A row.
  public init(fragments: [SheetFragment] = [], more: SheetSign? = nil) {
    (self.fragments, self.more) = (fragments, more)
  }
}

/// A piece of text on a row.
public struct SheetFragment: Hashable, Sendable {
  /// The paragraph, counted from 0.
  public var paragraph: Int
  /// The cell at which it begins, counted from the first of the row.
  public var column: Int
  /// Its units in the text.
  public var units: UTF16Range
  /// Its runs, from left to right.
  public var runs: [SheetRun]
  /// True if right-to-left text begins in it.
  public var beginsRightToLeft: Bool
  /// True if it ends inside a word that is longer than a row.
  public var isBrokenWord: Bool

  /// A fragment.
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph, counted from 0.
  ///   - column: The cell at which it begins.
  ///   - units: Its units in the text.
  ///   - runs: Its runs.
  ///   - beginsRightToLeft: True if right-to-left text begins in it.
  ///   - isBrokenWord: True if it ends inside a word.
  public init(
    paragraph: Int, column: Int, units: UTF16Range, runs: [SheetRun],
    beginsRightToLeft: Bool = false, isBrokenWord: Bool = false
  ) {
    (self.paragraph, self.column, self.units, self.runs) = (paragraph, column, units, runs)
    (self.beginsRightToLeft, self.isBrokenWord) = (beginsRightToLeft, isBrokenWord)
  }

  /// Cells of all runs.
  public var cells: Int { runs.reduce(0) { $0 + $1.cells } }
}

/// Clusters that look the same.
public struct SheetRun: Hashable, Sendable {
  /// What is shown: harmless on a terminal.
  public var text: String
  /// Cells that it takes.
  public var cells: Int
  /// Its units in the text.
  public var units: UTF16Range
  /// What it looks like.
  public var looks: Looks
  /// The address that it leads to.
  public var link: String?
  /// True if it is the first row of an attachment: its text is spaces.
  public var isAttachment: Bool

  /// A run.
  ///
  /// - Parameters:
  ///   - text: What is shown.
  ///   - cells: Cells that it takes.
  ///   - units: Its units in the text.
  ///   - looks: What it looks like.
  ///   - link: The address that it leads to.
  ///   - isAttachment: True if it is the first row of an attachment.
  public init(
    text: String, cells: Int, units: UTF16Range, looks: Looks = Looks(), link: String? = nil,
    isAttachment: Bool = false
  ) {
    (self.text, self.cells, self.units) = (text, cells, units)
    (self.looks, self.link, self.isAttachment) = (looks, link, isAttachment)
  }
}

/// The sign that more text follows.
public struct SheetSign: Hashable, Sendable {
  /// The cell at which it begins.
  public var column: Int
  /// What is shown.
  public var text: String
  /// Cells that it takes.
  public var cells: Int

  /// A sign.
  public init(column: Int, text: String, cells: Int) {
    (self.column, self.text, self.cells) = (column, text, cells)
  }
}

/// A decoration with its place on a sheet.
public struct SheetDecoration: Hashable, Sendable {
  /// What is drawn, such as `bar`.
  public var kind: String
  /// Behind or over the characters.
  public var layer: DecorationLayer
  /// What the range of its attribute was expanded to.
  public var granularity: DecorationGranularity
  /// The name of the attribute that causes it.
  public var attribute: String
  /// The value of the attribute.
  public var value: AttributeValue
  /// The decorated units, those that are not on the sheet included.
  public var units: UTF16Range
  /// The part of its rectangle that is on the sheet. One of paragraphs is as wide as their column.
  public var rectangle: CellRectangle
  /// The first row of its range, as wide as the column; nil if that row is not on the sheet.
  public var firstRow: CellRectangle?
  /// Its colours.
  public var looks: Looks
  /// What is drawn before its paragraph, as of a list; nil if nothing is.
  public var sign: String?
  /// The longest range around the first decorated unit over which the attribute has this value.
  public var run: UTF16Range
  /// The shape of its rectangle or bar.
  public var shape: DecorationShape

  /// A decoration.
  ///
  /// - Parameters:
  ///   - kind: What is drawn.
  ///   - layer: Behind or over the characters.
  ///   - granularity: What the range of its attribute was expanded to.
  ///   - attribute: The name of the attribute.
  ///   - value: Its value.
  ///   - units: The decorated units.
  ///   - rectangle: The part of its rectangle that is on the sheet.
  ///   - firstRow: The first row of its range.
  ///   - looks: Its colours.
  ///   - sign: What is drawn before its paragraph.
  ///   - run: The attribute's own range; nil for the decorated units.
  ///   - shape: The shape of its rectangle or bar.
  public init(
    kind: String, layer: DecorationLayer, granularity: DecorationGranularity, attribute: String,
    value: AttributeValue, units: UTF16Range, rectangle: CellRectangle, firstRow: CellRectangle?,
    looks: Looks, sign: String? = nil, run: UTF16Range? = nil,
    shape: DecorationShape = DecorationShape()
  ) {
    (self.sign, self.run, self.shape) = (sign, run ?? units, shape)
    (self.kind, self.layer, self.granularity) = (kind, layer, granularity)
    (self.attribute, self.value, self.units) = (attribute, value, units)
    (self.rectangle, self.firstRow, self.looks) = (rectangle, firstRow, looks)
  }
}
