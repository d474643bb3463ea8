import EditModel
import Testing
import TextState

@testable import Styling

@Suite struct ThemeTests {
  private func looks(
    _ rules: String, _ kind: ParagraphKind = .paragraph, _ attributes: AttributeSet = [:],
    _ mode: Theme.Mode = .light
  ) throws -> TextAppearance {
    try theme(of: rules).appearance(of: kind, attributes, on: mode)
  }

  /// Row 37: from the root to the leaf, and the latest wins.
  @Test func theLatestStyleWins() throws {
    let rules = """
      [styles]
      text = { foreground = "black", italic = true }
      heading = { foreground = "red", bold = true }
      "heading.2" = { foreground = "blue" }
      a = { foreground = "green" }
      b = { foreground = "navy", bold = false }
      "k" = { foreground = "teal" }
      "k.x" = { italic = false }
      """
    let black = Colour("black"), red = Colour("red"), blue = Colour("blue")
    #expect(try looks(rules) == TextAppearance(foreground: black, italic: true))
    #expect(
      try looks(rules, ParagraphKind("heading", level: 1))
        == TextAppearance(foreground: red, bold: true, italic: true, underline: true, size: 180))
    #expect(
      try looks(rules, ParagraphKind("heading", level: 2))
        == TextAppearance(foreground: blue, bold: true, italic: true, size: 150))
    #expect(
      try looks(rules, ParagraphKind("heading", level: 2), ["b": .integer(1), "a": .string("x")])
        == TextAppearance(foreground: Colour("navy"), italic: true, size: 150))
    #expect(
      try looks(rules, .paragraph, ["syntax": .string("k.x.y")])
        == TextAppearance(foreground: Colour("teal")))
    #expect(try looks(rules, .paragraph, ["a": .bool(false)]).foreground == black)
  }

  @Test func attributesSayThemselvesWhatTheyLookLike() throws {
    #expect(
      try looks(
        "", .paragraph,
        [
          "bold": .bool(true), "italic": .bool(true), "underline": .bool(true),
          "strikethrough": .bool(true), "dim": .bool(true),
          "foreground": .string("#010203"), "background": .string("red"),
        ])
        == TextAppearance(
          foreground: Colour("#010203"), background: Colour("red"), bold: true, italic: true,
          underline: true, strikethrough: true,
          dim: true))
    // What is no colour changes nothing.
    #expect(
      try looks("", .paragraph, ["foreground": .string("mauve"), "bold": .integer(1)])
        == TextAppearance())
  }

  @Test func aFileOverridesSingleProperties() throws {
    let built = try looks("", .paragraph, ["syntax": .string("comment")])
    let changed = try looks(
      "[styles.comment]\nitalic = false", .paragraph, ["syntax": .string("comment")])
    #expect(built.italic && !changed.italic)
    #expect(built.foreground != nil && built.foreground == changed.foreground)
  }

  @Test func eachBackgroundHasItsColours() throws {
    let rules = "[styles.a.foreground]\nlight = 'black'\ndark = 'white'"
    #expect(try looks(rules, .paragraph, ["a": .bool(true)], .light).foreground == Colour("black"))
    #expect(try looks(rules, .paragraph, ["a": .bool(true)], .dark).foreground == Colour("white"))
  }

  /// Text must be readable: WCAG 2.2 asks for a contrast of 4.5.
  @Test func builtInColoursCanBeRead() throws {
    let theme = try StyleRules.builtIn().theme
    let marks: Set = ["heading.mark", "quote.mark", "rule", "code.fence"]
    for style in [
      "comment", "string", "escape", "number", "constant", "keyword", "type", "property",
      "attribute", "tag", "heading", "quote",
      "list.mark", "link", "url", "mention", "hashtag", "heading.mark", "quote.mark", "code.fence",
    ] {
      for (mode, back) in [
        (Theme.Mode.light, "#ffffff"), (.dark, "#1b1f24"), (.light, "#f1f3f5"), (.dark, "#22272e"),
      ] {
        let colour = try #require(theme.appearance(of: style, on: mode).foreground)
        let ratio = contrast(colour, try #require(Colour(back)))
        // Marks are meant to stay behind the text.
        #expect(
          ratio >= (marks.contains(style) ? 2.2 : 4.5), "\(style), \(mode) on \(back): \(ratio)")
      }
    }
  }

  /// Each level of a heading looks different, also without colours.
  @Test(arguments: Theme.Mode.allCases)
  func levelsOfHeadingsDiffer(mode: Theme.Mode) throws {
    let theme = try StyleRules.builtIn().theme
    let looks = (1...6).map { level in
      var looks = theme.appearance(of: ParagraphKind("heading", level: level), .empty, on: mode)
      #expect(looks.foreground != nil)
      looks.foreground = nil
      return looks
    }
    #expect(Set(looks).count == 6)
  }
}

private func theme(of text: String) throws -> Theme { try rules(text).theme }

private func contrast(_ one: Colour, _ other: Colour) -> Double {
  func luminance(_ colour: Colour) -> Double {
    func linear(_ byte: UInt8) -> Double {
      let share = Double(byte) / 255
      // Near enough to the power of 2.4 of sRGB for a test.
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055).raised
    }
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722
      * linear(colour.blue)
  }
  let (a, b) = (luminance(one), luminance(other))
  return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

extension Double {
  /// This to the power of 2.4 = 12/5, by roots.
  fileprivate var raised: Double {
    var fifth = 1.0
    // Newton's method for the fifth root.
    for _ in 0..<60 {
      fifth -= (fifth * fifth * fifth * fifth * fifth - self) / (5 * fifth * fifth * fifth * fifth)
    }
    let square = fifth * fifth
    let fourth = square * square
    return fourth * fourth * fourth
  }
}
