import EditModel
import Styling

/// The styles of some text inside a paragraph.
struct InlineMarkup: Hashable, Sendable {
  /// The styles, one bit each, by their place in `Markup.Style.allCases`.
  private var bits: UInt8 = 0
  /// The address, if the text is a link.
  var link: String?
  /// The title of the link.
  var linkTitle: String?
  /// The address of the picture that the text describes.
  var picture: String?
  /// The title of the picture.
  var pictureTitle: String?
  /// True for tags and comments of HTML in a file of Markdown.
  var isRaw = false
  /// The name of the attachment, if the text is a U+FFFC that stands for one.
  var image: String?

  /// Plain text.
  init() {}

  /// What is known in attributes. The names of the others are noted as lost, except those of a
  /// paragraph.
  ///
  /// - Parameters:
  ///   - attributes: The attributes.
  ///   - isPage: True if a browser opens the file, so that it has no addresses of scripts.
  ///   - losses: Where the rest is noted.
  init(_ attributes: AttributeSet, isPage: Bool, noting losses: inout Losses) {
    func isIn(_ address: String) -> Bool {
      isPage ? Self.isSafe(address) : Self.isOneLine(address)
    }
    for (name, value) in attributes {
      switch (Markup.Style(rawValue: name), value) {
      case (let style?, .bool(true)): self[style] = true
      case (nil, .string(let address)) where name == Markup.link && isIn(address):
        link = address
      case (nil, .string(let title)) where name == Markup.linkTitle && Self.isOneLine(title):
        linkTitle = title
      case (nil, .string(let address)) where name == Markup.picture && isIn(address):
        picture = address
      case (nil, .string(let title)) where name == Markup.pictureTitle && Self.isOneLine(title):
        pictureTitle = title
      case (nil, .bool(true)) where name == Markup.rawHTML: isRaw = true
      // They say nothing about the text.
      case (nil, .map) where name == Markup.spelling: break
      case (nil, .string("crlf")) where name == Markup.lineEnds: break
      case (nil, .bool(true)) where name == ParagraphKind.paragraph.name: break
      default:
        if !Markup.paragraphNames.contains(name) { losses.note(attribute: name) }
      }
    }
    if link == nil { linkTitle = nil }
    if picture == nil { pictureTitle = nil }
  }

  /// True if the text has the style.
  subscript(style: Markup.Style) -> Bool {
    get { bits & style.bit != 0 }
    set { if newValue { bits |= style.bit } else { bits &= ~style.bit } }
  }

  /// True if the text is plain.
  var isPlain: Bool { self == InlineMarkup() }

  /// The attributes.
  var attributes: AttributeSet {
    var attributes: [AttributeSet.Element] = Markup.Style.allCases.filter { self[$0] }
      .map { ($0.rawValue, .bool(true)) }
    for (name, value) in [
      (Markup.link, link), (Markup.linkTitle, linkTitle), (Markup.picture, picture),
      (Markup.pictureTitle, pictureTitle),
    ] {
      if let value { attributes.append((name, .string(value))) }
    }
    if isRaw { attributes.append((Markup.rawHTML, .bool(true))) }
    return AttributeSet(attributes)
  }

  /// The styles of both; the inner link.
  func adding(_ inner: InlineMarkup) -> InlineMarkup {
    var sum = self
    sum.bits |= inner.bits
    if inner.link != nil { (sum.link, sum.linkTitle) = (inner.link, inner.linkTitle) }
    if inner.picture != nil {
      (sum.picture, sum.pictureTitle) = (inner.picture, inner.pictureTitle)
    }
    sum.isRaw = isRaw || inner.isRaw
    return sum
  }

  /// True for text without control characters that is not empty.
  private static func isOneLine(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// True for an address that may be followed: of a web page, of mail, or relative. Others, such as a
  /// script, are not written into files that are opened in a browser.
  static func isSafe(_ address: String) -> Bool {
    guard isOneLine(address), address.utf8.first != 0x20 else { return false }
    guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")),
      !address.utf8[..<colon].contains(where: { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 })
    else { return true }
    return ["http", "https", "mailto", "ftp", "tel"].contains(address[..<colon].lowercased())
  }
}

extension Markup.Style {
  fileprivate var bit: UInt8 {
    switch self {
    case .bold: 1
    case .italic: 2
    case .underline: 4
    case .strike: 8
    case .highlight: 16
    case .code: 32
    }
  }
}
