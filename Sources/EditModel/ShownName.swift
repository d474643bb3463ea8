extension String {
  /// A name (of a document, a mark, an author, a file) as it stands in a line that people or
  /// programs read: as it is where nothing in it can be taken for anything else, else between
  /// double quotes with the escapes of C, as git prints paths: `"a\nb"`, `"\342\200\256x"`.
  ///
  /// So no name ends a line, moves a cursor, turns the order of characters round, or looks like
  /// another name. O(n).
  package var shown: String {
    needsQuotes ? unicodeScalars.reduce(into: "\"") { $0 += $1.escapedInC } + "\"" : self
  }

  /// The name that `shown` shows as `text`; nil where that is no such text.
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

  /// The byte that the escape behind a backslash stands for.
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
  /// True where a terminal shows the character in its place and does nothing else: it is no
  /// control or format character, no end of a line, and has a meaning.
  package var showsItself: Bool {
    if isASCII { return (0x20..<0x7F).contains(value) }
    // Joiners are part of ordinary writing.
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

  fileprivate var escapedInC: String {
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
