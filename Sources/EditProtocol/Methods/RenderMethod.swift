import EditJSON
public import EditModel

/// Asks for rows or pages of a version, laid out on a grid of cells.
public struct RenderRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// What the rows are broken to.
  public var layout: RenderLayout
  /// The first row or page.
  public var start: RenderStart
  /// The maximum number of rows, or of pages.
  public var limit: Int
  /// If not nil, the whole text is cut to this number of rows, with a sign that more follows.
  public var rowsMax: Int?
  /// The sign that more follows.
  public var more: String
  /// True if the rows before the first are counted, however many they are.
  public var countsRows: Bool
  /// The rules for what the text looks like; nil to show its own attributes.
  public var rules: RenderRules?
  /// True if all text before the rows is read, if need be, to know which comments and fences are open
  /// there. Else a bounded part of it is, and the answer says if that was not enough.
  public var needsExactStyles: Bool

  /// The maximum of `limit`.
  public static let limitMax = 10_000
  /// The sign that more follows, if the call has none.
  public static let moreDefault = "… more"

  /// A call.
  ///
  /// - Parameters:
  ///   - history: The history, and the checks that the call asks for.
  ///   - at: The version.
  ///   - layout: What the rows are broken to.
  ///   - start: The first row or page.
  ///   - limit: The maximum number of rows, or of pages.
  ///   - rowsMax: The number of rows that the whole text is cut to.
  ///   - more: The sign that more follows.
  ///   - countsRows: True if the rows before the first are counted.
  ///   - rules: The rules for what the text looks like.
  ///   - needsExactStyles: True if all text before the rows is read, if need be.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest,
    layout: RenderLayout = RenderLayout(), start: RenderStart = .beginning, limit: Int = 100,
    rowsMax: Int? = nil, more: String = moreDefault, countsRows: Bool = false,
    rules: RenderRules? = nil, needsExactStyles: Bool = false
  ) {
    self.needsExactStyles = needsExactStyles
    (self.history, self.at, self.layout, self.start) = (history, at, layout, start)
    (self.limit, self.rowsMax, self.more) = (limit, rowsMax, more)
    (self.countsRows, self.rules) = (countsRows, rules)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, RenderAnswer>(
    "editlog/render",
    "Rows or pages of a version, laid out on a grid of cells.",
    isChange: false,
    params: Codec(
      {
        RenderRequest(
          $0, at: $1, layout: $2, start: $3, limit: $4, rowsMax: $5, more: $6, countsRows: $7,
          rules: $8, needsExactStyles: $9)
      },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .group(\.layout, RenderLayout.codec),
      .group(\.start, RenderStart.codec),
      .optional("limit", \.limit, .integer(in: 1...limitMax), else: 100),
      .optional("maxRows", \.rowsMax, .integer(in: 1...limitMax)),
      .optional("more", \.more, .string(sizeMax: 1_024), else: moreDefault),
      .optional("countRows", \.countsRows, .bool, else: false),
      .optional("rules", \.rules, RenderRules.codec),
      .optional("exactStyles", \.needsExactStyles, .bool, else: false)),
    answer: RenderAnswer.codec)
}

/// How the rows of a text are made: their width, and the shape of pages.
public struct RenderLayout: Hashable, Sendable {
  /// How letters are shown.
  public enum Casing: String, CaseIterable, Hashable, Sendable {
    /// As they are in the text.
    case written
    /// In upper case.
    case upper
    /// In lower case.
    case lower
  }

  /// The shape of a page.
  public struct Page: Hashable, Sendable {
    /// Rows on a page.
    public var height: Int
    /// Columns on a page.
    public var columns: Int
    /// Free cells between columns.
    public var gap: Int
    /// Rectangles of a page that stay free of text.
    public var holes: [RenderRectangle]

    /// The maximum of `height`.
    public static let heightMax = 1_000
    /// The maximum number of cells on a page.
    public static let areaMax = 1 << 18
    /// The maximum of `columns`.
    public static let columnsMax = 64
    /// The maximum number of holes.
    public static let holesMax = 256

    /// A page.
    ///
    /// - Parameters:
    ///   - height: Rows.
    ///   - columns: Columns of text.
    ///   - gap: Free cells between columns.
    ///   - holes: Rectangles that stay free of text.
    public init(height: Int, columns: Int = 1, gap: Int = 2, holes: [RenderRectangle] = []) {
      (self.height, self.columns, self.gap, self.holes) = (height, columns, gap, holes)
    }

