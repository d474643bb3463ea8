/// An item of a list, for the renderer that draws its sign.
public struct ListItem: Hashable, Sendable {
  /// What its paragraph is. The name is that of the attribute with which it is decorated.
  public var kind: ParagraphKind
  /// Its number; nil if it is in no numbered list.
  public var number: Int?

  /// An item.
  public init(_ kind: ParagraphKind, number: Int? = nil) {
    (self.kind, self.number) = (kind, number)
  }
}

/// What is drawn before an item: a text in which `{number}`, `{letter}` and `{roman}` stand for the
/// item's number.
public struct ListSign: Hashable, Sendable {
  /// The maximum size of the text, in bytes.
  public static let sizeMax = 64

  /// The text.
  public var text: String

  /// A sign.
  public init(_ text: String) { self.text = text }

  /// The sign of an item: without a number, what stands for it is left out. O(the text).
  public func shown(_ item: ListItem) -> String {
    var shown = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      shown += rest[..<open]
      rest = rest[open...]
      let name = Self.numerals.first { rest.hasPrefix("{\($0.name)}") }
      if let name {
        if let number = item.number { shown += name.numeral(number) }
        rest = rest.dropFirst(name.name.count + 2)
      } else {
        shown += rest.prefix(1)
        rest = rest.dropFirst()
      }
    }
    return shown + rest
  }

  /// The first name in braces for which nothing stands, with its braces; nil if there is none. Braces around
  /// anything else are text. O(the text).
  static func unknownName(in text: String) -> String? {
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      rest = rest[rest.index(after: open)...]
      let name = rest.prefix { $0.isASCII && $0.isLetter }
      if !name.isEmpty, rest[name.endIndex...].hasPrefix("}"),
        !numerals.contains(where: { $0.name == name })
      {
        return "{\(name)}"
      }
    }
    return nil
  }

  private struct Numeral: Sendable {
    let name: String
    let numeral: @Sendable (Int) -> String
  }

  private static let numerals = [
    Numeral(name: "number") { String($0) }, Numeral(name: "letter", numeral: letters),
    Numeral(name: "roman", numeral: roman),
  ]

  /// `a` to `z`, then `aa`; 0 as a digit.
  private static func letters(_ number: Int) -> String {
    guard number > 0 else { return String(number) }
    var (text, rest) = ("", number)
    while rest > 0 {
      rest -= 1
      text.unicodeScalars.append(Unicode.Scalar(UInt8(0x61 + rest % 26)))
      rest /= 26
    }
    return String(text.reversed())
  }

  /// Roman numerals from 1 to 3,999, other numbers in digits.
  private static func roman(_ number: Int) -> String {
    guard 1..<4_000 ~= number else { return String(number) }
    let signs = [
      (1_000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
      (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ]
    var (text, rest) = ("", number)
    for (value, sign) in signs {
      text += String(repeating: sign, count: rest / value)
      rest %= value
    }
    return text
  }
}
