import Styling
import TextGrid

/// Renders sheets as one SVG file with cells of a fixed size, light or dark as the reader prefers.
///
/// The file loads nothing and has no script. Each run of text is stretched to its cells, so that all
/// columns are straight in any monospaced font. A program that shows the file orders the letters of rows with
/// right-to-left text.
public struct SVGRenderer: Sendable {
  /// The size of a cell in pixels.
  public static let (cellWidth, cellHeight) = (9, 20)
  private static let (fontSize, baseline, margin, head, gap) = (15, 15, 20, 58, 20)
  /// What the background of a block has on each side of its cells, in pixels.
  private static let bleed = 6

  private let document: RenderedDocument
  private let pictures: Pictures
  private let drawers: DecorationDrawers

  /// A renderer.
  ///
  /// - Parameters:
  ///   - document: What the file says about the document.
  ///   - pictures: The pictures of attachments.
  ///   - drawers: What draws decorations that are not built in, by their kind.
  public init(
    _ document: RenderedDocument, pictures: Pictures = Pictures(),
    drawers: [String: DecorationDrawer] = [:]
  ) {
    (self.document, self.pictures) = (document, pictures)
    self.drawers = DecorationDrawers(drawers)
  }

  /// The file. O(cells).
  ///
  /// - Parameter sheets: The sheets, or pages, in order.
  public func render(_ sheets: [Sheet]) -> String {
    var (classes, shapes) = (LookClasses(), ShapeClasses())
    var body = ""
    var top = Self.head
    for sheet in sheets {
      let place = Place(sheet: sheet, geometry: SheetGeometry(sheet), top: top)
      body += self.body(place, &classes, &shapes)
      top += place.height + Self.gap
    }
    let columns = sheets.map(\.width).max() ?? 0
    let width = max(320, columns * Self.cellWidth + 4 * Self.margin)
    let title = Markup.escaped(document.title)
    let subtitle = Markup.escaped(document.subtitle)
    let light =
      Self.page(.light) + classes.rules(.light, foreground: "fill", declaresShapes: true)
      + shapes.rules(.light, .svg)
    let dark =
      Self.page(.dark) + classes.rules(.dark, foreground: "fill", declaresShapes: false)
      + shapes.rules(.dark, .svg)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(top)" width="\(width)" \
      height="\(top)" role="img" aria-labelledby="title desc">
      <title id="title">\(title)</title>
      <desc id="desc">\(subtitle)</desc>
      <style>
      .t{font:\(Self.fontSize)px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",\
      "Noto Sans Mono",monospace;white-space:pre;direction:ltr;unicode-bidi:bidi-override}
      .r{unicode-bidi:isolate} .c{user-select:none;text-decoration-skip-ink:none} .n{fill:transparent}
      .g{text-decoration:line-through;text-decoration-thickness:1.333em} .over{fill-opacity:.4} .e{fill:none}
      .h{font:600 16px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
      .s{font:13px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
      \(light)@media (prefers-color-scheme: dark) {
      \(dark)}
      </style>
      <rect class="o" width="100%" height="100%"/>
      <text class="h i" x="\(Self.margin)" y="26">\(title)</text>
      <text class="s f" x="\(Self.margin)" y="46">\(subtitle)</text>
      \(body)</svg>

      """
  }

  private static func page(_ colours: PageColours) -> String {
    """
    .o{fill:\(colours.outside)} .p{fill:\(colours.ground);stroke:\(colours.border)}
    .i{fill:\(colours.ink)} .f{fill:\(colours.faint)}
    .x{fill:\(colours.outside);stroke:\(colours.border)}

    """
  }

  /// A sheet with its place in the picture.
  private struct Place {
    let sheet: Sheet
    let geometry: SheetGeometry
    /// The upper edge of its frame in pixels.
    let top: Int

    var height: Int { geometry.top(ofRow: sheet.rows.count) * cellHeight / 100 + 2 * margin }

    func y(ofRow row: Int) -> Int { top + margin + geometry.top(ofRow: row) * cellHeight / 100 }

    /// The left edge of a cell; of a row of larger text if it is given.
    func x(ofColumn column: Int, inRow row: Int? = nil) -> Int {
      let place = row.map { geometry.left(ofColumn: column, inRow: $0) } ?? column * 100
      return 2 * margin + place * cellWidth / 100
    }

    /// The place of cells.
    ///
    /// - Parameters:
    ///   - cells: The cells.
    ///   - isOfCharacters: True if they are as large as the text of their row.
    ///   - bleed: Pixels on the left and on the right.
    func rectangle(
      _ cells: CellRectangle, isOfCharacters: Bool, bleed: (left: Int, right: Int) = (0, 0)
    ) -> DrawnRectangle {
      let row = isOfCharacters ? cells.row : nil
      let left = x(ofColumn: cells.column, inRow: row) - bleed.left
      let width = x(ofColumn: cells.end, inRow: row) + bleed.right - left
      let top = y(ofRow: cells.row)
      let height = y(ofRow: cells.row + cells.rows) - top
      return DrawnRectangle(
        cells: cells, left: Double(left), width: Double(width), top: Double(top),
        height: Double(height),
        markup: "x=\"\(left)\" y=\"\(top)\" width=\"\(width)\" height=\"\(height)\"")
    }
  }

  private func body(
    _ place: Place, _ classes: inout LookClasses, _ shapes: inout ShapeClasses
  ) -> String {
    let sheet = place.sheet
    let width = sheet.width * Self.cellWidth + 2 * Self.margin
    var svg = """
      <rect class="p" x="\(Self.margin).5" y="\(place.top).5" width="\(width)" \
      height="\(place.height)" rx="8"/>

      """
    let (painter, directions) = (Painter(sheet, on: .shapes), TextDirections(sheet))
    var (grounds, texts, over) = ("", "", "")
    for fill in painter.fills where fill.isSeen {
      let shapes = rectangles(of: fill, directions, place, &classes, &shapes)
      if fill.isOver { over += shapes } else { grounds += shapes }
    }
    for decoration in sheet.decorations {
      let drawn = decoration.drawing(
        by: drawers, on: sheet, directions, &classes, isSVG: true
      ) {
        place.rectangle($0, isOfCharacters: $1)
      }
      guard let drawn else { continue }
      if decoration.layer == .text { over += drawn + "\n" } else { grounds += drawn + "\n" }
    }
    for row in sheet.rows.indices {
      var runs = painter.runs(ofRow: row)
      for fragment in sheet.rows[row].fragments {
        guard let direction = directions.direction(of: fragment) else { continue }
        let columns = fragment.column..<fragment.column + max(fragment.cells, 1)
        let own = runs.filter { columns.contains($0.column) }
        runs.removeAll { columns.contains($0.column) }
        let parts = text(own, of: fragment, direction, row, painter, place, &classes, &shapes)
        grounds += parts.behind
        texts += parts.text
      }
      for run in runs.flatMap(\.pieces) { add(run, row, place, &grounds, &texts, &classes) }
    }
    svg += grounds + texts + over
    for attachment in sheet.attachments { svg += frame(attachment, place) }
    return svg
  }

  /// The rectangles of a fill whose places are known.
  private func rectangles(
    of fill: SheetFill, _ directions: TextDirections, _ place: Place,
    _ classes: inout LookClasses, _ shapes: inout ShapeClasses
  ) -> String {
    let all =
      fill.isOfCharacters ? directions.known(fill.rectangles, on: place.sheet) : fill.rectangles
    guard !all.isEmpty else { return "" }
    let ground = classes.name(of: Looks().covered(byBackgroundOf: fill.looks))
    var names = [ground?.replacingClass ?? "e"]
    names += [shapes.name(of: fill.decoration.shape)].compactMap { $0 }
    if fill.isOver { names.append("over") }
    let radius = fill.decoration.shape.radius
    let corners = radius > 0 ? " rx=\"\(radius)\"" : ""
    return all.map { cells in
      let margins = fill.margins(of: cells)
      let rectangle = place.rectangle(
        cells, isOfCharacters: fill.isOfCharacters,
        bleed: (margins.left ? Self.bleed : 0, margins.right ? Self.bleed : 0))
      return "<rect class=\"\(names.joined(separator: " "))\" \(rectangle.markup)\(corners)/>\n"
    }.joined()
  }

  /// Adds a run of cells.
  private func add(
    _ run: PaintedRun, _ row: Int, _ place: Place, _ grounds: inout String, _ texts: inout String,
    _ classes: inout LookClasses
  ) {
    let (x, y) = (place.x(ofColumn: run.column, inRow: row), place.y(ofRow: row))
    let width = place.x(ofColumn: run.end, inRow: row) - x
    let height = place.y(ofRow: row + 1) - y
    let name = classes.name(of: run.looks, on: run.ground, isBar: run.isBar)
    if let bar = run.bar {
      grounds += """
        <rect class="\(name ?? "f")" x="\(x)" y="\(y)" width="\(bar.width ?? 3)" height="\(height)"/>

        """
      return
    }
    if let name, run.looks.hasBackground {
      grounds += """
        <rect class="\(name.replacingClass)" x="\(x)" y="\(y)" width="\(width)" height="\(height)"/>

        """
    }
    guard !run.isSpace || run.looks.hasLines else { return }
    let size = place.geometry.sizes[row]
    let text = """
      <text class="t \(name.map { "i \($0)" } ?? "i")" x="\(x)" y="\(y + Self.baseline * size / 100)"\
      \(Self.style(size)) textLength="\(width)" lengthAdjust="spacingAndGlyphs" \
      xml:space="preserve">\(Markup.escaped(run.text))</text>
      """
    texts += run.link.map { "<a href=\"\(Markup.escaped($0))\">\(text)</a>\n" } ?? text + "\n"
  }

  private static func style(_ size: Int, _ declarations: String...) -> String {
    let all = declarations + (size == 100 ? [] : ["font-size:\(fontSize * size / 100)px"])
    return all.isEmpty ? "" : " style=\"\(all.joined(separator: ";"))\""
  }

  /// A fragment that the program that shows the file orders: its runs, from the side at which they begin.
  ///
  /// That program decides where each letter stands. So backgrounds and borders are text decorations of invisible
  /// copies of the text, which get the same layout. Each copy has at most one decoration per run, because browsers draw
  /// nested decorations in one colour.
  private func text(
    _ runs: [PaintedRun], of fragment: SheetFragment, _ direction: TextDirections.Direction,
    _ row: Int, _ painter: Painter, _ place: Place, _ classes: inout LookClasses,
    _ shapes: inout ShapeClasses
  ) -> (behind: String, text: String) {
    let next = place.sheet.rows[row].fragments.first { $0.column > fragment.column }?.column
    let x = place.x(
      ofColumn: direction == .leftToRight ? fragment.column : next ?? place.sheet.width)
    let size = place.geometry.sizes[row]
    func element(_ attributes: String, _ spans: [String]) -> String {
      """
      <text \(attributes) x="\(x)" y="\(place.y(ofRow: row) + Self.baseline * size / 100)"\
      \(Self.style(size, "direction:\(direction.rawValue)")) xml:space="preserve">\(spans.joined())</text>

      """
    }
    var (spans, copiedRuns) = ([String](), [(look: String, letters: String, lines: [String])]())
    for run in runs {
      let around = painter.fills(around: run, inRow: row)
      let name = classes.name(of: run.looks, on: painter.ground(of: run, on: around))
      let (look, text) = (name.map { "i \($0)" } ?? "i", Markup.escaped(run.text))
      let span = "<tspan class=\"\(look)\">\(text)</tspan>"
      spans.append(run.link.map { "<a href=\"\(Markup.escaped($0))\">\(span)</a>" } ?? span)
      var lines: [String] = []
      for fill in around.map({ painter.fills[$0] }) {
        let ground = classes.name(of: Looks().covered(byBackgroundOf: fill.looks))
        if let ground { lines.append("\(ground.replacingClass) g") }
        let shape = fill.decoration.shape
        if shape.border != nil, let name = shapes.name(of: shape) { lines.append(name) }
      }
      if let name, run.looks.hasBackground { lines.append("\(name.replacingClass) g") }
      copiedRuns.append((look, "<tspan class=\"n\">\(text)</tspan>", lines))
    }
    let copies = (0..<(copiedRuns.map(\.lines.count).max() ?? 0)).map { copy in
      let spans = copiedRuns.map { run in
        let lined =
          copy < run.lines.count
          ? "<tspan class=\"\(run.lines[copy])\">\(run.letters)</tspan>" : run.letters
        // With the look of the text, the letters have its widths.
        return "<tspan class=\"\(run.look)\">\(lined)</tspan>"
      }
      return element(#"class="t r c" aria-hidden="true""#, spans)
    }
    return (copies.joined(), element(#"class="t r""#, spans))
  }

  /// The frame of an attachment, over the cells that are free for it.
  private func frame(_ attachment: SheetAttachment, _ place: Place) -> String {
    let rectangle = attachment.rectangle
    let (x, y) = (place.x(ofColumn: rectangle.column), place.y(ofRow: rectangle.row))
    let (width, height) = (rectangle.columns * Self.cellWidth, rectangle.rows * Self.cellHeight)
    let name = AttachmentFrame(attachment).name(cells: rectangle.columns - 2)
    var svg = """
      <rect class="x" x="\(x).5" y="\(y).5" width="\(width - 1)" height="\(height - 1)" rx="4"/>

      """
    if let address = pictures.address(of: attachment) {
      let name = AttachmentFrame(attachment).name(cells: .max).text
      svg += """
        <image href="\(Markup.escaped(address))" x="\(x + 1)" y="\(y + 1)" \
        width="\(width - 1)" height="\(height - 1)"><title>\(Markup.escaped(name))</title></image>

        """
    } else if name.cells > 0 {
      svg += """
        <text class="t f" x="\(x + Self.cellWidth)" y="\(y + Self.baseline)" \
        textLength="\(name.cells * Self.cellWidth)" lengthAdjust="spacingAndGlyphs" \
        xml:space="preserve">\(Markup.escaped(name.text))</text>

        """
    }
    return svg
  }
}

extension String {
  /// The class of the background of a look, by that of its text.
  fileprivate var replacingClass: String { "b" + dropFirst() }
}

extension Looks {
  fileprivate var hasLines: Bool { light.underline || light.strikethrough }
}
