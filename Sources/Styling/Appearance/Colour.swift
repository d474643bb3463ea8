/// A colour: red, green and blue, one byte each, of sRGB.
public struct Colour: Hashable, Sendable, CustomStringConvertible {
  /// The share of red; 255 is all of it.
  public let red: UInt8
  /// The share of green.
  public let green: UInt8
  /// The share of blue.
  public let blue: UInt8

  /// A colour of these shares.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }

  /// A colour as it is written in a file of rules or in an attribute: `#rrggbb`, `#rgb`, or one of
  /// `names`. Letters may be of either case. Nil if it is none of these.
  public init?(_ text: String) {
    let bytes = Array(text.utf8.prefix(Self.lengthMax + 1))
    guard bytes.first == UInt8(ascii: "#") else {
      guard bytes.count <= Self.lengthMax else { return nil }
      let lowered = String(decoding: bytes.map(Self.lowered), as: UTF8.self)
      guard let named = Self.named.first(where: { $0.name == lowered }) else { return nil }
      self = named.colour
      return
    }
    let digits = bytes.dropFirst().compactMap(Self.digit)
    guard digits.count == bytes.count - 1 else { return nil }
    switch digits.count {
    case 3: self.init(red: digits[0] * 17, green: digits[1] * 17, blue: digits[2] * 17)
    case 6:
      self.init(
        red: digits[0] << 4 | digits[1], green: digits[2] << 4 | digits[3],
        blue: digits[4] << 4 | digits[5])
    default: return nil
    }
  }

  /// `#rrggbb`, in lower case.
  public var description: String {
    "#"
      + [red, green, blue].map { byte in
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
      }.joined()
  }

  /// The names that stand for colours: those of CSS level 1, and orange.
  public static let names: [String] = named.map(\.name)

  /// What a text that is no colour must be, for messages.
  static let rule = "must be #rrggbb, #rgb or one of \(names.joined(separator: ", "))"

  /// The maximum length of a name in bytes.
  private static let lengthMax = 16

  private static let named: [(name: String, colour: Colour)] = [
    ("aqua", Colour(red: 0, green: 255, blue: 255)),
    ("black", Colour(red: 0, green: 0, blue: 0)),
    ("blue", Colour(red: 0, green: 0, blue: 255)),
    ("fuchsia", Colour(red: 255, green: 0, blue: 255)),
    ("gray", Colour(red: 128, green: 128, blue: 128)),
    ("green", Colour(red: 0, green: 128, blue: 0)),
    ("lime", Colour(red: 0, green: 255, blue: 0)),
    ("maroon", Colour(red: 128, green: 0, blue: 0)),
    ("navy", Colour(red: 0, green: 0, blue: 128)),
    ("olive", Colour(red: 128, green: 128, blue: 0)),
    ("orange", Colour(red: 255, green: 165, blue: 0)),
    ("purple", Colour(red: 128, green: 0, blue: 128)),
    ("red", Colour(red: 255, green: 0, blue: 0)),
    ("silver", Colour(red: 192, green: 192, blue: 192)),
    ("teal", Colour(red: 0, green: 128, blue: 128)),
    ("white", Colour(red: 255, green: 255, blue: 255)),
    ("yellow", Colour(red: 255, green: 255, blue: 0)),
  ]

  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch lowered(byte) {
    case let byte where byte &- UInt8(ascii: "0") < 10: byte - UInt8(ascii: "0")
    case let byte where byte &- UInt8(ascii: "a") < 6: byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
