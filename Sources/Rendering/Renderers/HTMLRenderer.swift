import Styling
import TextGrid

/// Renders sheets as one HTML file, light or dark as the reader prefers.
///
/// The file loads nothing and has no script; its content security policy forbids both. All text is
/// escaped. The browser orders the letters of rows with right-to-left text.
public struct HTMLRenderer: Sendable {
  private let document: RenderedDocument
  private let pictures: Pictures
  private let drawers: DecorationDrawers

  /// A renderer.
  ///
  /// - Parameters:
  ///   - document: What the file says about the document.
  ///   - pictures: The pictures of attachments.
  ///   - drawers: What draws decorations that are not built in, by their kind. Its elements are placed in a
  ///     block as large as the sheet: give them the class `drawn` and a `style` that begins with the markup of a
  ///     `DrawnRectangle`.
  public init(
    _ document: RenderedDocument, pictures: Pictures = Pictures(),
    drawers: [String: DecorationDrawer] = [:]
  ) {
    (self.document, self.pictures) = (document, pictures)
    self.drawers = DecorationDrawers(drawers)
  }

  /// The file. O(cells).
  ///
  /// - Parameters:
  ///   - sheets: The sheets, or pages, in order.
  ///   - note: A sentence after them, such as what is left out; nil for none.
  public func render(_ sheets: [Sheet], note: String? = nil) -> String {
    var classes = HTMLClasses()
    let body = sheets.map { section($0, &classes) }.joined()
    let title = Markup.escaped(document.title)
    return """
      <!DOCTYPE html>
      <html lang="und">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; \(pictures.isEmpty ? "" : "img-src data:; ")base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>
      \(Self.sheet)\(classes.looks.rules(.light, foreground: "color", declaresShapes: true))\
      \(classes.shapes.rules(.light, .html))\
      @media (prefers-color-scheme: dark) {
      \(Self.page(.dark))\(classes.looks.rules(.dark, foreground: "color", declaresShapes: true))\
      \(classes.shapes.rules(.dark, .html))}
      \(classes.rules)</style>
      </head>
      <body>
      <div>
      <header><h1>\(title)</h1><p>\(Markup.escaped(document.subtitle))</p></header>
      <main>
      \(body)</main>
      \(note.map { "<footer>\(Markup.escaped($0))</footer>\n" } ?? "")</div>
      </body>
      </html>

      """
  }

  private static let sheet = """
    *{box-sizing:border-box}
    body{margin:0;padding:2rem 1rem;font:15px/1.4 system-ui,-apple-system,"Segoe UI",sans-serif}
    div{width:fit-content;max-width:100%;margin:0 auto}
    h1{font-size:1.15rem;margin:0;overflow-wrap:anywhere}
    header p,footer{margin:.15rem 0 1rem;font-size:.85rem}
    pre{margin:0 0 1.25rem;padding:1.1rem 1.35rem;border:1px solid;border-radius:8px;overflow-x:auto;\
    font:15px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Noto Sans Mono",monospace;\
    direction:ltr;unicode-bidi:bidi-override;tab-size:8;width:fit-content;max-width:100%}
    code{display:block;font:inherit;position:relative;z-index:0}
    pre :where(span,a):where(:not(.r,.r *)){display:inline-block;white-space:pre;vertical-align:top;height:1.45em;\
    direction:ltr;unicode-bidi:bidi-override}
    pre a{color:inherit;text-decoration:underline}
    pre .c{text-align:center}
    pre .r{display:inline-block;vertical-align:top;height:1.45em;white-space:pre;unicode-bidi:isolate}
    pre .r *{white-space:pre;unicode-bidi:normal}
    pre .fill{color:inherit;box-decoration-break:clone}
    pre .bar{width:1ch;border-left:3px solid}
    pre .block{position:absolute;z-index:-1;height:auto;border-radius:4px;box-sizing:content-box}
    pre .left{padding-left:1ch;margin-left:-1ch}
    pre .right{padding-right:1ch}
    pre .over{z-index:1;opacity:.4;pointer-events:none}
    pre .drawn{position:absolute;height:auto}
    pre .under{position:absolute;inset:0;height:auto;z-index:-1}
    pre .object{position:absolute;height:auto;padding:0 1ch;border:1px solid;border-radius:4px;\
    overflow:hidden;text-overflow:ellipsis}
    pre .small{padding:0}
    pre .object img{display:block;width:100%;height:100%;object-fit:contain}
    pre .above{border-top:0;border-top-left-radius:0;border-top-right-radius:0}
    pre .below{border-bottom:0;border-bottom-left-radius:0;border-bottom-right-radius:0}

    """ + page(.light)

