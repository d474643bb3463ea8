import EditModel
import Foundation
import Rendering
import Styling
import TextGrid
import TextState
import Testing

@Suite struct RendererTests {
  private static let hostile = """
    <script>alert("x")</script> & 'y' ]]> \u{1B}[31m \u{7}\u{9B} \u{202E}evil \u{FFFF}
    日本語 👩‍👩‍👧‍👦 e\u{301} שלום
    """

  @Test func `text has no control characters`() throws {
    let rendered = TextRenderer().render(plainSheet(try state(Self.hostile), width: 30))
    for scalar in rendered.unicodeScalars {
      #expect(scalar == "\n" || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
      #expect(!(0x202A...0x202E).contains(scalar.value))
    }
    #expect(rendered.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
  }

  @Test func `a terminal gets only the sequences of the renderer`() throws {
    let text = try state(
      "ab\u{1B}[31mcd",
      [
        (0..<1, ["bold": .bool(true), "foreground": .string("#ff8000")]),
        (1..<2, ["background": .string("#010203"), "strikethrough": .bool(true)]),
      ])
    let rendered = ANSIRenderer(mode: .dark).render(plainSheet(text))
    #expect(
      rendered
        == "\u{1B}[1;38;2;255;128;0ma\u{1B}[0m\u{1B}[9;48;2;1;2;3mb\u{1B}[0m␛[31mcd\n")
  }

  @Test func `a block is coloured over the whole width`() throws {
    let text = try state("let x\n", [(0..<6, ["code-block": .bool(true)])])
    let rendered = ANSIRenderer(mode: .light).render(sheet(text, try rules(), width: 8))
    let lines = rendered.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.contains("\u{1B}[48;2;241;243;245mlet x\u{1B}[0m\u{1B}[48;2;241;243;245m   \u{1B}[0m"))
  }

  @Test func `a block has a margin in HTML`() throws {
    let text = try state(
      "a\nlet x\nlet y\nb `c`\n",
      [(2..<14, ["code-block": .bool(true)]), (0..<1, ["background": .string("red")])])
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "")).render(
      [sheet(text, try rules(), width: 8)])
    // One for both lines, after a row of its own: 1.45 em a row.
    let blocks = html.split(separator: " block\"").dropFirst()
    #expect(blocks.count == 1)
    #expect(
      blocks.first?.hasPrefix(" style=\"left:0ch;top:2.90em;width:8ch;height:2.90em\"></span>")
        == true)
    #expect(html.contains("pre .block{position:absolute;z-index:-1"))
  }

  @Test func `HTML is escaped, and has no script`() throws {
    let text = try state(
      Self.hostile, [(0..<8, ["link": .string("https://a.b/?x=\"><script>")])])
    let html = HTMLRenderer(
      RenderedDocument(title: "<b>\"&", subtitle: "version 1")
    ).render([plainSheet(text, width: 30)], note: "<rest>")
    #expect(!html.contains("<script") && !html.contains("<b>") && !html.contains("<rest>"))
    #expect(html.contains("&lt;script&gt;</a>alert(&quot;x&quot;)&lt;/script&gt;"))
    #expect(html.contains("href=\"https://a.b/?x=&quot;&gt;&lt;script&gt;\""))
    #expect(html.contains("default-src 'none'") && html.contains("prefers-color-scheme: dark"))
    #expect(!html.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `SVG has cells of one size`() throws {
    let text = try state("ab日本\n", [(0..<1, ["background": .string("red")])])
    let svg = SVGRenderer(RenderedDocument(title: "<t>", subtitle: "&")).render([plainSheet(text)])
    #expect(svg.contains("textLength=\"\(4 * SVGRenderer.cellWidth)\""))
    #expect(svg.contains("&lt;t&gt;") && !svg.contains("<t>"))
    #expect(svg.contains("class=\"b1\"") && svg.contains("prefers-color-scheme: dark"))
  }

  /// Markup is balanced, whatever the text is.
  @Test func `markup is well formed`() throws {
    let text = try state(Self.hostile)
    let document = RenderedDocument(title: Self.hostile, subtitle: Self.hostile)
    let svg = SVGRenderer(document).render([plainSheet(text, width: 20)])
    for file in [svg, HTMLRenderer(document).render([plainSheet(text, width: 20)])] {
      var open: [Substring] = []
      for part in file.split(separator: "<", omittingEmptySubsequences: false).dropFirst() {
        let name = part.prefix { !" />\n".contains($0) }
        if name.isEmpty {
          let closed = part.dropFirst().prefix { $0 != ">" }
          #expect(open.popLast() == closed)
        } else if !part.prefix(while: { $0 != ">" }).hasSuffix("/"), name != "meta",
          !name.hasPrefix("!")
        {
          open.append(name)
        }
      }
      #expect(open.isEmpty)
    }
  }

  @Test func `colours of a document can be read on both backgrounds`() throws {
    let text = try state(
      "white black",
      [
        (0..<5, ["foreground": .string("#ffffff")]), (6..<11, ["foreground": .string("#000000")]),
      ])
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render([plainSheet(text)])
    let parts = html.split(separator: "prefers-color-scheme: dark")
    #expect(!parts[0].contains(".a1{color:#ffffff"))
    #expect(!parts[1].contains(".a2{color:#000000"))
    #expect(parts[1].contains(".a1{color:#ffffff") && parts[0].contains(".a2{color:#000000"))
  }

  /// The colours after `property` in the rules of the classes of one mode.
  private static func colours(_ file: String, _ property: String) -> Set<Substring> {
    Set(
      file.split(separator: "\n").compactMap { line in
        guard line.hasPrefix(".a") || line.hasPrefix(".b"),
          let place = line.range(of: property + ":#", options: .backwards)
        else { return nil }
        return line[place.upperBound...].prefix { $0.isHexDigit }
      })
  }

  /// Text with a colour of its own, text without one, and the cells without text.
  @Test func `a block of one colour is one rectangle`() throws {
    let text = try state(
      "ab cd\n",
      [
        (0..<6, ["code-block": .bool(true)]), (0..<2, ["foreground": .string("#004400")]),
      ])
    let rules = try rules("[styles]\ncode-block = { background = \"#aabbcc\" }")
    let sheet = sheet(text, rules, width: 12)
    let document = RenderedDocument(title: "t", subtitle: "s")
    let html = HTMLRenderer(document).render([sheet])
    let svg = SVGRenderer(document).render([sheet])
    #expect(Self.colours(html, "background") == ["aabbcc"])
    let grounds = svg.split(separator: "\n").filter { $0.hasPrefix(".b") }
    #expect(!grounds.isEmpty && grounds.allSatisfy { $0.hasSuffix("{fill:#aabbcc}") })
    for mode in Theme.Mode.allCases {
      let ansi = ANSIRenderer(mode: mode).render(sheet)
      let row = try #require(ansi.split(separator: "\n").first { $0.contains("ab") })
      let runs = row.split(separator: "\u{1B}[").filter { !$0.hasPrefix("0m") }
      #expect(runs.count > 1 && runs.allSatisfy { $0.contains("48;2;170;187;204m") }, "\(row)")
    }
  }

  /// The bar of a quote goes on beside code, whose background does not change its colour.
  @Test func `a bar has one colour`() throws {
    let text = try state(
      "q\ncode\n",
      [(0..<7, ["quote": .integer(1)]), (2..<7, ["code-block": .bool(true)])])
    let sheet = sheet(text, try rules(), width: 12)
    let document = RenderedDocument(title: "t", subtitle: "s")
    let (html, svg) = (
      HTMLRenderer(document).render([sheet]), SVGRenderer(document).render([sheet])
    )
    for (file, property, part) in [(html, "color", " bar\""), (svg, "fill", "width=\"3\"")] {
      var colours: Set<Substring> = []
      for line in file.split(separator: "\n") where line.contains(part) {
        for piece in line.components(separatedBy: part).dropLast() {
          let name = try #require(piece.components(separatedBy: "class=\"").last)
            .prefix { $0.isNumber || $0 == "a" }
          let rule = try #require(file.split(separator: "\n").first { $0.hasPrefix(".\(name){") })
          let colour = try #require(rule.range(of: "\(property):#"))
          colours.insert(rule[colour.upperBound...].prefix { $0.isHexDigit })
        }
      }
      #expect(colours == ["b9c3cd"], "\(property)")
    }
    let ansi = ANSIRenderer(mode: .light).render(sheet)
    #expect(ansi.components(separatedBy: "38;2;185;195;205").count > 3)
  }

  @Test func `a terminal has the colours that HTML has`() throws {
    let text = try state("navy", [(0..<4, ["foreground": .string("#000080")])])
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render([plainSheet(text)])
    for (mode, part) in zip(Theme.Mode.allCases, html.components(separatedBy: "scheme: dark) {")) {
      let name = try #require(Self.colours(part, "color").first)
      let colour = try #require(Colour("#" + name))
      let codes = "38;2;\(colour.red);\(colour.green);\(colour.blue)m"
      #expect(ANSIRenderer(mode: mode).render(plainSheet(text)).contains(codes), "\(mode)")
    }
  }

  @Test func `SVG has the links of HTML`() throws {
    let text = try state(
      "ab cd",
      [
        (0..<2, ["link": .string("https://a.example/?x=1&y=\"")]),
        (3..<5, ["link": .string("javascript:alert(1)")]),
      ])
    let svg = SVGRenderer(RenderedDocument(title: "t", subtitle: "s")).render([plainSheet(text)])
    let start = "<a href=\"https://a.example/?x=1&amp;y=&quot;\"><text"
    #expect(svg.contains(start) && svg.contains(">ab</text></a>"))
    #expect(svg.components(separatedBy: "<a ").count == 2 && !svg.contains("javascript"))
  }

  @Test func `the levels of headings differ`() throws {
    let theme = try rules().theme
    let looks = (1...4).map {
      theme.appearance(of: ParagraphKind("heading", level: $0), .empty, on: .light)
    }
    #expect(Set(looks).count == 4)
  }

  /// The background begins before the first character, and the text keeps its cells.
  @Test func `code does not touch the edge of its background in SVG`() throws {
    let text = try state("let x\n日本\n", [(0..<8, ["code-block": .bool(true)])])
    let sheet = sheet(text, try rules(), width: 12)
    let document = RenderedDocument(title: "t", subtitle: "s")
    let svg = SVGRenderer(document).render([sheet])
    #expect(svg.contains("class=\"b1\" x=\"34\"") && svg.contains("x=\"40\" y=\"113\""))
  }

  /// The browser orders the letters of a row with right-to-left text, and other rows are in cells.
  @Test func `right-to-left text is ordered by the browser`() throws {
    let text = try state(
      "plain é\nab שלום cd\nשלום עולם abc def\nשלום",
      [(8..<10, ["bold": .bool(true)]), (19..<23, ["background": .string("#aabbcc")])])
    let sheet = plainSheet(text, width: 11)
    #expect(
      TextRenderer().render(sheet) == "plain é\nab שלום cd\nשלום עולם\nabc def\nשלום\n")
    let document = RenderedDocument(title: "t", subtitle: "s")
    let html = HTMLRenderer(document).render([sheet])
    #expect(html.contains("<span class=\"w1\">é</span>"))
    #expect(
      html.contains(
        "<span class=\"r w11\" dir=\"auto\"><span class=\"a1\">ab</span> שלום cd</span>\n"))
    #expect(html.contains("dir=\"auto\"><span class=\"a2\">שלום</span> עולם </span>\n"))
    // A row that begins with other letters has the direction of its paragraph.
    #expect(html.contains("<span class=\"r w11\" dir=\"rtl\">abc def</span>\n"))
    #expect(html.contains("pre .r *{white-space:pre;unicode-bidi:normal}"))
    let svg = SVGRenderer(document).render([sheet])
    let rows = svg.split(separator: "\n").filter { $0.hasPrefix("<text class=\"t r\"") }
    #expect(rows.count == 4 && rows.allSatisfy { !$0.contains("textLength") })
    #expect(rows[0].contains("x=\"40\"") && rows[0].contains("direction:ltr"))
    #expect(rows[2].contains("x=\"139\"") && rows[2].contains("direction:rtl"))
    // An invisible copy of the row under the text draws the background.
    let copies = svg.split(separator: "\n").filter { $0.hasPrefix("<text class=\"t r c\"") }
    #expect(copies.count == 1)
    #expect(
      copies.first?.hasSuffix(
        """
        direction:rtl" xml:space="preserve"><tspan class="i a2"><tspan class="b2 g">\
        <tspan class="n">שלום</tspan></tspan></tspan><tspan class="i"><tspan class="n"> עולם </tspan></tspan></text>
        """) == true)
    #expect(svg.contains(".b2{fill:#aabbcc}"))
  }

  /// Headings are larger where a form has sizes, as far as their row has room.
  @Test func `headings have sizes`() throws {
    let text = try state(
      "One\ntext\nA heading that fills its row\n",
      [(0..<4, ["heading": .integer(1)]), (9..<38, ["heading": .integer(2)])])
    let sheet = sheet(text, try rules(), width: 30)
    let document = RenderedDocument(title: "t", subtitle: "s")
    let html = HTMLRenderer(document).render([sheet])
    #expect(html.contains("<span class=\"z180\"><span class=\"a1\">One</span></span>\n"))
    #expect(html.contains("pre .z180{font-size:180%}") && html.contains("z105"))
    let svg = SVGRenderer(document).render([sheet])
    #expect(svg.contains("y=\"105\" style=\"font-size:27px\" textLength=\"48\""))
    // The rows below are further down: 36 pixels of the heading and 20 of its margin.
    #expect(svg.contains("y=\"149\" textLength=\"36\""))
    #expect(TextRenderer().render(sheet) == "One\n\ntext\n\nA heading that fills its row\n\n")
  }

  /// Wide characters stand in the middle of their cells, whatever the font.
  @Test func `boxes fit wide characters`() throws {
    let text = try state("日本", [(0..<2, ["background": .string("#aabbcc")])])
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render([plainSheet(text)])
    let cells = "<span class=\"w2 c\">日</span><span class=\"w2 c\">本</span>"
    #expect(html.contains("<span class=\"a1 w4\">\(cells)</span>"))
    #expect(html.contains("pre .c{text-align:center}"))
  }

  /// A block is as high as its rows, so that it does not lie over those beside it.
  @Test func `blocks do not overlap other rows`() throws {
    let text = try state("a\nb\nc", [(2..<4, ["x": .bool(true)])])
    let rules = try rules(
      """
      [styles.x]
      background = "#aabbcc"
      [[decorations]]
      attribute = "x"
      granularity = "single-paragraph"
      draw = "block"
      """)
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render(
      [sheet(text, rules, width: 8)])
    #expect(html.contains("style=\"left:0ch;top:1.45em;width:8ch;height:1.45em\""))
    #expect(html.contains("pre .left{padding-left:1ch;margin-left:-1ch}"))
  }

  /// A picture beside text keeps its place free of the block behind that.
  @Test func `nothing is drawn in a hole`() throws {
    let text = try state(
      "let a\nlet b\nlet c\n", [(0..<18, ["code-block": .bool(true)])])
    let format = PageFormat(
      width: 20, height: 6, holes: [CellRectangle(column: 10, row: 2, columns: 5, rows: 1)])
    let styles = RuleStyles(StyledText(text, by: try rules()), try rules())
    var layout = PagedLayout(format: format)
    let first = layout.page(0, of: text, styles)
    let page = try #require(first)
    let sheet = SheetBuilder(styles).sheet(page, format)
    #expect(sheet.holes == format.containers[0].holes)
    let html = HTMLRenderer(RenderedDocument(title: "t", subtitle: "s")).render([sheet])
    let places = html.components(separatedBy: " block\" style=\"")
    // The margin at the sides of a block is not in the hole.
    #expect(
      zip(places, places.dropFirst()).map { before, place in
        "\(before.split(separator: "\"").last ?? "") \(place.prefix { $0 != "\"" })"
      } == [
        "a1 left right left:0ch;top:1.45em;width:20ch;height:1.45em",
        "a1 left left:0ch;top:2.90em;width:10ch;height:1.45em",
        "a1 right left:15ch;top:2.90em;width:5ch;height:1.45em",
        "a1 left right left:0ch;top:4.35em;width:20ch;height:1.45em",
      ])
    let ansi = ANSIRenderer(mode: .light).render(sheet).components(separatedBy: "\n")
    let ground = "48;2;241;243;245m"
    #expect(ansi[2].components(separatedBy: ground).count == 4)
    #expect(ansi[2].contains("\u{1B}[0m     \u{1B}["))
  }
}
