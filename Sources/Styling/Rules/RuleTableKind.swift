/// The keys that a table of a file may have. The reader, the schema for editors and the article are made
/// from, or compared with, these lists.
struct RuleTableKind: Sendable {
  struct Key: Sendable {
    enum Value: Sendable {
      case string
      /// A regular expression.
      case expression
      case bool
      case integer(ClosedRange<Int>)
      case choice([String])
      /// A string, or an array of strings.
      case strings
      /// `#rrggbb` or a name, or a table of one for light and one for dark.
      case colour
      /// An integer, or a string.
      case level
      case table(String)
      case tables(String)
      /// A table whose keys are names of the file's choice; of these tables.
      case named(String)
      /// A table whose keys are names of the file's choice, with plain values.
      case values
    }

    let name: String
    let value: Value
    let summary: String
    var isRequired = false
  }

  /// The name that `Key.Value` refers to it by.
  let name: String
  let summary: String
  let keys: [Key]
}

extension RuleTableKind {
  /// The kinds of tables in a file of rules, the file itself first.
  static let all = [
    rules, paragraph, pattern, links, style, colours, decoration, spacing, renderer, tags, tag,
  ]
  /// The kinds of tables in a grammar, the file itself first.
  static let allOfGrammars = [grammar, context, rule]

  static let rules = RuleTableKind(
    name: "rules", summary: "Rules for what a text looks like.",
    keys: [
      Key(
        name: "grammar", value: .string,
        summary: "The grammar of the text: a built-in one, or one of a file of `grammars`."),
      Key(
        name: "grammars", value: .strings,
        summary: "Files with grammars, relative to this file."),
      Key(
        name: "paragraphs", value: .tables("paragraph"),
        summary: "Attributes of whole paragraphs."),
      Key(
        name: "patterns", value: .tables("pattern"),
        summary: "What is marked wherever it is in the text, such as mentions."),
      Key(name: "links", value: .table("links"), summary: "Marks addresses of the web."),
      Key(
        name: "styles", value: .named("style"),
        summary: "What tokens, patterns, attributes and kinds of paragraphs look like."),
      Key(
        name: "decorations", value: .tables("decoration"),
        summary: "What is drawn behind and over text that has an attribute."),
      Key(
        name: "spacing", value: .table("spacing"),
        summary: "Blank rows between paragraphs, by their kinds."),
      Key(
        name: "renderers", value: .tables("renderer"),
        summary: "What is drawn before items of lists, by kind and level."),
      Key(name: "tags", value: .table("tags"), summary: "Which tags exclude each other."),
    ])

  static let paragraph = RuleTableKind(
    name: "paragraph", summary: "Attributes of the paragraphs in which an expression matches.",
    keys: [
      Key(
        name: "match", value: .expression,
        summary: "The expression. ^ and $ are the ends of the paragraph.", isRequired: true),
      Key(name: "ignores-case", value: .bool, summary: "If letters match their other case."),
      Key(
        name: "attributes", value: .values,
        summary: "Names and values: strings, numbers, true or false.", isRequired: true),
    ])

  static let pattern = RuleTableKind(
    name: "pattern", summary: "An expression whose matches are marked.",
    keys: [
      Key(
        name: "name", value: .string,
        summary: "The attribute that the matches get; its value is the text of the match.",
        isRequired: true),
      Key(name: "match", value: .expression, summary: "The expression.", isRequired: true),
      Key(name: "ignores-case", value: .bool, summary: "If letters match their other case."),
    ])

  static let links = RuleTableKind(
    name: "links", summary: "Addresses of the web, as people type them.",
    keys: [
      Key(
        name: "attribute", value: .string,
        summary: "The attribute that they get; its value is the address. The default is `url`."),
      Key(
        name: "automatic", value: .bool,
        summary: "If only those are marked after which a space or Return was typed."),
    ])

  static let style = RuleTableKind(
    name: "style", summary: "How text looks. What is absent is as in the style around it.",
    keys: [
      Key(name: "foreground", value: .colour, summary: "The colour of the characters."),
      Key(name: "background", value: .colour, summary: "The colour behind the characters."),
      Key(name: "bold", value: .bool, summary: "Thick strokes."),
      Key(name: "italic", value: .bool, summary: "Slanted characters."),
      Key(name: "underline", value: .bool, summary: "A line below."),
      Key(name: "strikethrough", value: .bool, summary: "A line through."),
      Key(name: "dim", value: .bool, summary: "A weaker colour."),
      Key(
        name: "size", value: .integer(Theme.Style.sizes),
        summary: "The size in percent, of whole rows in HTML and SVG."),
    ])

  static let colours = RuleTableKind(
    name: "colours", summary: "A colour on a light and on a dark background.",
    keys: [
      Key(name: "light", value: .string, summary: "On a light background.", isRequired: true),
      Key(name: "dark", value: .string, summary: "On a dark background.", isRequired: true),
    ])