  private static func page(_ colours: PageColours) -> String {
    """
    body{background:\(colours.outside);color:\(colours.ink)}
    header p,footer{color:\(colours.faint)}
    pre{background:\(colours.ground);border-color:\(colours.border)}
    pre .object{background:\(colours.outside);border-color:\(colours.border);color:\(colours.faint)}

    """
  }

  private func section(_ sheet: Sheet, _ classes: inout HTMLClasses) -> String {
    let label = sheet.page.map { " aria-label=\"page \($0 + 1)\"" } ?? ""
    let (painter, geometry) = (Painter(sheet, on: .shapes), SheetGeometry(sheet))
    let directions = TextDirections(sheet)
    var html = "<pre\(label)><code class=\"\(classes.width(sheet.width))\">"
    for row in sheet.rows.indices {
      html += line(row, painter, geometry, directions, &classes) + "\n"
    }
    for attachment in sheet.attachments { html += frame(attachment, geometry) }
    for fill in painter.fills where fill.isSeen {
      html += element(of: fill, directions, sheet, geometry, &classes)
    }
    for decoration in sheet.decorations {
      let drawn = decoration.drawing(
        by: drawers, on: sheet, directions, &classes.looks, isSVG: false
      ) {
        Self.place($0, geometry, isOfCharacters: $1)
      }
      guard let drawn else { continue }
      html += decoration.layer == .text ? drawn : "<span class=\"under\">\(drawn)</span>"
    }
    return html + "</code></pre>\n"
  }

  /// A row. The text of a fragment is in an element of its own if it is larger, or if the browser orders it.
  private func line(
    _ row: Int, _ painter: Painter, _ geometry: SheetGeometry, _ directions: TextDirections,
    _ classes: inout HTMLClasses
  ) -> String {
    let fragments = painter.sheet.rows[row].fragments
    var (html, column, isEmpty) = ("", 0, true)
    var runs = painter.runs(ofRow: row)[...]
    func gap(to next: Int) -> String {
      String(repeating: " ", count: max(0, (next * 100 - column) / 100))
    }
    while let run = runs.first {
      let fragment = fragments.first {
        $0.column <= run.column && run.column < $0.column + $0.cells
      }
      let direction = fragment.flatMap { directions.direction(of: $0) }
      html += gap(to: run.column)
      isEmpty = false
      guard let fragment, direction != nil || geometry.sizes[row] != 100 else {
        html += pieces(of: run, &classes)
        column = run.end * 100
        runs.removeFirst()
        continue
      }
      let end = fragment.column + fragment.cells
      let own = runs.prefix { $0.column < end }
      runs.removeFirst(own.count)
      let text = self.text(own, isLaidOut: direction != nil, row, painter, &classes)
      column = geometry.left(ofColumn: end, inRow: row)
      var names = geometry.sizes[row] == 100 ? [] : [classes.size(geometry.sizes[row])]
      var attributes = ""
      if let direction {
        // The room of the fragment: up to the next one.
        let next = fragments.first { $0.column > fragment.column }?.column ?? painter.sheet.width
        let room = max(fragment.cells, (next - fragment.column) * 100 / geometry.sizes[row])
        names += ["r", classes.width(room)]
        column = max(column, next * 100)
        attributes =
          " dir=\"\(directions.isNatural(fragment) ? "auto" : direction.rawValue)\""
      }
      html += "<span class=\"\(names.joined(separator: " "))\"\(attributes)>\(text)</span>"
    }
    // A row of a larger size is as high without text.
    if isEmpty, geometry.sizes[row] != 100 {
      html += "<span class=\"\(classes.size(geometry.sizes[row]))\"> </span>"
    }
    return html
  }

