/// Pictures of the characters that must not be sent to a terminal as they are.
enum ShownControl {
  /// The replacement for a unit or a scalar that is no character.
  static let replacement: Unicode.Scalar = "\u{FFFD}"
  /// Stands for a character that changes the direction of text.
  static let direction: Unicode.Scalar = "\u{21C4}"
  /// Carries marks without a base.
  static let dottedCircle: Unicode.Scalar = "\u{25CC}"

  /// The picture of a control character or a bidirectional format character; nil if `scalar` is
  /// neither. All pictures take one cell.
  static func picture(of scalar: UInt32) -> Unicode.Scalar? {
    switch scalar {
    case 0..<0x20: Unicode.Scalar(0x2400 + scalar)
    case 0x7F: "\u{2421}"
    case 0x80...0x9F: scalar == 0x85 ? "\u{2424}" : replacement
    case 0x2028, 0x2029: "\u{2424}"
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: direction
    default: nil
    }
  }

  /// True if a picture tells which character it is.
  static func hasItsOwnPicture(_ scalar: UInt32) -> Bool {
    picture(of: scalar).map { $0 != direction && $0 != replacement } ?? false
  }

  /// True if the scalar is no character: it is shown as U+FFFD.
  static func isNoncharacter(_ scalar: UInt32) -> Bool {
    scalar & 0xFFFE == 0xFFFE || 0xFDD0...0xFDEF ~= scalar
  }
}
