import EditModel
import Foundation
import Rendering
import Styling
import Synchronization
import Testing
import TextGrid
import TextState

/// Drawings of a program's own, and shapes from a file of rules.
@Suite struct DrawingTests {
  private static let document = RenderedDocument(title: "t", subtitle: "s")

  /// The drawings that a function was asked for.
  private final class Drawn: Sendable {
    private let all = Mutex<[DecorationDrawing]>([])
    var drawings: [DecorationDrawing] { all.withLock { $0 } }

    func drawer(_ markup: String) -> DecorationDrawer {
      { drawing in
        self.all.withLock { $0.append(drawing) }
        return markup
      }
    }
  }

  /// Row 25: the rectangle, the first row, the cells, both ranges and the value.
  @Test func `a function draws a kind of its own`() throws {
    let text = try state(
      "ab cd\nefg\nh", [(3..<7, ["x": .string("v")]), (0..<2, ["y": .integer(7)])])
    var rules = try rules("[styles.look]\nforeground = '#112233'\nbackground = '#aabbcc'")
    rules.register("x", .background, .contiguousParagraphs, kind: "frame", style: "look")
    rules.register("y", .text, .characterRuns) { call, _ in
      call.value == .integer(7) ? call.decoration("pill") : nil
    }
    let sheet = sheet(text, rules, width: 12)
    for isSVG in [false, true] {
      let drawn = Drawn()
      let drawers = ["frame": drawn.drawer("<g>frame</g>"), "pill": drawn.drawer("<g>pill</g>")]
      let file =
        isSVG
        ? SVGRenderer(Self.document, drawers: drawers).render([sheet])
        : HTMLRenderer(Self.document, drawers: drawers).render([sheet])
      let (frame, pill) = (try #require(drawn.drawings.first), try #require(drawn.drawings.last))
      #expect(drawn.drawings.count == 2)
      #expect(frame.decoration.value == .string("v") && pill.decoration.value == .integer(7))
      #expect(frame.decoration.run == UTF16Range(3..<7))
      #expect(frame.decoration.units == UTF16Range(0..<10))
      #expect(frame.rectangle.cells == CellRectangle(column: 0, row: 0, columns: 12, rows: 2))
      #expect(frame.firstRow?.cells == CellRectangle(column: 0, row: 0, columns: 12, rows: 1))
      #expect(
        frame.cells.map(\.cells) == [
          CellRectangle(column: 0, row: 0, columns: 5, rows: 1),
          CellRectangle(column: 0, row: 1, columns: 3, rows: 1),
        ])
      #expect(pill.cells.map(\.cells) == [CellRectangle(column: 0, row: 0, columns: 2, rows: 1)])
      #expect(
        frame.rectangle.markup
          == (isSVG
            ? "x=\"40\" y=\"78\" width=\"108\" height=\"40\""
            : "left:0ch;top:0.00em;width:12ch;height:2.90em"))
      for (name, property) in [
        (frame.inkClass, isSVG ? "fill:#112233" : "color:#112233"),
        (frame.groundClass, isSVG ? "fill:#aabbcc" : "background:#aabbcc"),
      ] {
        let name = try #require(name)
        #expect(
          file.split(separator: "\n").contains {
            $0.hasPrefix(".\(name){") && $0.contains(property)
          })
      }
      // The background comes before the text in SVG, and lies under it in HTML.
      let places = ["<g>frame</g>", "efg", "<g>pill</g>"].map { file.range(of: $0)?.lowerBound }
      let (before, word, after) = (
        try #require(places[0]), try #require(places[1]), try #require(places[2])
      )
      #expect(
        word < after && (isSVG ? before < word : file.contains("under\"><g>frame</g></span>")))
      // Without a function, nothing is drawn.
      #expect(!SVGRenderer(Self.document).render([sheet]).contains("class=\"b"))
    }
    #expect(TextRenderer().render(sheet) == "ab cd\nefg\nh\n")
  }

  @Test func `rules give rectangles and bars a shape`() throws {
    let rules = try rules(
      """
      [styles]
      pill = { background = "#aabbcc" }
      [[decorations]]
      attribute = "x"
      draw = "box"
      style = "pill"
      radius = 8
      border = { light = "#112233", dark = "#445566" }
      width = 2
      [[decorations]]
      attribute = "y"
      granularity = "single-paragraph"
      draw = "bar"
      width = 5
      """)
    let text = try state("ab cd\nq", [(3..<5, ["x": .bool(true)]), (6..<7, ["y": .bool(true)])])
    let sheet = sheet(text, rules, width: 12)
    let html = HTMLRenderer(Self.document).render([sheet])
    #expect(html.contains("s2 block\" style=\"left:3ch;top:0.00em;width:2ch;height:1.45em\""))
    #expect(html.contains("pre .s2{box-shadow:inset 0 0 0 2px #112233;border-radius:8px}"))
    #expect(html.contains("pre .s2{box-shadow:inset 0 0 0 2px #445566}"))
    #expect(html.contains("pre .s1{border-left-width:5px}") && html.contains("s1 bar\""))
    // The text has no background of its own, which would have square corners.
    #expect(html.contains("ab <span class=\"a1\">cd</span>\n"))
    #expect(html.split(separator: "\n").allSatisfy { !$0.hasPrefix(".a1{background") })
    let svg = SVGRenderer(Self.document).render([sheet])
    #expect(svg.contains(" s1\" x=\"67\" y=\"78\" width=\"18\" height=\"20\" rx=\"8\"/>"))
    #expect(svg.contains(".s1{stroke:#112233;stroke-width:2}") && svg.contains("width=\"5\""))
    // A terminal has the colour.
    #expect(ANSIRenderer(mode: .light).render(sheet).contains("48;2;170;187;204mcd"))
  }

  /// The cells of characters that another program orders are not known: what is drawn around them is part of the text.
  @Test func `boxes follow right-to-left text`() throws {
    let rules = try rules(
      """
      [styles]
      pill = { background = "#aabbcc" }
      [[decorations]]
      attribute = "x"
      draw = "box"
      style = "pill"
      radius = 8
      border = "#112233"
      """)
    let x: AttributeSet = ["x": .bool(true)]
    let text = try state(
      "שלום ab cd\nef",
      [(0..<4, x), (5..<10, x), (8..<10, ["bold": .bool(true)]), (11..<13, x)])
    let sheet = sheet(text, rules, width: 12)
    let html = HTMLRenderer(Self.document).render([sheet])
    // One element around the runs of a box. The last row is in cells.
    #expect(
      html.contains(
        """
        <span class="r w12" dir="auto"><span class="a1 s1 fill"><span class="a2">שלום</span></span> \
        <span class="a1 s1 fill"><span class="a2">ab </span><span class="a3">cd</span></span></span>

        """))
    #expect(html.contains("pre .fill{color:inherit;box-decoration-break:clone}"))
    let places = html.components(separatedBy: " block\" style=\"").dropFirst()
    #expect(
      places.map { $0.prefix { $0 != "\"" } } == ["left:0ch;top:1.45em;width:2ch;height:1.45em"])
    let svg = SVGRenderer(Self.document).render([sheet])
    let lines = svg.split(separator: "\n")
    #expect(
      lines.filter { $0.contains("rx=\"8\"") && $0.contains("<rect class=\"b1 s1\"") } == [
        "<rect class=\"b1 s1\" x=\"40\" y=\"98\" width=\"18\" height=\"20\" rx=\"8\"/>"
      ])
    // Invisible copies under the text draw the background and the border.
    let copies = ["b1 g", "s1"].map { name in
      """
      <text class="t r c" aria-hidden="true" x="148" y="93" style="direction:rtl" xml:space="preserve">\
      <tspan class="i a2"><tspan class="\(name)"><tspan class="n">שלום</tspan></tspan></tspan>\
      <tspan class="i"><tspan class="n"> </tspan></tspan>\
      <tspan class="i a2"><tspan class="\(name)"><tspan class="n">ab </tspan></tspan></tspan>\
      <tspan class="i a3"><tspan class="\(name)"><tspan class="n">cd</tspan></tspan></tspan></text>
      """
    }
    let rows = lines.filter { $0.hasPrefix("<text class=\"t r") }.map(String.init)
    #expect(rows.count == 3 && Array(rows.prefix(2)) == copies)
    #expect(
      svg.contains(
        """
        .c .s1{fill:#112233;stroke:none;text-decoration:underline overline;\
        text-decoration-thickness:1px}
        """))
  }

  @Test func `a function does not draw around characters without cells`() throws {
    let x: AttributeSet = ["x": .bool(true)]
    let text = try state("שלום\nab", [(0..<4, x), (5..<7, x)])
    var rules = try rules()
    rules.register("x", .background, .characterRuns, kind: "pill")
    let sheet = sheet(text, rules, width: 12)
    for isSVG in [false, true] {
      let drawn = Drawn()
      let drawers = ["pill": drawn.drawer("<g>pill</g>")]
      _ =
        isSVG
        ? SVGRenderer(Self.document, drawers: drawers).render([sheet])
        : HTMLRenderer(Self.document, drawers: drawers).render([sheet])
      #expect(
        drawn.drawings.map { $0.cells.map(\.cells) } == [
          [CellRectangle(column: 0, row: 1, columns: 2, rows: 1)]
        ])
    }
  }
}
