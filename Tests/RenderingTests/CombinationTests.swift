import EditModel
import Foundation
import Rendering
import Styling
import Testing
import TextGrid

/// What each drawing does, in each layer and granularity.
@Suite struct CombinationTests {
  struct Combination: CustomTestStringConvertible, Sendable {
    let drawn: BuiltInDecoration
    let layer: DecorationLayer
    let granularity: DecorationGranularity

    var testDescription: String { "\(drawn), \(layer), \(granularity)" }

    var rules: String {
      """
      [[decorations]]
      attribute = "x"
      draw = "\(drawn.rawValue)"
      layer = "\(layer.rawValue)"
      granularity = "\(granularity.rawValue)"
      style = "look"
      [styles]
      look = { foreground = "#112233", background = "#aabbcc" }
      """
    }

    static let all = BuiltInDecoration.allCases.flatMap { drawn in
      DecorationLayer.allCases.flatMap { layer in
        DecorationGranularity.allCases.map {
          Combination(drawn: drawn, layer: layer, granularity: $0)
        }
      }
    }
  }

  /// A text of two paragraphs in rows of twelve cells: the attribute is that of `cd` to `e`.
  private static func sheet(_ rules: StyleRules) throws -> Sheet {
    RenderingTests.sheet(
      try state("ab cd\nefg\nh", [(3..<7, ["x": .integer(1)])]), rules, width: 12)
  }

  private static let document = RenderedDocument(title: "t", subtitle: "s")

  /// The rectangles of a fill in SVG, and whether they come before the text.
  private static func fills(_ svg: String) -> (rectangles: [String], areBehind: Bool) {
    let lines = svg.split(separator: "\n").map(String.init)
    let fills = lines.indices.filter { lines[$0].hasPrefix("<rect class=\"b") }
    let firstText = lines.firstIndex { $0.hasPrefix("<text class=\"t ") } ?? 0
    let rectangles = fills.map { index in
      ["x", "y", "width", "height"].compactMap { name in
        lines[index].components(separatedBy: " \(name)=\"").dropFirst().first?
          .prefix { $0.isNumber }
      }.joined(separator: ",")
    }
    return (rectangles, fills.allSatisfy { $0 < firstText })
  }

  @Test(arguments: Combination.all)
  func `each combination draws something or is refused`(combination: Combination) throws {
    let (drawn, granularity) = (combination.drawn, combination.granularity)
    guard drawn.granularities.contains(granularity) else {
      let error = #expect(throws: RulesError.self) { try rules(combination.rules) }
      #expect(
        error?.problem
          == "draw of [[decorations]] needs a granularity of single-paragraph or contiguous-paragraphs "
          + "for a \(drawn.rawValue)")
      return
    }
    let sheet = try Self.sheet(rules(combination.rules))
    let svg = SVGRenderer(Self.document).render([sheet])
    let (rectangles, areBehind) = Self.fills(svg)
    // The sheet begins at 40, 78 and a cell has 9 by 20 pixels.
    let wanted: [String]
    switch (drawn, granularity) {
    case (.box, .characterRuns), (.highlight, .characterRuns):
      wanted = ["67,78,18,20", "40,98,9,20"]
    case (.highlight, _): wanted = ["40,78,45,20", "40,98,27,20"]
    case (.box, .singleParagraph): wanted = ["40,78,108,20", "40,98,108,20"]
    case (.box, .contiguousParagraphs): wanted = ["40,78,108,40"]
    case (.block, .singleParagraph): wanted = ["34,78,120,20", "34,98,120,20"]
    case (.block, .contiguousParagraphs): wanted = ["34,78,120,40"]
    default: wanted = []
    }
    #expect(rectangles.sorted() == wanted.sorted())
    #expect(areBehind == (wanted.isEmpty || combination.layer == .background))
    let html = HTMLRenderer(Self.document).render([sheet])
    let isOver = html.contains(" over ")
    #expect(isOver == (!wanted.isEmpty && combination.layer == .text))
    // On a terminal, a cell for each that a rectangle has.
    let ansi = ANSIRenderer(mode: .light).render(sheet)
    let coloured = ansi.components(separatedBy: "48;2;170;187;204m").dropFirst()
      .reduce(0) { $0 + $1.prefix { $0 != "\u{1B}" }.count }
    let cells = [
      "67,78,18,20": 2, "40,98,9,20": 1, "40,78,45,20": 5, "40,98,27,20": 3, "40,78,108,20": 12,
      "40,98,108,20": 12, "34,78,120,20": 12, "34,98,120,20": 12, "40,78,108,40": 24,
      "34,78,120,40": 24,
    ]
    #expect(coloured == wanted.reduce(0) { $0 + (cells[$1] ?? 0) })
    let struck = ansi.components(separatedBy: "\u{1B}[9;").dropFirst()
      .reduce(0) { $0 + $1.drop { $0 != "m" }.dropFirst().prefix { $0 != "\u{1B}" }.count }
    let struckCells = granularity == .characterRuns ? 3 : 8
    #expect(struck == (drawn == .strike ? struckCells : 0))
    let text = TextRenderer().render(sheet)
    switch drawn {
    case .bar:
      #expect(text == "▎ ab cd\n▎ efg\nh\n")
      #expect(svg.components(separatedBy: "width=\"3\"").count == 3)
    case .bullet, .number:
      // The second paragraph begins with the attribute; the first, with which the group begins, does not.
      let indent = drawn == .number ? "   " : " "
      let sign = granularity == .singleParagraph ? "•" + indent : ""
      #expect(text == "ab cd\n\(sign)efg\nh\n")
    default: break
    }
  }
}
