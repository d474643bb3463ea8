/// What a cell looks like, by what it means. The terminal decides how that is shown.
package struct ScrubLook: Hashable, Sendable {
  /// The meanings that have a colour.
  package enum Colour: Hashable, Sendable {
    case plain, added, deleted, warning, accent
    /// One of several writers, counted from 0.
    case writer(Int)
  }

  /// The colour.
  package var colour: Colour
  package var isBold = false
  package var isDim = false
  package var isReversed = false
  package var isUnderlined = false

  /// A look.
  package init(
    _ colour: Colour = .plain, bold: Bool = false, dim: Bool = false, reversed: Bool = false,
    underlined: Bool = false
  ) {
    self.colour = colour
    (isBold, isDim, isReversed, isUnderlined) = (bold, dim, reversed, underlined)
  }

  static let plain = ScrubLook()
  static let dim = ScrubLook(dim: true)
  static let bold = ScrubLook(bold: true)
  static let title = ScrubLook(reversed: true)
}
