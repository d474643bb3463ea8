import Styling
import TextGrid

/// Renders sheets as one HTML file, light or dark as the reader prefers.
///
/// The file loads nothing and has no script; its content security policy forbids both. All text is
/// escaped. Text is shown in its own order: right-to-left text is not turned around.
public struct HTMLRenderer: Sendable {
  private let document: RenderedDocument
  private let pictures: Pictures

  /// A renderer.
  ///
  /// - Parameters:
  ///   - document: What the file says about the document.
  ///   - pictures: The pictures of attachments.
  public init(_ document: RenderedDocument, pictures: Pictures = Pictures()) {
    (self.document, self.pictures) = (document, pictures)
  }

  /// The file. O(cells).
  ///
  /// - Parameters:
  ///   - sheets: The sheets, or pages, in order.
  ///   - note: A sentence after them, such as what is left out; nil for none.
  public func render(_ sheets: [Sheet], note: String? = nil) -> String {
    var classes = LookClasses()
    var widths: Set<Int> = []
    let body = sheets.map { section($0, &classes, &widths) }.joined()
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
      \(Self.sheet)\(classes.rules(.light, foreground: "color", declaresShapes: true))\
      @media (prefers-color-scheme: dark) {
      \(Self.page(.dark))\(classes.rules(.dark, foreground: "color", declaresShapes: true))}
      \(widths.sorted().map { ".w\($0){width:\($0)ch}\n" }.joined())</style>
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
    pre span,pre a{display:inline-block;white-space:pre;vertical-align:top;height:1.45em;color:inherit;\
    direction:ltr;unicode-bidi:bidi-override}
    pre .bar{width:1ch;border-left:3px solid}
    pre .block{position:absolute;z-index:-1;box-sizing:content-box;padding:.35em 1ch;margin:-.35em 0 0 -1ch;\
    border-radius:4px}
    pre a{text-decoration:underline}
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

  private func section(
    _ sheet: Sheet, _ classes: inout LookClasses, _ widths: inout Set<Int>
  ) -> String {
    widths.insert(sheet.width)
    let label = sheet.page.map { " aria-label=\"page \($0 + 1)\"" } ?? ""
    var html = "<pre\(label)><code class=\"w\(sheet.width)\">"
    for row in Painter(sheet, drawsFrames: false).rows() {
      var column = 0
      for run in row {
        html += String(repeating: " ", count: max(0, run.column - column))
        for piece in run.pieces { html += self.run(piece, &classes, &widths) }
        column = run.end
      }
      html += "\n"
    }
    for attachment in sheet.attachments { html += frame(attachment) }
    for decoration in sheet.decorations { html += background(of: decoration, &classes) }
    return html + "</code></pre>\n"
  }

  /// The background of a block of paragraphs, with a margin around the cells, which have it too.
  private func background(
    of decoration: SheetDecoration, _ classes: inout LookClasses
  ) -> String {
    guard decoration.layer == .background, decoration.granularity != .characterRuns else {
      return ""
    }
    var looks = Looks()
    looks.light.background = decoration.looks.light.background
    looks.dark.background = decoration.looks.dark.background
    guard let name = classes.name(of: looks) else { return "" }
    let rectangle = decoration.rectangle
    return """
      <span class="\(name) block" style="left:\(rectangle.column)ch;top:\(Self.height(rectangle.row));\
      width:\(rectangle.columns)ch;height:\(Self.height(rectangle.rows))"></span>
      """
  }

  /// The height of some rows, of which each is 1.45 em high.
  private static func height(_ rows: Int) -> String {
    "\(rows * 145 / 100).\(digits(rows * 145 % 100))em"
  }

  /// The frame of an attachment, over the cells that are free for it.
  private func frame(_ attachment: SheetAttachment) -> String {
    let rectangle = attachment.rectangle
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
        <span class="object small" style="left:\(rectangle.column)ch;top:\(Self.height(rectangle.row));\
        width:\(rectangle.columns)ch;height:\(Self.height(rectangle.rows))">\
        <img src="\(Markup.escaped(address))" alt="\(Markup.escaped(name))" \
        title="\(Markup.escaped(name))"></span>
        """
    }
    return """
      <span class="\(classes)" role="img" aria-label="\(Markup.escaped(name))"\(tooltip) \
      style="left:\(rectangle.column)ch;top:\(Self.height(rectangle.row));width:\(rectangle.columns)ch;\
      height:\(Self.height(rectangle.rows))">\(shown)</span>
      """
  }

  private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private func run(
    _ run: PaintedRun, _ classes: inout LookClasses, _ widths: inout Set<Int>
  ) -> String {
    var names = [classes.name(of: run.looks, isBar: run.isBar)].compactMap { $0 }
    if run.isBar {
      // A border has no gaps between rows.
      return "<span class=\"\((names + ["bar"]).joined(separator: " "))\"> </span>"
    }
    if !run.isASCII {
      // Fonts have other widths for characters that are not ASCII.
      names.append("w\(run.cells)")
      widths.insert(run.cells)
    }
    let text = Markup.escaped(run.text)
    let attribute = names.isEmpty ? "" : " class=\"\(names.joined(separator: " "))\""
    if let link = run.link {
      return
        "<a href=\"\(Markup.escaped(link))\" rel=\"noreferrer noopener\"\(attribute)>\(text)</a>"
    }
    return names.isEmpty ? text : "<span\(attribute)>\(text)</span>"
  }
}
