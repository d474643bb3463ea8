/// How letters are shown, whatever case they have in the text.
public enum DisplayCase: String, CaseIterable, Hashable, Sendable {
  /// As they are.
  case written
  /// In upper case: `straße` is shown as `STRASSE`.
  case upper
  /// In lower case.
  case lower
}

extension DisplayCase {
  /// How a scalar is shown; nil if it is shown as it is. The mapping is that of the Unicode Character
  /// Database, without a language. Only the lower case of sigma depends on its place in a word.
  ///
  /// - Parameters:
  ///   - scalar: The scalar.
  ///   - endsWord: True if a letter comes before it, and none after.
  func mapped(_ scalar: Unicode.Scalar, endsWord: Bool) -> String? {
    switch self {
    case .written: return nil
    case .upper:
      if scalar.isASCII { return lowerASCII ~= scalar ? String(Self.other(scalar)) : nil }
      let mapped = scalar.properties.uppercaseMapping
      return mapped.isOnly(scalar) ? nil : mapped
    case .lower:
      if scalar.isASCII { return upperASCII ~= scalar ? String(Self.other(scalar)) : nil }
      if scalar == "\u{3A3}" { return endsWord ? "\u{3C2}" : "\u{3C3}" }
      let mapped = scalar.properties.lowercaseMapping
      return mapped.isOnly(scalar) ? nil : mapped
    }
  }

  private var lowerASCII: ClosedRange<Unicode.Scalar> { "a"..."z" }
  private var upperASCII: ClosedRange<Unicode.Scalar> { "A"..."Z" }

  /// An ASCII letter in the other case.
  private static func other(_ letter: Unicode.Scalar) -> Character {
    Character(Unicode.Scalar(UInt8(truncatingIfNeeded: letter.value) ^ 0x20))
  }
}

extension String {
  fileprivate func isOnly(_ scalar: Unicode.Scalar) -> Bool {
    unicodeScalars.elementsEqual(CollectionOfOne(scalar))
  }
}
