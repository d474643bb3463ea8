import Styling

/// The colours of a rendered file.
struct PageColours {
  let mode: Theme.Mode
  let (ground, ink, faint, border, outside): (Colour, Colour, Colour, Colour, Colour)

  static let light = PageColours(
    mode: .light, ground: Colour(red: 255, green: 255, blue: 255),
    ink: Colour(red: 31, green: 35, blue: 40), faint: Colour(red: 89, green: 99, blue: 110),
    border: Colour(red: 209, green: 217, blue: 224),
    outside: Colour(red: 246, green: 248, blue: 250))

  static let dark = PageColours(
    mode: .dark, ground: Colour(red: 13, green: 17, blue: 23),
    ink: Colour(red: 224, green: 230, blue: 237), faint: Colour(red: 145, green: 152, blue: 161),
    border: Colour(red: 48, green: 54, blue: 61), outside: Colour(red: 1, green: 4, blue: 9))

  static let all = [light, dark]

  /// The colours for a background.
  static func on(_ mode: Theme.Mode) -> PageColours { mode == .light ? light : dark }

  /// The colours of a look on this page, readable whatever a document's own colours are. A background
  /// stays as it is, so that a block has one colour, and the characters on it are made readable.
  ///
  /// - Parameters:
  ///   - looks: The look.
  ///   - ground: The backgrounds of the decorations under the text.
  ///   - isBar: True if it is that of a bar, whose colour does not depend on the decorations under it.
  func colours(
    of looks: Looks, on ground: Looks = Looks(), isBar: Bool = false
  ) -> (foreground: Colour?, background: Colour?) {
    let look = looks[mode]
    let foreground = look.foreground ?? (look.dim ? faint : nil)
    if let background = look.background ?? ground[mode].background, !isBar {
      let readable = Contrast.readable(
        foreground ?? ink, on: background, ink: Self.ink(on: background))
      return (foreground == nil && readable == ink ? nil : readable, look.background)
    }
    // A colour that is the same on both backgrounds was chosen for neither.
    guard let own = look.foreground, looks.light.foreground == looks.dark.foreground else {
      return (foreground, look.background)
    }
    return (
      Contrast.readable(own, on: self.ground, ink: Self.ink(on: self.ground)), look.background
    )
  }

  /// Black or white, whichever is better read on a colour.
  private static func ink(on ground: Colour) -> Colour {
    let (black, white) = (
      Colour(red: 0, green: 0, blue: 0), Colour(red: 255, green: 255, blue: 255)
    )
    return Contrast.ratio(black, ground) >= Contrast.ratio(white, ground) ? black : white
  }
}
