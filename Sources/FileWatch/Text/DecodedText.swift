/// The text of a file's bytes, or why there is none.
package enum DecodedText: Hashable, Sendable {
  case text(String)
  /// It has a NUL among its first 8,000 bytes, as no text has.
  case binary
  /// It is not UTF-8, nor of the encoding given, and has no byte order mark.
  case notUTF8
  /// It has the byte order mark of this encoding, and is not of it: a character is cut off, or there is none.
  case notAsMarked(TextEncoding)

  /// The number of bytes in which a NUL means a binary file, as in Git.
  fileprivate static let binaryTestSize = 8_000

  /// Decodes bytes: as their byte order mark says, else as UTF-8, else in `encoding`. Bytes of ASCII are read in
  /// `encoding`, which may use them for other characters. O(n).
  package init(_ bytes: [UInt8], encoding: TextEncoding? = nil) {
    let mark = TextEncoding(markOf: bytes)
    if let mark, mark != .utf8 {
      self = mark.text(bytes) ?? .notAsMarked(mark)
    } else if mark == nil, let encoding, bytes.allSatisfy({ $0 < 0x80 }),
      let text = encoding.text(bytes)
    {
      self = text
    } else if let text = TextEncoding.utf8.text(bytes) ?? encoding?.text(bytes) {
      self = text
    } else {
      self =
        bytes.prefix(Self.binaryTestSize).contains(0) && !bytes.looksLikeUTF16 ? .binary : .notUTF8
    }
  }
}

extension TextEncoding {
  /// The text of these bytes, or that they are binary: they have a character NUL near the beginning. Nil if they
  /// are not of this encoding.
  fileprivate func text(_ bytes: [UInt8]) -> DecodedText? {
    if hasNoNUL, bytes.prefix(DecodedText.binaryTestSize).contains(0) { return nil }
    if self == .utf8 { return String(validating: bytes, as: UTF8.self).map { .text($0) } }
    guard let units = decode(bytes), let text = String(validating: units, as: UTF16.self) else {
      return nil
    }
    return units.prefix(DecodedText.binaryTestSize).contains(0) ? .binary : .text(text)
  }
}

extension [UInt8] {
  /// True if the first bytes are mostly those of ASCII in UTF-16: every second one, and no other, is often NUL.
  fileprivate var looksLikeUTF16: Bool {
    var zeros = [0, 0]
    let bytes = prefix(1 << 10)
    for (index, byte) in bytes.enumerated() where byte == 0 { zeros[index & 1] += 1 }
    let count = zeros[0] + zeros[1]
    return zeros.contains(0) && count > Swift.max(1, bytes.count / 4)
  }
}
