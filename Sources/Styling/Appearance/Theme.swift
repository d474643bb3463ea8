public import EditModel

/// What styles look like, on a light and on a dark background.
///
/// A style says only what it changes. Styles are applied from the root to the leaf, and of each property
/// the latest wins: first `text`, then the kind of the paragraph, then the styles of attributes. A style
/// with dots, such as `keyword.control`, is applied after `keyword`.
public struct Theme: Hashable, Sendable {
  /// The background that a text is shown on.
  public enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Dark characters on a light background.
    case light
    /// Light characters on a dark background.
    case dark
  }

  /// The properties that a style changes; nil for those that it leaves.
  public struct Style: Hashable, Sendable {
    /// The colours of characters, and behind them.
    public var foreground, background: Colours?
    /// The shapes of characters, and lines through and below them.
    public var bold, italic, underline, strikethrough, dim: Bool?
    /// The size of the characters in percent.
    public var size: Int?

    /// The sizes that a file of rules can set.
    public static let sizes = 100...300

    /// A style that changes nothing.
    public init() {}
  }

  /// A colour for each background.
  public struct Colours: Hashable, Sendable {
    /// The colours.
    public var light, dark: Colour

    /// A colour for each background.
    public init(light: Colour, dark: Colour) { (self.light, self.dark) = (light, dark) }

    /// The colour on this background.
    public subscript(mode: Mode) -> Colour { mode == .light ? light : dark }
  }

  private var styles: [String: Style] = [:]

  /// A theme without styles.
  public init() {}

  /// A style by its name; nil if the theme has none.
  public subscript(name: String) -> Style? {
    get { styles[name] }
    set { styles[name] = newValue }
  }

  /// Changes what `style` changes of the style of this name; the other properties stay.
  public mutating func override(_ name: String, with style: Style) {
    styles[name] = styles[name].map { $0.overridden(by: style) } ?? style
  }

  /// What text of some attributes looks like in a paragraph.
  ///
  /// After the styles of the attributes come those attributes that say themselves what they look like:
  /// `bold`, `italic`, `underline`, `strikethrough` and `dim`, if they are booleans, and `foreground`
  /// and `background`, if they are colours.
  ///
  /// - Parameters:
  ///   - kind: The kind of the paragraph.
  ///   - attributes: The attributes of the text.
  ///   - mode: The background.
  public func appearance(
    of kind: ParagraphKind, _ attributes: AttributeSet, on mode: Mode
  ) -> TextAppearance {
    var looks = TextAppearance()
    apply("text", mode, to: &looks)
    apply(kind.style, mode, to: &looks)
    for (name, value) in attributes where !ParagraphKind.attributes.contains(name) {
      switch value {
      case .bool(false): continue
      case .string(let style) where name == SyntaxReader.attribute: apply(style, mode, to: &looks)
      default: apply(name, mode, to: &looks)
      }
    }
    for (name, value) in attributes { Self.applyDirectly(name, value, to: &looks) }
    return looks
  }

  /// What a style looks like, without others before it.
  ///
  /// - Parameters:
  ///   - style: Its name.
  ///   - mode: The background.
  public func appearance(of style: String, on mode: Mode) -> TextAppearance {
    var looks = TextAppearance()
    apply(style, mode, to: &looks)
    return looks
  }

  /// Applies a style, after those that it is below of.
  private func apply(_ name: String, _ mode: Mode, to looks: inout TextAppearance) {
    if let style = styles[name], !name.utf8.contains(UInt8(ascii: ".")) {
      return style.apply(mode, to: &looks)
    }
    var depth = 0
    for (index, byte) in zip(name.utf8.indices, name.utf8) where byte == UInt8(ascii: ".") {
      guard depth < Self.depthMax else { return }
      styles[String(name[..<index])]?.apply(mode, to: &looks)
      depth += 1
    }
    styles[name]?.apply(mode, to: &looks)
  }

  private static let depthMax = 8

  private static func applyDirectly(
    _ name: String, _ value: AttributeValue, to looks: inout TextAppearance
  ) {
    switch (name, value) {
    case ("bold", .bool(let isOn)): looks.bold = isOn
    case ("italic", .bool(let isOn)): looks.italic = isOn
    case ("underline", .bool(let isOn)): looks.underline = isOn
    case ("strikethrough", .bool(let isOn)): looks.strikethrough = isOn
    case ("dim", .bool(let isOn)): looks.dim = isOn
    case ("foreground", .string(let text)): looks.foreground = Colour(text) ?? looks.foreground
    case ("background", .string(let text)): looks.background = Colour(text) ?? looks.background
    default: break
    }
  }
}

extension Theme.Style {
  /// This style with the properties that `other` changes.
  func overridden(by other: Self) -> Self {
    var style = self
    style.foreground = other.foreground ?? foreground
    style.background = other.background ?? background
    style.bold = other.bold ?? bold
    style.italic = other.italic ?? italic
    style.underline = other.underline ?? underline
    style.strikethrough = other.strikethrough ?? strikethrough
    style.dim = other.dim ?? dim
    style.size = other.size ?? size
    return style
  }

  func apply(_ mode: Theme.Mode, to looks: inout TextAppearance) {
    if let foreground { looks.foreground = foreground[mode] }
    if let background { looks.background = background[mode] }
    looks.bold = bold ?? looks.bold
    looks.italic = italic ?? looks.italic
    looks.underline = underline ?? looks.underline
    looks.strikethrough = strikethrough ?? looks.strikethrough
    looks.dim = dim ?? looks.dim
    looks.size = size ?? looks.size
  }
}