  /// The classes of the colour and the shape of a fill.
  private static func names(of fill: SheetFill, _ classes: inout HTMLClasses) -> [String] {
    [
      classes.looks.name(of: Looks().covered(byBackgroundOf: fill.looks)),
      classes.shapes.name(of: fill.decoration.shape),
    ].compactMap { $0 }
  }

  /// The elements of a fill: one for each rectangle whose place is known.
  private func element(
    of fill: SheetFill, _ directions: TextDirections, _ sheet: Sheet, _ geometry: SheetGeometry,
    _ classes: inout HTMLClasses
  ) -> String {
    let rectangles =
      fill.isOfCharacters ? directions.known(fill.rectangles, on: sheet) : fill.rectangles
    guard !rectangles.isEmpty else { return "" }
    let names = Self.names(of: fill, &classes) + (fill.isOver ? ["over"] : [])
    return rectangles.map { rectangle in
      let margins = fill.margins(of: rectangle)
      let sides = (margins.left ? ["left"] : []) + (margins.right ? ["right"] : [])
      let names = names + sides + ["block"]
      let place = Self.place(rectangle, geometry, isOfCharacters: fill.isOfCharacters).markup
      return "<span class=\"\(names.joined(separator: " "))\" style=\"\(place)\"></span>"
    }.joined()
  }

  /// The place of cells. A row is 1.45 em high.
  private static func place(
    _ cells: CellRectangle, _ geometry: SheetGeometry, isOfCharacters: Bool
  ) -> DrawnRectangle {
    func edge(_ column: Int) -> Int {
      isOfCharacters ? geometry.left(ofColumn: column, inRow: cells.row) : column * 100
    }
    let (left, end) = (edge(cells.column), edge(cells.end))
    let top = geometry.top(ofRow: cells.row) * 145 / 100
    let height = geometry.height(ofRows: cells.row..<cells.row + cells.rows) * 145 / 100
    func number(_ hundredths: Int) -> String {
      hundredths % 100 == 0 ? "\(hundredths / 100)" : decimal(hundredths)
    }
    return DrawnRectangle(
      cells: cells, left: Double(left) / 100, width: Double(end - left) / 100,
      top: Double(top) / 100, height: Double(height) / 100,
      markup: """
        left:\(number(left))ch;top:\(decimal(top))em;width:\(number(end - left))ch;\
        height:\(decimal(height))em
        """)
  }

