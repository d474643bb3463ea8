import EditModel
import Styling
import TestSupport
import TextGrid
import TextState
import Testing

@testable import Rendering

/// Row 34: the places and the frames of attachments on sheets.
@Suite struct AttachmentSheetTests {
  private static func text(
    _ attachment: EditModel.Attachment, _ text: String = "ab\u{FFFC}cd\nef\n"
  )
    throws -> TextState
  {
    let units = Array(text.utf16)
    let places = units.indices.filter { units[$0] == Attachment.unit }
    return try state(text, places.map { ($0..<$0 + 1, attachment.attributes) })
  }

  @Test(arguments: [
    (1, 1, "x", ["ab▣cd"]), (2, 1, "x", ["ab▣▣cd"]), (3, 1, "xyz", ["ab[…]cd"]),
    (8, 1, "plan", ["ab[plan  ]cd"]), (1, 2, "x", ["ab▣cd", "  ▣"]),
    (2, 2, "x", ["ab┌┐cd", "  └┘"]), (6, 2, "plan", ["ab┌plan┐cd", "  └────┘"]),
    (6, 2, "plans", ["ab┌pla…┐cd", "  └────┘"]),
    (6, 3, "plans", ["ab┌────┐cd", "  │pla…│", "  └────┘"]),
    // Wide characters, marks and what controls a terminal.
    (7, 3, "図面a", ["ab┌─────┐cd", "  │図面a│", "  └─────┘"]),
    (6, 3, "図面a", ["ab┌────┐cd", "  │図… │", "  └────┘"]),
    (8, 1, "e\u{301}\u{1B}[1m", ["ab[e\u{301}␛[1m ]cd"]), (6, 1, "a\nb", ["ab[a b ]cd"]),
  ])
  func `frames have a name`(columns: Int, rows: Int, name: String, drawn: [String]) throws {
    let attachment = Attachment(name: name, columns: columns, rows: rows)
    let sheet = plainSheet(try Self.text(attachment), width: 20)
    #expect(
      TextRenderer().render(sheet).split(separator: "\n").map { String($0) } == drawn + ["ef"])
    #expect(
      sheet.attachments == [
        SheetAttachment(
          attachment, units: UTF16Range(2..<3),
          rectangle: CellRectangle(column: 2, row: 0, columns: columns, rows: rows), rows: rows)
      ])
  }

  @Test func `a sheet may have a part of an attachment`() throws {
    let text = try Self.text(Attachment(type: "image/png", columns: 14, rows: 4))
    var layout = GridLayout(options: GridOptions(width: 30))
    let rows = layout.rows(from: RowPlace(paragraph: 0, row: 1), count: 2, of: text)
    let sheet = SheetBuilder(AttributeStyles(text)).sheet(rows, width: 30)
    #expect(TextRenderer().render(sheet) == "  │image/png   │\n  │            │\n")
    #expect(sheet.attachments.map(\.rowsAbove) == [1])
    #expect(
      sheet.attachments.map(\.rectangle)
        == [CellRectangle(column: 2, row: 0, columns: 14, rows: 2)])
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render([sheet])
    #expect(html.contains("class=\"object above below\" role=\"img\" aria-label=\"image/png\""))
    #expect(html.contains("style=\"left:2ch;top:0.00em;width:14ch;height:2.90em\""))
  }

  /// A frame of one cell has no room for the space around a name.
  @Test func `small frames are as wide as their cells`() throws {
    let text = try Self.text(Attachment(name: "a.png", columns: 1, rows: 1))
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render([plainSheet(text)])
    #expect(html.contains("class=\"object small\"") && html.contains("title=\"a.png\""))
    #expect(html.contains("width:1ch;") && html.contains("pre .small{padding:0}"))
    #expect(!html.contains(">a.png</span>"))
  }

  /// Only bytes that begin as a picture are one, and only whole frames have it.
  @Test func `pictures are in the file`() throws {
    let digest = try #require(AttachmentDigest(String(repeating: "ab", count: 32)))
    let name = "<a>\""
    let text = try Self.text(Attachment(digest: digest, name: name, columns: 6, rows: 2))
    let sheet = plainSheet(text)
    let document = RenderedDocument(title: "t", subtitle: "s")
    for (content, type) in [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], "png"),
      ([0xFF, 0xD8, 0xFF, 0], "jpeg"),
      (Array("GIF89a;".utf8), "gif"), (Array("RIFF....WEBPVP8 ".utf8), "webp"),
      (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), nil), ([], nil),
      ([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: Pictures.sizeMax), nil),
    ] as [([UInt8], String?)] {
      var pictures = Pictures()
      #expect(pictures.add(content, base64: "QUJD", of: digest) == (type != nil))
      let html = HTMLRenderer(document, pictures: pictures).render([sheet])
      let svg = SVGRenderer(document, pictures: pictures).render([sheet])
      let address = "data:image/\(type ?? "");base64,QUJD"
      #expect(html.contains("<img src=\"\(address)\" alt=\"&lt;a&gt;&quot;\"") == (type != nil))
      #expect(html.contains("img-src data:") == (type != nil))
      #expect(svg.contains("<image href=\"\(address)\"") == (type != nil))
    }
    var (pictures, part) = (Pictures(), sheet)
    pictures.add([0xFF, 0xD8, 0xFF], base64: "QUJD", of: digest)
    part.attachments[0].rowsAbove = 1
    #expect(!HTMLRenderer(document, pictures: pictures).render([part]).contains("<img"))
    #expect(!SVGRenderer(document, pictures: pictures).render([part]).contains("<image"))
  }

  @Test func `names cannot leave their place in markup`() throws {
    let name = "\"><script>alert('x')</script>\u{0}\u{9B}\u{202E}"
    let sheet = plainSheet(
      try Self.text(Attachment(name: name, type: name, columns: 40, rows: 3)), width: 60)
    let document = RenderedDocument(title: "t", subtitle: "s")
    for file in [HTMLRenderer(document).render([sheet]), SVGRenderer(document).render([sheet])] {
      #expect(!file.contains("<script"))
      #expect(!file.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    }
  }

  @Test func `decorations reach over the rows of attachments`() throws {
    let text = try state(
      "a\u{FFFC}\nb\n",
      [
        (1..<2, Attachment(columns: 3, rows: 3).attributes), (0..<3, ["quote": .integer(1)]),
      ])
    let sheet = sheet(text, try rules(), width: 20)
    #expect(
      sheet.decorations.map(\.rectangle) == [CellRectangle(column: 0, row: 0, columns: 20, rows: 3)]
    )
    #expect(TextRenderer().render(sheet).hasPrefix("▎ a┌─┐\n▎  │ │\n▎  └─┘\n\nb\n"))
  }

  /// On a sheet with very many, only the first have names.
  @Test func `names on a sheet have a bound`() throws {
    let text = try Self.text(
      Attachment(name: "n", columns: 3), String(repeating: "\u{FFFC}", count: 5_000))
    let sheet = plainSheet(text, width: 300)
    #expect(sheet.attachments.count == 5_000)
    #expect(sheet.attachments.count { $0.attachment.name != nil } == 4_096)
  }
}
