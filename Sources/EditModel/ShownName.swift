extension String {
  /// A name (of a document, a mark, an author, a file) for a line of output. It is unchanged if it
  /// is unambiguous, else written between double quotes with the escapes of C, as git prints paths:
  /// `"a\nb"`, `"\342\200\256x"`.
  ///
  /// So no name can end a line, move the cursor, reverse the order of characters, or look like
  /// another name. O(n).
  package var shown: String {
    needsQuotes ? unicodeScalars.reduce(into: "\"") { $0 += $1.escapedInC } + "\"" : self
  }

  /// The name for which `shown` is `text`; nil if there is none.
  package init?(shown text: some StringProtocol) {
    guard text.utf8.first == UInt8(ascii: "\"") else {
      self.init(text)
      return
    }
    var (bytes, rest) = ([UInt8](), Array(text.utf8).dropFirst())
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        guard rest.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return nil }
        self = name
        return
      case UInt8(ascii: "\\"):
        guard let escaped = Self.takeEscape(&rest) else { return nil }
        bytes.append(escaped)
      default: bytes.append(byte)
      }
    }
    return nil
  }

  /// Decodes the escape after a backslash.
  private static func takeEscape(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
    guard let first = rest.first else { return nil }
    if let known = Unicode.Scalar.cEscapes.first(where: { UInt8(ascii: $0.letter) == first }) {
      rest.removeFirst()
      return UInt8(ascii: known.scalar)
    }
    let digits = rest.prefix(3)
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
    rest.removeFirst(3)
    return UInt8(exactly: digits.reduce(0) { $0 * 8 + Int($1 - 0x30) })
  }

  private var needsQuotes: Bool {
    isEmpty || utf8.first == 0x20 || utf8.last == 0x20
      || unicodeScalars.contains { !$0.showsItself || $0 == "\"" || $0 == "\\" }
  }
}

extension Unicode.Scalar {
  /// True if a terminal shows the character and does nothing else: it is assigned, and not a
  /// control or format character, a line separator or private.
  package var showsItself: Bool {
    if isASCII { return (0x20..<0x7F).contains(value) }
    // Joiners are part of ordinary text in some scripts.
    if self == "\u{200C}" || self == "\u{200D}" { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      return false
    default: return true
    }
  }

  fileprivate static let cEscapes: [(scalar: Unicode.Scalar, letter: Unicode.Scalar)] = [
    ("\u{7}", "a"), ("\u{8}", "b"), ("\t", "t"), ("\n", "n"), ("\u{B}", "v"), ("\u{C}", "f"),
    ("\r", "r"), ("\"", "\""), ("\\", "\\"),
  ]

  /// The scalar in a quoted name: itself, or an escape of C.
  package var escapedInC: String {
    if let escape = Self.cEscapes.first(where: { $0.scalar == self }) {
      return "\\\(escape.letter)"
    }
    guard !showsItself else { return String(self) }
    return UTF8.encode(self).map { bytes in
      bytes.reduce(into: "") { result, byte in
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    } ?? ""
  }
}
