import ArgumentParser
import EditModel
import EditProtocol
import EditQueries
import Rendering
import Styling

struct RenderCommand: PointedVerb {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Lay out a version in rows or pages: as text, in colours, in HTML or SVG.",
    discussion: withExamples(
      """
      Rows are broken by the rules of Unicode (UAX 14), a word that is longer than a row between \
      characters. Wide characters and emoji take two cells, combining marks none. Control characters \
      are shown as pictures (␛), lone surrogates as U+FFFD. The letters of right-to-left text are ordered \
      by the terminal or the browser; characters that change the direction are shown as ⇄. A row \
      of a text that is one paragraph of more than 8,192 UTF-16 units also ends near the multiples of \
      this number, so that any part of it is shown without laying out what is before it.

      With --page, text flows through pages in order, and on each through --columns and around each \
      --hole. What comes after the last page that is shown is counted on standard error. Each page after \
      the first begins with a form feed, in colours with a line.

      An attachment (`attach`) has the size in cells that it was given, at most that of its row and 256 \
      rows, and is drawn as a frame with its name; in html and svg a PNG, JPEG, GIF or WebP of at most 2 MiB is in \
      the file, up to 8 MiB of all. Items of the kind ordered-item are numbered, at \
      each level; the article Styling has the rules.

      --follow shows the newest version, and again after each edit that the daemon logs and when the terminal \
      gets another width. Any number of them \
      can follow a document, each with its own width or pages; each begins with the whole view.

      --rules takes a file of rules: its grammar, theme and decorations. See `editlog rules`. With a \
      grammar, the first look at a place deep in a long text reads all text before it; the daemon keeps \
      what it found, and follows edits. Without --rules, \
      attributes of the text show themselves: bold, italic, underline, strikethrough, dim, foreground, \
      background, heading, quote, code-block, list-item and others of the built-in rules. Without a grammar, a \
      code-block that names a language, such as swift or py, is coloured by its built-in grammar.

      --format json prints a line for each part of at least 65,536 UTF-16 units: `sequence`, `sheets` (the \
      rows, or each page), `next`, `overflow` and `work`, what the layout did. A sheet has `rows`, a row \
      has `fragments`, with their units in the text (`location`, `length`, `text`), `column` and `runs`; \
      `decorations` and `attachments` have the cells that they take. In \
      the order of their locations, the texts of all fragments are the text of the version. html and svg print one file, for light and dark screens.
      """))

  static let examples = [
    Example("editlog render essay --width 60", "the text in rows of 60 cells"),
    Example(
      "editlog render essay --at '1h ago' --page 80x24 --columns 2 --format html > essay.html",
      "an old version in pages of two columns, for a browser"),
    Example(
      "editlog render notes.md --rules rules.toml --max-rows 10",
      "the first rows, styled by a file of rules"),
    Example("editlog render essay --follow --rows 40", "the newest version, again after each edit"),
  ]

  /// The forms of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, ansi, html, svg, json
  }

  /// The letters that are shown.
  enum LetterCase: String, CaseIterable, ExpressibleByArgument {
    case written, upper, lower
  }

  /// The backgrounds of a terminal.
  enum Background: String, CaseIterable, ExpressibleByArgument {
    case dark, light
  }

  static var jsonLines: [JSONLine] { [.init("rows or pages", RenderAnswer.codec)] }

  @Argument(help: PointedName.help, completion: .documents) var name: String
  @Option(
    help: ArgumentHelp("The version to show. (default: latest)", valueName: "point"),
    completion: .points)
  var at: String?
  @OptionGroup var steps: StepOptions
  @Option(
    help: ArgumentHelp(
      "Style the text by the rules of this file; - is standard input. (default: built in)",
      valueName: "file"),
    completion: .file(extensions: ["toml"]))
  var rules: String?
  @Option(
    help: ArgumentHelp(
      """
      Style the text by a built-in grammar, if --rules names none: \
      \(StyleRules.grammarNames.joined(separator: ", ")). (default: with --rules, that of the name's \
      extension)
      """, valueName: "name"),
    completion: .list(StyleRules.grammarNames))
  var grammar: String?
  @Option(
    help: ArgumentHelp(
      "Cells in a row. (default: that of the terminal, else 80)", valueName: "count"))
  var width: Int?
  @Option(
    name: .customLong("tab"), help: ArgumentHelp("Cells between tab stops.", valueName: "count"))
  var tabStop = 8
  @Option(
    name: .customLong("case"),
    help: ArgumentHelp(
      "Show letters as written, in upper or in lower case.", valueName: "case"))
  var letterCase = LetterCase.written
  @Option(
    help: ArgumentHelp(
      "Flow the text through pages of this size. (default: rows)", valueName: "wxh"),
    transform: { try PageArgument($0) })
  var page: PageArgument?
  @Option(
    help: ArgumentHelp(
      "Columns on a page. Without --page, pages have 24 rows. (default: 1)", valueName: "count"))
  var columns: Int?
  @Option(help: ArgumentHelp("Free cells between columns.", valueName: "count")) var gap = 2
  @Option(
    help: ArgumentHelp(
      "Keep a rectangle of each page free: its first column and row, from 1, and its size. (default: none)",
      valueName: "column,row,wxh"), transform: { try HoleArgument($0) })
  var hole: [HoleArgument] = []
  @Option(
    help: ArgumentHelp("The first page that is shown, from 1. (default: 1)", valueName: "number"))
  var fromPage: Int?
  @Option(help: ArgumentHelp("Pages that are shown. (default: all)", valueName: "count"))
  var pages: Int?
  @Option(
    help: ArgumentHelp(
      "Cut the text to this number of rows, with a sign. (default: all)", valueName: "count"))
  var maxRows: Int?
  @Option(help: ArgumentHelp("The sign after a text that was cut.", valueName: "text"))
  var more = RenderRequest.moreDefault
  @Option(
    help: ArgumentHelp("The first row that is shown, from 1. (default: 1)", valueName: "number"))
  var fromRow: Int?
  @Option(
    help: ArgumentHelp(
      "Begin with the row that has this UTF-16 unit. (default: 0)", valueName: "units"))
  var offset: Int?
  @Option(
    help: ArgumentHelp(
      "Begin with the row that has this place. (default: 1:1)", valueName: "line:column"))
  var line: String?
  @Option(
    help: ArgumentHelp(
      "Begin with the paragraph that has this identifier. (default: the first)", valueName: "id"))
  var paragraph: String?
  @Option(help: ArgumentHelp("Rows that are shown. (default: all)", valueName: "count"))
  var rows: Int?
  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "Form of the output: text, ansi, html, svg or json. (default: ansi in colours, else text)",
      valueName: "format"))
  var format: Format?
  @Option(
    help: ArgumentHelp("The background of the terminal: dark or light.", valueName: "mode"))
  var background = Background.dark
  @Flag(
    name: [.customShort("f"), .long],
    help: "Show the newest version, and again after each edit, until interrupted.")
  var follow = false
  @OptionGroup var reading: ReadingOptions
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { !follow && !common.json && [nil, .text, .ansi].contains(format) }

  /// True if the text flows through pages.
  var hasPages: Bool { page != nil || columns != nil || !hole.isEmpty }

  /// Rows of a page, if --columns or --hole is given without --page.
  static let defaultHeight = 24
  /// The maximum number of rows of an HTML or SVG file.
  static let fileRowsMax = 20_000

  func validate() throws {
    try checkNumbers()
    let starts = [fromRow != nil, offset != nil, line != nil, paragraph != nil]
    guard starts.count(where: { $0 }) <= 1 else {
      throw ValidationError("Give at most one of --from-row, --offset, --line and --paragraph.")
    }
    if hasPages {
      guard !starts.contains(true), rows == nil, maxRows == nil else {
        throw ValidationError(
          "--from-row, --offset, --line, --paragraph, --rows and --max-rows are not for pages.")
      }
    } else if fromPage != nil || pages != nil {
      throw ValidationError("--from-page and --pages need --page, --columns or --hole.")
    }
    if let page, let width, page.width != width {
      throw ValidationError("--page \(page.width)x\(page.height) and --width \(width) differ.")
    }
    guard !follow || atOrLatest == "latest" && steps.step == nil else {
      throw ValidationError("--follow shows the newest version: leave out --at and --step.")
    }
    if follow, let format, [.html, .svg].contains(format) {
      throw ValidationError(
        "--follow shows one version after the other: --format \(format.rawValue) is for one.")
    }
    guard maxRows == nil || rows == nil else {
      throw ValidationError("--rows and --max-rows exclude each other.")
    }
    guard !common.json || format == nil || format == .json else {
      throw ValidationError("--json excludes --format \(format?.rawValue ?? "").")
    }
    if let grammar, StyleRules.grammarText(grammar) == nil {
      throw ValidationError(
        """
        There is no built-in grammar \(grammar.shown). There are \
        \(StyleRules.grammarNames.joined(separator: ", ")).
        """)
    }
  }

  private func checkNumbers() throws {
    func check(_ option: String, _ number: Int?, _ range: ClosedRange<Int>) throws {
      if let number, !range.contains(number) {
        throw ValidationError(
          "\(option) takes a number from \(range.lowerBound) to \(range.upperBound).")
      }
    }
    let many = EditAction.textLengthMax
    try check("--width", width, 1...RenderLayout.widthMax)
    try check("--tab", tabStop, 1...64)
    try check("--columns", columns, 1...RenderLayout.Page.columnsMax)
    try check("--gap", gap, 0...100)
    try check("--max-rows", maxRows, 1...RenderRequest.limitMax)
    for (option, number) in [
      ("--from-page", fromPage), ("--pages", pages), ("--from-row", fromRow), ("--rows", rows),
    ] {
      try check(option, number, 1...many)
    }
    try check("--offset", offset, 0...many)
    guard hole.count <= RenderLayout.Page.holesMax else {
      throw ValidationError("There may be at most \(RenderLayout.Page.holesMax) holes.")
    }
    guard more.utf8.count <= 1_024 else {
      throw ValidationError("--more takes at most 1,024 bytes of UTF-8.")
    }
  }

  func run(in session: Session) async throws {
    if follow { return try await followDocument(in: session) }
    let point = try await session.point(atOrLatest, steps, of: name, reading)
    let last = try await render(point, session)
    if steps.step == nil {
      try await session.noteVersion(of: atOrLatest, last.sequence, name, reading.afterFirstPart)
    }
  }

  /// Shows a version. Returns the last part of it.
  @discardableResult
  func render(_ point: PointExpression, _ session: Session) async throws -> RenderAnswer {
    let (rules, layout) = (try renderRules(), try layout(session))
    var (version, shown, options) = (point, 0, reading)
    var start = RenderStart(
      offset: offset, position: try line.map { try PlaceArguments.position($0) },
      id: try paragraph.map { try PlaceArguments.paragraph($0) }, row: fromRow.map { $0 - 1 },
      page: fromPage.map { $0 - 1 })
    var output = RenderOutput(self, session)
    let countMax = hasPages ? pages : rows
    while true {
      let limit = min(countMax.map { $0 - shown } ?? 1_000, 1_000)
      let (at, place) = (version, start)
      let part = try await session.ask(name, options) {
        RenderRequest(
          $0, at: at, layout: layout, start: place, limit: limit, rowsMax: maxRows,
          more: more, rules: rules, needsExactStyles: true)
      }
      try output.add(part)
      shown += hasPages ? part.sheets.count : part.sheets.reduce(0) { $0 + $1.rows.count }
      guard let next = part.next, shown < countMax ?? .max else {
        await output.addPictures(reading.afterFirstPart)
        try output.finish(part)
        return part
      }
      (version, options) = (.sequence(part.sequence), reading.afterFirstPart)
      start = RenderStart(next: next)
    }
  }

  private func layout(_ session: Session) throws(CommandError) -> RenderLayout {
    let width = min(page?.width ?? width ?? session.width ?? 80, RenderLayout.widthMax)
    let pageLayout = RenderLayout.Page(
      height: page?.height ?? Self.defaultHeight, columns: columns ?? 1, gap: gap,
      holes: hole.map(\.rectangle))
    guard !hasPages || pageLayout.widthMin <= width else {
      throw .usage(
        """
        --columns \(pageLayout.columns) with --gap \(gap) needs rows of at least \(pageLayout.widthMin) \
        cells, and they have \(width); give a larger --width or --page, or fewer columns
        """)
    }
    if let hole = hole.first(where: { !pageLayout.contains($0.rectangle, width: width) }) {
      throw .usage(
        """
        --hole \(hole.text) is outside of the page of \(width) columns and \
        \(pageLayout.height) rows; give a column, a row and a size inside it, or a larger --page
        """)
    }
    let casing: RenderLayout.Casing =
      switch letterCase {
      case .written: .written
      case .upper: .upper
      case .lower: .lower
      }
    return RenderLayout(
      width: width, tabStop: tabStop, casing: casing,
      page: hasPages ? pageLayout : nil)
  }

  /// The rules that the daemon is to use; nil for the built-in ones without a grammar.
  private func renderRules() throws -> RenderRules? {
    if let rules { return try RulesFile.request(rules, grammar: grammar, for: name) }
    return grammar.map { RenderRules(text: "", grammar: $0) }
  }
}
