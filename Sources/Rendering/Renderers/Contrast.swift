import Styling

/// Makes colours readable on a background that they were not chosen for.
enum Contrast {
  /// The contrast that text has at least (WCAG 2.1, success criterion 1.4.3).
  private static let ratioMin = 4.5

  /// `colour`, or the nearest colour towards `ink` that can be read on `ground`.
  ///
  /// - Parameters:
  ///   - colour: A colour of text.
  ///   - ground: The colour behind the text.
  ///   - ink: The usual colour of text on the ground.
  static func readable(_ colour: Colour, on ground: Colour, ink: Colour) -> Colour {
    for step in 0...10 {
      let mixed = mix(colour, ink, step)
      if ratio(mixed, ground) >= ratioMin { return mixed }
    }
    return ink
  }

  /// Of 10 parts, `step` of the second colour and the rest of the first.
  private static func mix(_ first: Colour, _ second: Colour, _ step: Int) -> Colour {
    func part(_ a: UInt8, _ b: UInt8) -> UInt8 {
      UInt8(clamping: (Int(a) * (10 - step) + Int(b) * step) / 10)
    }
    return Colour(
      red: part(first.red, second.red), green: part(first.green, second.green),
      blue: part(first.blue, second.blue))
  }

  /// The contrast ratio of WCAG 2.1: 1 to 21. The power of 2.4 is replaced by the square, whose error is
  /// below that of the rounding to bytes for what is decided here.
  static func ratio(_ first: Colour, _ second: Colour) -> Double {
    let (a, b) = (luminance(first), luminance(second))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  private static func luminance(_ colour: Colour) -> Double {
    func linear(_ byte: UInt8) -> Double {
      let share = Double(byte) / 255
      return share * share
    }
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green)
      + 0.0722 * linear(colour.blue)
  }
}
