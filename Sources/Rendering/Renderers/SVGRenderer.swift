import Styling
import TextGrid

/// Renders sheets as one SVG file with cells of a fixed size, light or dark as the reader prefers.
///
/// The file loads nothing and has no script. Each run of text is stretched to its cells, so that all
/// columns are straight in any monospaced font.
public struct SVGRenderer: Sendable {
  /// The size of a cell in pixels.
  public static let (cellWidth, cellHeight) = (9, 20)
  private static let (fontSize, baseline, margin, head, gap) = (15, 15, 20, 58, 20)
  /// What the background of a block has on each side of its cells, in pixels.
  private static let bleed = 6

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
  /// - Parameter sheets: The sheets, or pages, in order.
  public func render(_ sheets: [Sheet]) -> String {
    var classes = LookClasses()
    var body = ""
    var top = Self.head
    for sheet in sheets {
      body += self.body(of: sheet, at: top, &classes)
      top += Self.height(of: sheet) + Self.gap
    }
    let columns = sheets.map(\.width).max() ?? 0
    let width = max(320, columns * Self.cellWidth + 4 * Self.margin)
    let title = Markup.escaped(document.title)
    let subtitle = Markup.escaped(document.subtitle)
    let light = Self.page(.light) + classes.rules(.light, foreground: "fill", declaresShapes: true)
    let dark = Self.page(.dark) + classes.rules(.dark, foreground: "fill", declaresShapes: false)
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(top)" width="\(width)" \
      height="\(top)" role="img" aria-labelledby="title desc">
      <title id="title">\(title)</title>
      <desc id="desc">\(subtitle)</desc>
      <style>
      .t{font:\(Self.fontSize)px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",\
      "Noto Sans Mono",monospace;white-space:pre;direction:ltr;unicode-bidi:bidi-override}
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

  private static func height(of sheet: Sheet) -> Int { sheet.rows.count * cellHeight + 2 * margin }

  private func body(of sheet: Sheet, at top: Int, _ classes: inout LookClasses) -> String {
    let width = sheet.width * Self.cellWidth + 2 * Self.margin
    var svg = """
      <rect class="p" x="\(Self.margin).5" y="\(top).5" width="\(width)" \
      height="\(Self.height(of: sheet))" rx="8"/>

      """
    var (grounds, texts) = ("", "")
    for (index, row) in Painter(sheet, drawsFrames: false).rows().enumerated() {
      let y = top + Self.margin + index * Self.cellHeight
      for run in row.flatMap(\.pieces) {
        let x = 2 * Self.margin + run.column * Self.cellWidth
        let name = classes.name(of: run.looks, isBar: run.isBar)
        if let name, run.looks.light.background != nil || run.looks.dark.background != nil {
          let (before, after) = (run.beginsBlock ? Self.bleed : 0, run.endsBlock ? Self.bleed : 0)
          grounds += """
            <rect class="\(name.replacingClass)" x="\(x - before)" y="\(y)" \
            width="\(run.cells * Self.cellWidth + before + after)" height="\(Self.cellHeight)"/>

            """
        }
        if run.isBar {
          grounds += """
            <rect class="\(name ?? "f")" x="\(x)" y="\(y)" width="3" height="\(Self.cellHeight)"/>

            """
        } else if !run.isSpace || run.looks.hasLines {
          let text = """
            <text class="t \(name.map { "i \($0)" } ?? "i")" x="\(x)" y="\(y + Self.baseline)" \
            textLength="\(run.cells * Self.cellWidth)" lengthAdjust="spacingAndGlyphs" \
            xml:space="preserve">\(Markup.escaped(run.text))</text>
            """
          texts += run.link.map { "<a href=\"\(Markup.escaped($0))\">\(text)</a>\n" } ?? text + "\n"
        }
      }
    }
    svg += grounds + texts
    for attachment in sheet.attachments { svg += frame(attachment, top) }
    return svg
  }

  /// The frame of an attachment, over the cells that are free for it.
  private func frame(_ attachment: SheetAttachment, _ top: Int) -> String {
    let rectangle = attachment.rectangle
    let x = 2 * Self.margin + rectangle.column * Self.cellWidth
    let y = top + Self.margin + rectangle.row * Self.cellHeight
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
