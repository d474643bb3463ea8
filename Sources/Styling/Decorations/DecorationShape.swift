/// The shape of a drawn rectangle or bar, in forms that have lines and pixels: HTML and SVG.
public struct DecorationShape: Hashable, Sendable {
  /// The radius of the corners in pixels.
  public var radius: Int
  /// The colours of the line around the rectangle; nil for none.
  public var border: Theme.Colours?
  /// The width of the line, or of a bar, in pixels; nil for the usual one: 1 for a line, and 3 for a bar.
  public var width: Int?

  /// The maximum of `radius` in a file of rules.
  public static let radiusMax = 32
  /// The maximum of `width` in a file of rules: less than a cell.
  public static let widthMax = 8

  /// A shape.
  ///
  /// - Parameters:
  ///   - radius: The radius of the corners in pixels.
  ///   - border: The colours of the line around the rectangle.
  ///   - width: The width of the line or bar in pixels.
  public init(radius: Int = 0, border: Theme.Colours? = nil, width: Int? = nil) {
    (self.radius, self.border, self.width) = (radius, border, width)
  }

  /// True for the usual shape.
  package var isPlain: Bool { self == DecorationShape() }
}