    /// True if a hole covers at least one cell of the page.
    ///
    /// - Parameters:
    ///   - hole: The hole, from column and row 0.
    ///   - width: The cells of a row of the page.
    package func contains(_ hole: RenderRectangle, width: Int) -> Bool {
      hole.columns > 0 && hole.rows > 0 && hole.column < width && hole.row < height
    }

    /// The minimum number of cells in a row of the page: a cell for each column, and the gaps.
    public var widthMin: Int { columns + (columns - 1) * gap }

    static let codec = Codec<Self>(
      { Page(height: $0, columns: $1, gap: $2, holes: $3) },
      .required("height", \.height, .integer(in: 1...heightMax)),
      .optional("columns", \.columns, .integer(in: 1...columnsMax), else: 1),
      .optional("gap", \.gap, .integer(in: 0...100), else: 2),
      .optional("holes", \.holes, .array(RenderRectangle.codec), else: []))
  }

  /// Cells in a row, or on a page.
  public var width: Int
  /// Cells between tab stops.
  public var tabStop: Int
  /// How letters are shown.
  public var casing: Casing
  /// The shape of pages; nil for rows without pages.
  public var page: Page?

  /// The maximum of `width`.
  public static let widthMax = 10_000

  /// A layout.
  ///
  /// - Parameters:
  ///   - width: Cells in a row, or on a page.
  ///   - tabStop: Cells between tab stops.
  ///   - casing: How letters are shown.
  ///   - page: The shape of pages.
  public init(width: Int = 80, tabStop: Int = 8, casing: Casing = .written, page: Page? = nil) {
    (self.width, self.tabStop, self.casing, self.page) = (width, tabStop, casing, page)
  }

  static let codec = Codec<Self>(
    { RenderLayout(width: $0, tabStop: $1, casing: $2, page: $3) },
    .optional("width", \.width, .integer(in: 1...widthMax), else: 80),
    .optional("tabStop", \.tabStop, .integer(in: 1...64), else: 8),
    .optional("case", \.casing, .name(), else: .written),
    .optional("page", \.page, Page.codec))
}

/// The first row or page of an answer. At most one of its members is not nil.
public struct RenderStart: Hashable, Sendable {
  /// The row that has this unit, in UTF-16 units of the version.
  public var offset: Int?
  /// The row that has this place.
  public var position: TextPosition?
  /// The first row of this paragraph, counted from 0.
  public var paragraph: Int?
  /// The first row of the paragraph with this identifier.
  public var id: ParagraphID?
  /// The row of this number, counted from 0. All rows before it are laid out.
  public var row: Int?
  /// The page of this number, counted from 0. All pages before it are laid out.
  public var page: Int?
  /// The place after an answer: its `next`.
  public var next: RenderPlace?

  /// The first row or page.
  public static let beginning = RenderStart()

  /// A start.
  ///
  /// - Parameters:
  ///   - offset: The row that has this unit.
  ///   - position: The row that has this place.
  ///   - paragraph: The first row of this paragraph.
  ///   - id: The first row of the paragraph with this identifier.
  ///   - row: The row of this number.
  ///   - page: The page of this number.
  ///   - next: The place after an answer.
  public init(
    offset: Int? = nil, position: TextPosition? = nil, paragraph: Int? = nil,
    id: ParagraphID? = nil, row: Int? = nil, page: Int? = nil, next: RenderPlace? = nil
  ) {
    (self.offset, self.position) = (offset, position)
    (self.paragraph, self.id, self.row) = (paragraph, id, row)
    (self.page, self.next) = (page, next)
  }

  static let codec = Codec<Self>(
    {
      RenderStart(
        offset: $0, position: $1, paragraph: $2, id: $3, row: $4, page: $5, next: $6)
    },
    .optional("offset", \.offset, .length),
    .optional("position", \.position, TextPosition.codec),
    .optional("paragraph", \.paragraph, .length),
    .optional("paragraphID", \.id, .paragraph),
    .optional("row", \.row, .count),
    .optional("pageNumber", \.page, .length),
    .optional("place", \.next, RenderPlace.codec))
}