  static let decoration = RuleTableKind(
    name: "decoration", summary: "What is drawn behind or over text that has an attribute.",
    keys: [
      Key(name: "attribute", value: .string, summary: "The attribute.", isRequired: true),
      Key(
        name: "layer", value: .choice(DecorationLayer.allCases.map(\.rawValue)),
        summary: "Behind or over the characters. The default is background."),
      Key(
        name: "granularity", value: .choice(DecorationGranularity.allCases.map(\.rawValue)),
        summary: "What the attribute's range is expanded to. The default is character-runs."),
      Key(
        name: "draw", value: .choice(BuiltInDecoration.allCases.map(\.rawValue)),
        summary: "What is drawn; none takes a built-in decoration away, and keeps the margins.",
        isRequired: true),
      Key(
        name: "style", value: .string,
        summary: "The style with its colours. The default is the name of the attribute."),
      Key(
        name: "margin-before", value: .integer(0...BlockSpacing.rowCountMax),
        summary: "Rows before the first paragraph, outside the decoration."),
      Key(
        name: "margin-after", value: .integer(0...BlockSpacing.rowCountMax),
        summary: "Rows after the last paragraph, outside the decoration."),
      Key(
        name: "padding-before", value: .integer(0...BlockSpacing.rowCountMax),
        summary: "Rows before the first paragraph, inside the decoration."),
      Key(
        name: "padding-after", value: .integer(0...BlockSpacing.rowCountMax),
        summary: "Rows after the last paragraph, inside the decoration."),
      Key(
        name: "radius", value: .integer(0...DecorationShape.radiusMax),
        summary: "The radius of the corners in pixels, in HTML and SVG."),
      Key(
        name: "border", value: .colour,
        summary: "The colour of a line around the rectangle, in HTML and SVG."),
      Key(
        name: "width", value: .integer(1...DecorationShape.widthMax),
        summary: "The width of the line or the bar in pixels, in HTML and SVG."),
    ])

  static let spacing = RuleTableKind(
    name: "spacing",
    summary: "Blank rows between a paragraph of a kind and its neighbours.",
    keys: KindSpacing.Group.allCases.map { group in
      Key(
        name: group.rawValue, value: .integer(0...BlockSpacing.rowCountMax),
        summary: group == .list
          ? "Around lists. Their items have no rows between them."
          : "Around paragraphs of the kind \(group.rawValue).")
    })

  static let renderer = RuleTableKind(
    name: "renderer",
    summary: "What is drawn before an item of a list. The first table that fits an item is taken.",
    keys: [
      Key(
        name: "kind", value: .string,
        summary: "The attribute of the item, such as list-item. The default is any."),
      Key(
        name: "level", value: .integer(1...ParagraphKind.levelMax),
        summary: "How deep the item is in others, from 1. The default is any."),
      Key(
        name: "sign", value: .string,
        summary: "What is drawn; {number}, {letter} and {roman} stand for the number.",
        isRequired: true),
    ])

  static let tags = RuleTableKind(
    name: "tags", summary: "The tags of a toolbar, and which of them exclude each other.",
    keys: [
      Key(
        name: "default", value: .string, summary: "The tag that is active if no other is.",
        isRequired: true),
      Key(name: "rules", value: .named("tag"), summary: "What an active tag does to others."),
    ])

  static let tag = RuleTableKind(
    name: "tag", summary: "What an active tag does to others.",
    keys: [
      Key(name: "enables", value: .strings, summary: "Tags that can be used."),
      Key(name: "disables", value: .strings, summary: "Tags that cannot be used."),
      Key(name: "activates", value: .strings, summary: "Tags that become active."),
      Key(name: "deactivates", value: .strings, summary: "Tags that become inactive."),
    ])

  static let grammar = RuleTableKind(
    name: "grammar", summary: "How a language is divided into tokens.",
    keys: [
      Key(name: "name", value: .string, summary: "The name of the grammar.", isRequired: true),
      Key(
        name: "word", value: .expression,
        summary: "What a word is, for the rules with `words`."),
      Key(
        name: "contexts", value: .named("context"),
        summary: "The contexts. A text begins in the one called main.", isRequired: true),
    ])

  static let context = RuleTableKind(
    name: "context", summary: "A part of a text in which certain rules hold, such as a comment.",
    keys: [
      Key(name: "style", value: .string, summary: "The style of what no rule matches."),
      Key(
        name: "paragraph", value: .string,
        summary: "The attribute of all paragraphs that the context touches, such as code-block."),
      Key(
        name: "value", value: .level,
        summary: "The value of this attribute. The default is 1."),
      Key(
        name: "ends-with-paragraph", value: .bool,
        summary: "If the context is left at the end of the paragraph."),
      Key(
        name: "end", value: .expression,
        summary: "The context is left at a paragraph that begins with this, whatever is inside."),
      Key(name: "end-style", value: .string, summary: "The style of this, if it is another one."),
      Key(
        name: "grammar", value: .string,
        summary: "Another grammar, whose rules hold after those of the context."),
      Key(
        name: "include", value: .strings,
        summary: "Other contexts, whose rules hold after those of this one."),
      Key(name: "rules", value: .tables("rule"), summary: "The rules, in order of precedence."),
    ])

  static let rule = RuleTableKind(
    name: "rule", summary: "A token.",
    keys: [
      Key(name: "match", value: .expression, summary: "The expression of the token."),
      Key(name: "words", value: .strings, summary: "The words of the token, instead of `match`."),
      Key(name: "ignores-case", value: .bool, summary: "If letters match their other case."),
      Key(name: "style", value: .string, summary: "The style of the token."),
      Key(
        name: "trim-end", value: .string,
        summary: "Characters that are not part of the token if the match ends with them."),
      Key(
        name: "attribute", value: .strings,
        summary: "Attributes that the token gets, such as inline-code."),
      Key(name: "push", value: .string, summary: "The context that begins with the token."),
      Key(name: "pop", value: .bool, summary: "If the context ends with the token."),
      Key(
        name: "paragraph", value: .string,
        summary: "The attribute that the whole paragraph gets, such as heading."),
      Key(
        name: "level", value: .level,
        summary: """
          Its value: an integer, a character that is counted in the token, or indent. The default is 1.
          """),
    ])
}
