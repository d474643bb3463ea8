public import Styling

/// What text looks like on a light and on a dark background.
public struct Looks: Hashable, Sendable {
  /// On a light background.
  public var light: TextAppearance
  /// On a dark background.
  public var dark: TextAppearance

  /// Plain text.
  public init() { (light, dark) = (TextAppearance(), TextAppearance()) }

  /// Text that looks like this.
  ///
  /// - Parameters:
  ///   - light: On a light background.
  ///   - dark: On a dark background.
  public init(light: TextAppearance, dark: TextAppearance) {
    (self.light, self.dark) = (light, dark)
  }

  /// Text that has the same properties on both.
  public init(_ appearance: TextAppearance) { (light, dark) = (appearance, appearance) }

  /// The appearance on a background.
  public subscript(mode: Theme.Mode) -> TextAppearance {
    get { mode == .light ? light : dark }
    set { if mode == .light { light = newValue } else { dark = newValue } }
  }

  /// True if nothing differs from plain text.
  public var isPlain: Bool { self == Looks() }
}

extension TextAppearance {
  /// This appearance, and over it the properties that `other` has.
  func covered(by other: TextAppearance) -> TextAppearance {
    TextAppearance(
      foreground: other.foreground ?? foreground, background: other.background ?? background,
      bold: bold || other.bold, italic: italic || other.italic,
      underline: underline || other.underline,
      strikethrough: strikethrough || other.strikethrough, dim: dim || other.dim,
      size: other.size ?? size)
  }
}