/// A place at which an answer can begin: that of a row, or of a page.
public struct RenderPlace: Hashable, Sendable {
  /// What of a paragraph comes next on a page.
  public enum Part: String, CaseIterable, Hashable, Sendable {
    /// Blank rows before it.
    case before
    /// Its text.
    case text
    /// Blank rows after it.
    case after
  }

  /// The paragraph, counted from 0.
  public var paragraph: Int
  /// Of a row: its number in its window of the paragraph. Of a page: the units or blank rows of the
  /// part that come before it.
  public var done: Int
  /// The window of the paragraph that the row is in; 0 for a page.
  public var window: Int
  /// What comes next on a page; nil for a row.
  public var part: Part?
  /// The number of the page, counted from 0; 0 for a row.
  public var page: Int
  /// For each level, from 1, the number of the last item of the numbered list that is open before the
  /// paragraph, 0 if none is. Nil if it is to be found out.
  public var listNumbers: [Int]?

  /// A place.
  ///
  /// - Parameters:
  ///   - paragraph: The paragraph, counted from 0.
  ///   - done: The row, or what comes before the page.
  ///   - window: The window of the paragraph that a row is in.
  ///   - part: What comes next on a page.
  ///   - page: The number of a page.
  ///   - listNumbers: For each level the number of the last item of the open list.
  public init(
    paragraph: Int, done: Int, window: Int = 0, part: Part? = nil, page: Int = 0,
    listNumbers: [Int]? = nil
  ) {
    (self.paragraph, self.done, self.window) = (paragraph, done, window)
    (self.part, self.page, self.listNumbers) = (part, page, listNumbers)
  }

  static let codec = Codec<Self>(
    {
      RenderPlace(paragraph: $0, done: $1, window: $2, part: $3, page: $4, listNumbers: $5)
    },
    .required("paragraph", \.paragraph, .length),
    .required("done", \.done, .length),
    .optional("window", \.window, .length, else: 0),
    .optional("part", \.part, .name()),
    .optional("page", \.page, .length, else: 0),
    .optional("listNumbers", \.listNumbers, .array(.count)))
}

/// Rules for what a text looks like, as the article `Rules` of the module `Styling` describes them.
public struct RenderRules: Hashable, Sendable {
  /// A file that the rules name.
  public struct File: Hashable, Sendable {
    /// Its name, as the rules have it.
    public var name: String
    /// Its text.
    public var text: String

    /// A file.
    public init(name: String, text: String) { (self.name, self.text) = (name, text) }

    static let codec = Codec<Self>(
      { File(name: $0, text: $1) },
      .required("name", \.name, .string(sizeMax: 4_096)),
      .required("text", \.text, .string(sizeMax: sizeMax)))
  }

  /// The text of the file of rules.
  public var text: String
  /// The grammar that holds if the rules name none; nil for none.
  public var grammar: String?
  /// The texts of the files that it names.
  public var files: [File]

  /// The maximum size of a text in bytes of UTF-8.
  public static let sizeMax = 1 << 20
  /// The maximum number of files.
  public static let filesMax = 32

  /// Rules.
  ///
  /// - Parameters:
  ///   - text: The text of the file.
  ///   - grammar: The grammar that holds if the rules name none.
  ///   - files: The files that it names.
  public init(text: String, grammar: String? = nil, files: [File] = []) {
    (self.text, self.grammar, self.files) = (text, grammar, files)
  }

  static let codec = Codec<Self>(
    { RenderRules(text: $0, grammar: $1, files: $2) },
    .required("text", \.text, .string(sizeMax: sizeMax)),
    .optional("grammar", \.grammar, .string(sizeMax: 256)),
    .optional("files", \.files, .array(File.codec), else: []))
}

extension Codec<String> {
  /// A string of at most `sizeMax` bytes of UTF-8.
  static func string(sizeMax: Int) -> Codec {
    Codec(
      schema: ["type": "string", "maxLength": JSON(sizeMax)],
      decode: { (json) throws(ShapeError) in
        let text = try json.asString()
        guard text.utf8.count <= sizeMax else {
          throw ShapeError(mustBe: "at most \(sizeMax) bytes of UTF-8", found: json)
        }
        return text
      }, encode: { JSON($0) })
  }
}
