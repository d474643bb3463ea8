package import EditJSON
public import EditModel

/// Rows of a version, or a page of it.
public struct RenderedSheet: Hashable, Sendable {
  /// The page, counted from 0; nil if the rows are no page.
  public var page: Int?
  /// Cells in a row.
  public var width: Int
  /// The rows, from top to bottom.
  public var rows: [RenderedRow]
  /// What is drawn around the text, in the order in which it is drawn.
  public var decorations: [RenderedDecoration]
  /// The attachments, in the order of the text.
  public var attachments: [RenderedAttachment]

  /// A sheet.
  ///
  /// - Parameters:
  ///   - page: The page, counted from 0.
  ///   - width: Cells in a row.
  ///   - rows: The rows.
  ///   - decorations: What is drawn around the text.
  ///   - attachments: The attachments.
  public init(
    page: Int? = nil, width: Int, rows: [RenderedRow], decorations: [RenderedDecoration] = [],
    attachments: [RenderedAttachment] = []
  ) {
    (self.page, self.width, self.rows, self.decorations) = (page, width, rows, decorations)
    self.attachments = attachments
  }

  package static let codec = Codec<Self>(
    { RenderedSheet(page: $0, width: $1, rows: $2, decorations: $3, attachments: $4) },
    .optional("page", \.page, .count), .required("width", \.width, .count),
    .required("rows", \.rows, .array(RenderedRow.codec)),
    .optional("decorations", \.decorations, .array(RenderedDecoration.codec), else: []),
    .optional("attachments", \.attachments, .array(RenderedAttachment.codec), else: []))
}

/// A row of cells.
public struct RenderedRow: Hashable, Sendable {
  /// Its pieces of text, from left to right. None for a blank row.
  public var fragments: [RenderedFragment]
  /// The sign that more text follows; nil if it has none.
  public var more: RenderedSign?

  /// A row.
  public init(fragments: [RenderedFragment], more: RenderedSign? = nil) {
    (self.fragments, self.more) = (fragments, more)
  }

  package static let codec = Codec<Self>(
    { RenderedRow(fragments: $0, more: $1) },
    .optional(
      "fragments", \.fragments, .array(RenderedFragment.codec), else: [], isAlwaysWritten: true),
    .optional("more", \.more, RenderedSign.codec))
}

/// The sign that more text follows.
public struct RenderedSign: Hashable, Sendable {
  /// The cell at which it begins, counted from 0.
  public var column: Int
  /// Cells that it takes.
  public var cells: Int
  /// What is shown.
  public var text: String

  /// A sign.
  public init(column: Int, cells: Int, text: String) {
    (self.column, self.cells, self.text) = (column, cells, text)
  }

  static let codec = Codec<Self>(
    { RenderedSign(column: $0, cells: $1, text: $2) },
    .required("column", \.column, .count), .required("cells", \.cells, .count),
    .required("text", \.text, .string))
}

/// A piece of text on a row.
public struct RenderedFragment: Hashable, Sendable {
  /// The paragraph, counted from 0.
  public var paragraph: Int
  /// The cell at which it begins, counted from 0.
  public var column: Int
  /// Its units in the version. White space at the end, and the terminator, are part of them.
  public var units: UTF16Range
  /// The text of the units.
  public var text: UTF16Text
  /// What is shown, from left to right.
  public var runs: [RenderedRun]
  /// True if right-to-left text begins in it. Its runs are in the order of the text.
  public var beginsRightToLeft: Bool
  /// True if it ends inside a word that is longer than a row.
  public var isBrokenWord: Bool

  /// A fragment.
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph, counted from 0.
  ///   - column: The cell at which it begins.
  ///   - units: Its units in the version.
  ///   - text: The text of the units.
  ///   - runs: What is shown.
  ///   - beginsRightToLeft: True if right-to-left text begins in it.
  ///   - isBrokenWord: True if it ends inside a word.
  public init(
    paragraph: Int, column: Int, units: UTF16Range, text: UTF16Text, runs: [RenderedRun],
    beginsRightToLeft: Bool = false, isBrokenWord: Bool = false
  ) {
    (self.paragraph, self.column, self.units, self.text) = (paragraph, column, units, text)
    (self.runs, self.beginsRightToLeft, self.isBrokenWord) = (runs, beginsRightToLeft, isBrokenWord)
  }

