import EditModel
import Styling

/// The styles that HTML, Markdown and XML have signs for, as attributes.
///
/// `bold`, `italic`, `underline`, `strikethrough`, `highlight` and `inline-code` are `true`; `link` is a
/// string, the address. All units of a paragraph may have one of `heading`, `list-item` and `ordered-item`, with
/// the level, an integer from 1, `code-block`, which is `true` or the language, or `markdown`, for lines of
/// Markdown that are kept as they are written: `front-matter`, `html`, `link-definition`, `rule` or `table`. With each of these, or
/// alone, they may have `quote`, the number of quotes around the paragraph. An `ordered-item` may have
/// `ordered-start`, its number, as `ListCounters` has it.
public enum Markup {
  /// The names of the attributes, in the order in which their elements nest.
  public enum Style: String, CaseIterable, Sendable {
    case bold
    case italic
    case underline
    case strike = "strikethrough"
    case highlight
    case code = "inline-code"
  }

  /// The name of the attribute for the address of a link.
  public static let link = "link"
  /// The name of the attribute for the number of quotes around a paragraph.
  public static let quote = "quote"
  /// The names of the attributes for the kind of a paragraph in its quotes. If it has several, the first
  /// counts.
  public static let kinds = ["code-block", "heading", "list-item", "ordered-item", rawKind]
  /// The name of the attribute for paragraphs that are lines of Markdown, kept as they are written: what the
  /// lines are, a `RawKind`.
  public static let rawKind = ParagraphKind.lines
  /// The name of the attribute for tags and comments of HTML inside paragraphs of Markdown, which is `true`.
  public static let rawHTML = "markdown-html"
  /// The name of the attribute for the address of the picture whose description the text is. A picture
  /// without one is a U+FFFC.
  public static let picture = "picture"
  /// The names of the attributes for the titles of a link and of a picture.
  static let (linkTitle, pictureTitle) = ("link-title", "picture-title")
  /// The name of the attribute for how a paragraph is written in the Markdown that it came from: a map of
  /// what is `before`, the `text` and what is `after` it, each of which is missing if it is as usual. It is on
  /// the first units of the paragraph, and counts while it still means the paragraph.
  public static let spelling = "markdown-source"
  /// The name of the attribute for the line ends of a paragraph in the Markdown that it came from. Its value is
  /// `crlf`; without it they are LF. A paragraph that is typed after another one has that of the other one.
  public static let lineEnds = "markdown-line-ends"
  /// The attribute of paragraphs whose lines end with CR LF in a file of Markdown.
  static let crlfLineEnds: AttributeSet = [lineEnds: .string("crlf")]

  /// What lines of Markdown are that the text keeps as they are written.
  enum RawKind: String, CaseIterable, Sendable {
    case definition = "link-definition"
    case frontMatter = "front-matter"
    case html
    case rule
    case table
  }

  /// The names of all attributes that a paragraph has as a whole.
  static let paragraphNames = kinds + [quote, ListCounters.startAttribute]

  /// The styles and their elements in the usual `XMLRule`.
  static let xmlStyles: [XMLRule.Style] =
    (1...6).map { level in
      XMLRule.Style("h\(level)", Form(.heading(level)).attributes, isBlock: true)
    } + [
      XMLRule.Style("blockquote", Form(.text, quote: 1).attributes, isBlock: true),
      XMLRule.Style("pre", Form(.code(nil)).attributes, isBlock: true),
      XMLRule.Style("a", parameter: .init("href", of: link)),
      XMLRule.Style("b", [Style.bold.rawValue: .bool(true)]),
      XMLRule.Style("i", [Style.italic.rawValue: .bool(true)]),
      XMLRule.Style("u", [Style.underline.rawValue: .bool(true)]),
      XMLRule.Style("s", [Style.strike.rawValue: .bool(true)]),
      XMLRule.Style("mark", [Style.highlight.rawValue: .bool(true)]),
      XMLRule.Style("code", [Style.code.rawValue: .bool(true)]),
    ]
}
