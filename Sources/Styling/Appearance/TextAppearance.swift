/// How a unit of text looks. The default is plain text in the colours of the medium.
public struct TextAppearance: Hashable, Sendable {
  /// The colour of the characters; nil for that of the medium.
  public var foreground: Colour?
  /// The colour behind the characters; nil if nothing is drawn there.
  public var background: Colour?
  /// Thick strokes.
  public var bold = false
  /// Slanted characters.
  public var italic = false
  /// A line below the characters.
  public var underline = false
  /// A line through the characters.
  public var strikethrough = false
  /// A weaker colour, of the medium's choice.
  public var dim = false
  /// The size of the characters in percent; nil for the usual one. It counts for whole rows, in forms that have
  /// sizes: HTML and SVG.
  public var size: Int?

  /// Plain text.
  public init() {}

  /// Text that looks like this.
  ///
  /// - Parameters:
  ///   - foreground: The colour of the characters.
  ///   - background: The colour behind them.
  ///   - bold: True for thick strokes.
  ///   - italic: True for slanted characters.
  ///   - underline: True for a line below.
  ///   - strikethrough: True for a line through.
  ///   - dim: True for a weaker colour.
  ///   - size: The size of the characters in percent.
  public init(
    foreground: Colour? = nil, background: Colour? = nil, bold: Bool = false,
    italic: Bool = false, underline: Bool = false, strikethrough: Bool = false, dim: Bool = false,
    size: Int? = nil
  ) {
    (self.foreground, self.background) = (foreground, background)
    (self.bold, self.italic, self.underline) = (bold, italic, underline)
    (self.strikethrough, self.dim, self.size) = (strikethrough, dim, size)
  }
}