  package static let codec = Codec<Self>(
    {
      RenderedFragment(
        paragraph: $0, column: $1, units: $2, text: $3, runs: $4, beginsRightToLeft: $5,
        isBrokenWord: $6)
    },
    .required("paragraph", \.paragraph, .count), .required("column", \.column, .count),
    .group(\.units, .range), .required("text", \.text, .text),
    .optional("runs", \.runs, .array(RenderedRun.codec), else: [], isAlwaysWritten: true),
    .optional("rightToLeft", \.beginsRightToLeft, .bool, else: false),
    .optional("brokenWord", \.isBrokenWord, .bool, else: false))
}

/// Clusters that look the same.
public struct RenderedRun: Hashable, Sendable {
  /// What is shown. It has no control character.
  public var text: String
  /// Cells that it takes.
  public var cells: Int
  /// Its units in the version.
  public var units: UTF16Range
  /// What it looks like on a light background. Nil for plain text.
  public var light: RenderedLook?
  /// What it looks like on a dark background. Nil for plain text.
  public var dark: RenderedLook?
  /// The address that it leads to; nil if there is none.
  public var link: String?
  /// True if it is the first row of an attachment: its text is spaces.
  public var isAttachment: Bool

  /// A run.
  ///
  /// - Parameters:
  ///   - text: What is shown.
  ///   - cells: Cells that it takes.
  ///   - units: Its units in the version.
  ///   - light: What it looks like on a light background.
  ///   - dark: What it looks like on a dark background.
  ///   - link: The address that it leads to.
  ///   - isAttachment: True if it is the first row of an attachment.
  public init(
    text: String, cells: Int, units: UTF16Range, light: RenderedLook? = nil,
    dark: RenderedLook? = nil, link: String? = nil, isAttachment: Bool = false
  ) {
    (self.text, self.cells, self.units) = (text, cells, units)
    (self.light, self.dark, self.link) = (light, dark, link)
    self.isAttachment = isAttachment
  }

  package static let codec = Codec<Self>(
    {
      RenderedRun(
        text: $0, cells: $1, units: $2, light: $3, dark: $4, link: $5, isAttachment: $6)
    },
    .required("text", \.text, .string), .required("cells", \.cells, .count),
    .group(\.units, .range), .optional("light", \.light, RenderedLook.codec),
    .optional("dark", \.dark, RenderedLook.codec), .optional("link", \.link, .string),
    .optional("attachment", \.isAttachment, .bool, else: false))
}

/// What characters look like. Colours are `#rrggbb`.
public struct RenderedLook: Hashable, Sendable {
  /// The colours of the characters and behind them; nil for those of the medium.
  public var foreground, background: String?
  /// The shapes of the characters, and lines through and below them.
  public var bold, italic, underline, strikethrough, dim: Bool
  /// The size of the characters in percent; nil for the usual one. It counts in forms that have sizes.
  public var size: Int?

  /// A look.
  ///
  /// - Parameters:
  ///   - foreground: The colour of the characters.
  ///   - background: The colour behind them.
  ///   - bold: True for thick strokes.
  ///   - italic: True for slanted characters.
  ///   - underline: True for a line below.
  ///   - strikethrough: True for a line through.
  ///   - dim: True for a weaker colour.
  ///   - size: The size of the characters in percent.
  public init(
    foreground: String? = nil, background: String? = nil, bold: Bool = false,
    italic: Bool = false, underline: Bool = false, strikethrough: Bool = false, dim: Bool = false,
    size: Int? = nil
  ) {
    (self.foreground, self.background) = (foreground, background)
    (self.bold, self.italic, self.underline) = (bold, italic, underline)
    (self.strikethrough, self.dim, self.size) = (strikethrough, dim, size)
  }

  static let codec = Codec<Self>(
    {
      RenderedLook(
        foreground: $0, background: $1, bold: $2, italic: $3, underline: $4, strikethrough: $5,
        dim: $6, size: $7)
    },
    .optional("foreground", \.foreground, .string),
    .optional("background", \.background, .string),
    .optional("bold", \.bold, .bool, else: false),
    .optional("italic", \.italic, .bool, else: false),
    .optional("underline", \.underline, .bool, else: false),
    .optional("strikethrough", \.strikethrough, .bool, else: false),
    .optional("dim", \.dim, .bool, else: false), .optional("size", \.size, .count))
}