  private static func decimal(_ hundredths: Int) -> String {
    "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// The frame of an attachment, over the cells that are free for it.
  private func frame(_ attachment: SheetAttachment, _ geometry: SheetGeometry) -> String {
    let rectangle = attachment.rectangle
    let place = Self.place(rectangle, geometry, isOfCharacters: false).markup
    var classes = "object"
    if attachment.rowsAbove > 0 { classes += " above" }
    if attachment.rowsAbove + rectangle.rows < attachment.rows { classes += " below" }
    let name = AttachmentFrame(attachment).name(cells: .max).text
    // The frame takes a cell on each side of the name, and has a tooltip if nothing is left.
    let isSmall = rectangle.columns < 3
    if isSmall { classes += " small" }
    let shown = isSmall ? "" : Markup.escaped(name)
    let tooltip = isSmall && !name.isEmpty ? " title=\"\(Markup.escaped(name))\"" : ""
    if let address = pictures.address(of: attachment) {
      return """
        <span class="object small" style="\(place)">\
        <img src="\(Markup.escaped(address))" alt="\(Markup.escaped(name))" \
        title="\(Markup.escaped(name))"></span>
        """
    }
    return """
      <span class="\(classes)" role="img" aria-label="\(Markup.escaped(name))"\(tooltip) \
      style="\(place)">\(shown)</span>
      """
  }

  private func pieces(of run: PaintedRun, _ classes: inout HTMLClasses) -> String {
    run.pieces.map { self.run($0, &classes) }.joined()
  }

  private func run(_ run: PaintedRun, _ classes: inout HTMLClasses) -> String {
    var names = [
      classes.looks.name(of: run.looks, on: run.ground, isBar: run.isBar),
      run.bar.flatMap { classes.shapes.name(of: $0) },
    ].compactMap { $0 }
    if run.isBar {
      // A border has no gaps between rows.
      return "<span class=\"\((names + ["bar"]).joined(separator: " "))\"> </span>"
    }
    var text = Markup.escaped(run.text)
    if !run.isASCII {
      // Fonts have other widths for characters that are not ASCII.
      names.append(classes.width(run.cells))
      // Each wide one stands in the middle of its cells, so that what is around them fits the text.
      if run.text.count > 1, run.cells == 2 * run.text.count {
        let cell = "<span class=\"\(classes.width(2)) c\">"
        text = run.text.map { "\(cell)\(Markup.escaped(String($0)))</span>" }.joined()
      }
    }
    return Self.element(text, names, link: run.link)
  }

  /// The runs of one fragment. If the browser lays it out they have no width, and the fills of characters are elements
  /// around them.
  private func text(
    _ runs: ArraySlice<PaintedRun>, isLaidOut: Bool, _ row: Int, _ painter: Painter,
    _ classes: inout HTMLClasses
  ) -> String {
    var (html, reached, open) = ("", runs.first?.column ?? 0, [Int]())
    for run in runs {
      let around = isLaidOut ? painter.fills(around: run, inRow: row) : []
      // A fill that continues stays one element, so that its border has no line between runs.
      let shared = zip(open, around).prefix { $0 == $1 }.count
      html += String(repeating: "</span>", count: open.count - shared)
      html += String(repeating: " ", count: max(0, run.column - reached))
      for fill in around[shared...] {
        let names = Self.names(of: painter.fills[fill], &classes) + ["fill"]
        html += "<span class=\"\(names.joined(separator: " "))\">"
      }
      (open, reached) = (around, run.end)
      guard isLaidOut else {
        html += pieces(of: run, &classes)
        continue
      }
      let name = classes.looks.name(of: run.looks, on: painter.ground(of: run, on: around))
      html += Self.element(Markup.escaped(run.text), name.map { [$0] } ?? [], link: run.link)
    }
    return html + String(repeating: "</span>", count: open.count)
  }

  private static func element(_ text: String, _ names: [String], link: String?) -> String {
    let attribute = names.isEmpty ? "" : " class=\"\(names.joined(separator: " "))\""
    if let link {
      return
        "<a href=\"\(Markup.escaped(link))\" rel=\"noreferrer noopener\"\(attribute)>\(text)</a>"
    }
    return names.isEmpty ? text : "<span\(attribute)>\(text)</span>"
  }
}

/// The classes of a file of HTML, in the order of their first use.
private struct HTMLClasses {
  var looks = LookClasses()
  var shapes = ShapeClasses()
  private var widths: Set<Int> = []
  private var sizes: Set<Int> = []

  /// The class of a width in cells.
  mutating func width(_ cells: Int) -> String {
    widths.insert(cells)
    return "w\(cells)"
  }

  /// The class of a size in percent.
  mutating func size(_ percent: Int) -> String {
    sizes.insert(percent)
    return "z\(percent)"
  }

  var rules: String {
    widths.sorted().map { ".w\($0){width:\($0)ch}\n" }.joined()
      + sizes.sorted().map { "pre .z\($0){font-size:\($0)%}\n" }.joined()
  }
}
