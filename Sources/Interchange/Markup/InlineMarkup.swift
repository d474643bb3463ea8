import EditModel

/// The styles of some text inside a paragraph.
struct InlineMarkup: Hashable, Sendable {
  /// The styles, one bit each, by their place in `Markup.Style.allCases`.
  private var bits: UInt8 = 0
  /// The address, if the text is a link.
  var link: String?
  /// The name of the attachment, if the text is a U+FFFC that stands for one.
  var image: String?

  /// Plain text.
  init() {}

  /// What is known in attributes. The names of the others are noted as lost, except those of a
  /// paragraph.
  init(_ attributes: AttributeSet, noting losses: inout Losses) {
    for (name, value) in attributes {
      switch (Markup.Style(rawValue: name), value) {
      case (let style?, .bool(true)): self[style] = true
      case (nil, .string(let address)) where name == Markup.link && Self.isSafe(address):
        link = address
      default:
        if !Markup.paragraphNames.contains(name) { losses.note(attribute: name) }
      }
    }
  }

  /// True if the text has the style.
  subscript(style: Markup.Style) -> Bool {
    get { bits & style.bit != 0 }
    set { if newValue { bits |= style.bit } else { bits &= ~style.bit } }
  }

  /// True if the text is plain.
  var isPlain: Bool { bits == 0 && link == nil && image == nil }

  /// The attributes.
  var attributes: AttributeSet {
    var attributes: [AttributeSet.Element] = Markup.Style.allCases.filter { self[$0] }
      .map { ($0.rawValue, .bool(true)) }
    if let link { attributes.append((Markup.link, .string(link))) }
    return AttributeSet(attributes)
  }

  /// The styles of both; the inner link.
  func adding(_ inner: InlineMarkup) -> InlineMarkup {
    var sum = self
    sum.bits |= inner.bits
    sum.link = inner.link ?? link
    return sum
  }

  /// True for an address that may be followed: of a web page, of mail, or relative. Others, such as a
  /// script, are not written into files that are opened in a browser.
  static func isSafe(_ address: String) -> Bool {
    guard address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !address.isEmpty else {
      return false
    }
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