/// A decoration with its place on a sheet.
public struct RenderedDecoration: Hashable, Sendable {
  /// What is drawn, such as `bar`.
  public var kind: String
  /// `background` or `text`: behind or over the characters.
  public var layer: String
  /// What the range of its attribute was expanded to: `character-runs`, `single-paragraph` or
  /// `contiguous-paragraphs`.
  public var granularity: String
  /// The name of the attribute that causes it.
  public var attribute: String
  /// The value of the attribute.
  public var value: AttributeValue
  /// The decorated units, those that are not on the sheet included.
  public var units: UTF16Range
  /// The part of its rectangle that is on the sheet.
  public var rectangle: RenderRectangle
  /// The first row of its range; nil if that row is not on the sheet.
  public var firstRow: RenderRectangle?
  /// Its colours on a light background. Nil for none.
  public var light: RenderedLook?
  /// Its colours on a dark background. Nil for none.
  public var dark: RenderedLook?
  /// What is drawn before its paragraph, as of a list; nil if nothing is.
  public var sign: String?
  /// The longest range around the first decorated unit over which the attribute has the value; nil if the
  /// answer is of a version that does not tell it.
  public var run: UTF16Range?
  /// The radius of its corners in pixels.
  public var radius: Int
  /// The width of its border or bar in pixels; nil for the usual one.
  public var lineWidth: Int?
  /// The colour of its border on a light background; nil for no border.
  public var lightBorder: String?
  /// The colour of its border on a dark background.
  public var darkBorder: String?

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
  ///   - light: Its colours on a light background.
  ///   - dark: Its colours on a dark background.
  ///   - sign: What is drawn before its paragraph.
  ///   - run: The attribute's own range.
  ///   - radius: The radius of its corners in pixels.
  ///   - lineWidth: The width of its border or bar in pixels.
  ///   - lightBorder: The colour of its border on a light background.
  ///   - darkBorder: The colour of its border on a dark background.
  public init(
    kind: String, layer: String, granularity: String, attribute: String, value: AttributeValue,
    units: UTF16Range, rectangle: RenderRectangle, firstRow: RenderRectangle? = nil,
    light: RenderedLook? = nil, dark: RenderedLook? = nil, sign: String? = nil,
    run: UTF16Range? = nil, radius: Int = 0, lineWidth: Int? = nil, lightBorder: String? = nil,
    darkBorder: String? = nil
  ) {
    (self.sign, self.run, self.radius, self.lineWidth) = (sign, run, radius, lineWidth)
    (self.lightBorder, self.darkBorder) = (lightBorder, darkBorder)
    (self.kind, self.layer, self.granularity) = (kind, layer, granularity)
    (self.attribute, self.value, self.units) = (attribute, value, units)
    (self.rectangle, self.firstRow, self.light, self.dark) = (rectangle, firstRow, light, dark)
  }

  package static let codec = Codec<Self>(
    {
      RenderedDecoration(
        kind: $0, layer: $1, granularity: $2, attribute: $3, value: $4, units: $5, rectangle: $6,
        firstRow: $7, light: $8, dark: $9, sign: $10, run: $11, radius: $12, lineWidth: $13,
        lightBorder: $14, darkBorder: $15)
    },
    .required("kind", \.kind, .string), .required("layer", \.layer, .string),
    .required("granularity", \.granularity, .string),
    .required("attribute", \.attribute, .string),
    .required("value", \.value, .attributeValue), .group(\.units, .range),
    .required("rectangle", \.rectangle, RenderRectangle.codec),
    .optional("firstRow", \.firstRow, RenderRectangle.codec),
    .optional("light", \.light, RenderedLook.codec),
    .optional("dark", \.dark, RenderedLook.codec), .optional("sign", \.sign, .string),
    .optional("run", \.run, .range), .optional("radius", \.radius, .count, else: 0),
    .optional("lineWidth", \.lineWidth, .count),
    .optional("lightBorder", \.lightBorder, .string),
    .optional("darkBorder", \.darkBorder, .string))
}
