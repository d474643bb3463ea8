import EditModel
import Styling

/// The styles that HTML, Markdown and XML have signs for, as attributes.
///
/// `bold`, `italic`, `underline`, `strikethrough`, `highlight` and `inline-code` are `true`; `link` is a
/// string, the address. All units of a paragraph may have one of `heading`, `list-item` and `ordered-item`, with
/// the level, an integer from 1, or `code-block`, which is `true` or the language. With each of these, or
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
  public static let kinds = ["code-block", "heading", "list-item", "ordered-item"]

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
