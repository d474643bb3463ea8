/// An open element of HTML whose content is no text of the document.
struct HiddenElement {
  /// Its name.
  let tag: String
  /// The number of open elements with this name.
  var depth = 1
  /// The number of open elements of another language inside which HTML may be.
  var islandCount = 0

  /// True if it is of another language than HTML.
  var isForeign: Bool { tag == "svg" || tag == "math" }

  /// Elements with content of their own, with what that is. No script is run, so a `noscript` has none.
  static func content(of tag: String) -> HTMLTokenizer.Content? {
    switch tag {
    case "script": .script
    case "style", "xmp", "iframe", "noembed", "noframes": .raw(until: tag)
    case "title", "textarea": .text(until: tag)
    case "plaintext": .plain
    default: nil
    }
  }

  /// Elements whose content is hidden.
  static let tags: Set<String> = [
    "script", "style", "title", "textarea", "iframe", "noembed", "noframes", "template",
    "svg", "math", "select",
  ]

  /// Elements of SVG and MathML inside which HTML may be.
  static let islands: Set<String> = [
    "foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext",
  ]

  /// Elements of HTML that end SVG and MathML where they begin.
  static let breakouts: Set<String> = [
    "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em",
    "embed", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu",
    "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub",
    "sup", "table", "tt", "u", "ul", "var",
  ]
}

extension HTMLReader {
  /// Hides an element if its content is not shown. Says how the content is read.
  ///
  /// - Returns: True if the element is hidden.
  mutating func hide(_ tag: String, isClosed: Bool, _ tokens: inout HTMLTokenizer) -> Bool {
    tokens.content = HiddenElement.content(of: tag) ?? .data
    guard HiddenElement.tags.contains(tag) else { return false }
    let element = HiddenElement(tag: tag)
    if !(isClosed && element.isForeign) {
      hidden = element
      tokens.isForeign = element.isForeign
    }
    return true
  }

  /// True if a token belongs to the hidden element.
  mutating func isHidden(_ token: HTMLTokenizer.Token, _ tokens: inout HTMLTokenizer) -> Bool {
    guard var element = hidden else { return false }
    switch token {
    case .start(let tag, _, let isClosed):
      if element.isForeign {
        if element.islandCount == 0, HiddenElement.breakouts.contains(tag) {
          (hidden, tokens.isForeign) = (nil, false)
          return false
        }
        if isClosed { return true }
        if HiddenElement.islands.contains(tag) { element.islandCount += 1 }
      } else if let content = HiddenElement.content(of: tag) {
        tokens.content = content
      }
      if tag == element.tag { element.depth += 1 }
    case .end(let tag):
      if HiddenElement.islands.contains(tag) {
        element.islandCount = max(0, element.islandCount - 1)
      }
      if tag == element.tag { element.depth -= 1 }
    case .text, .comment, .documentType: return true
    }
    hidden = element.depth == 0 ? nil : element
    if hidden == nil { tokens.isForeign = false }
    return true
  }
}
