import FileWatch
import Testing

/// Texts in other encodings than UTF-8.
@Suite struct TextEncodingTests {
  private func encoding(_ name: String) throws -> TextEncoding {
    try #require(TextEncoding(named: name), "\(name)")
  }

  @Test(arguments: TextEncoding.unmarked)
  func `each encoding is known to the C library`(encoding: TextEncoding) throws {
    let text = Array("a line\nanother\n".utf16)
    let bytes = try #require(encoding.encode(text))
    #expect(encoding.decode(bytes) == text)
    #expect(TextEncoding(named: encoding.name) == encoding)
    #expect(DecodedText(bytes, encoding: encoding) == .text("a line\nanother\n"))
    // A character that none but those of Unicode has, and half a character.
    #expect(
      (encoding.encode(Array("𓀀".utf16)) != nil)
        == ["UTF", "GB1"].contains(encoding.name.prefix(3)))
    #expect(encoding.encode([0xD800]) == nil)
  }

  @Test func `names are known in their usual forms`() {
    for (name, expected) in [
      ("latin1", "ISO-8859-1"), ("Latin-1", "ISO-8859-1"), ("iso8859-15", "ISO-8859-15"),
      ("cp1252", "windows-1252"), ("UTF-16", "UTF-16LE"), ("utf16be", "UTF-16BE"),
      ("sjis", "Shift_JIS"), ("gb18030", "GB18030"), ("koi8r", "KOI8-R"),
    ] { #expect(TextEncoding(named: name)?.name == expected, "\(name)") }
    for name in ["", "none", "latin1//IGNORE", "UTF-7", "é"] {
      #expect(TextEncoding(named: name)?.name == nil, "\(name)")
    }
  }

  @Test func `a byte order mark decides, then UTF-8, then the encoding given`() throws {
    let latin = try encoding("latin1")
    for (bytes, encoding, expected) in [
      ([0x63, 0xE9], nil, DecodedText.notUTF8), ([0x63, 0xE9], latin, .text("cé")),
      ([0x63, 0xC3, 0xA9], latin, .text("cé")), ([0xEF, 0xBB, 0xBF, 0xE9], latin, .text("ï»¿é")),
      ([0xEF, 0xBB, 0xBF, 0x61], nil, .text("\u{FEFF}a")),
      ([0xFF, 0xFE, 0x68, 0, 0x0A, 0], latin, .text("\u{FEFF}h\n")),
      ([0xFE, 0xFF, 0, 0x68], nil, .text("\u{FEFF}h")),
      ([0xFF, 0xFE, 0, 0, 0x68, 0, 0, 0], nil, .text("\u{FEFF}h")),
      // Half a unit, half a pair, one with a unit after it, and half a character.
      ([0xFF, 0xFE, 0x68], nil, .notAsMarked(try self.encoding("utf16"))),
      ([0xFF, 0xFE, 0x68, 0, 0x69], latin, .notAsMarked(try self.encoding("utf16"))),
      ([0xFF, 0xFE, 0, 0xD8], nil, .notAsMarked(try self.encoding("utf16"))),
      ([0xFE, 0xFF, 0xDC, 0, 0, 0x68], nil, .notAsMarked(try self.encoding("utf16be"))),
      ([0xFF, 0xFE, 0, 0, 0x68, 0], nil, .notAsMarked(try self.encoding("utf32"))),
      // A NUL.
      ([0xFF, 0xFE, 0x68, 0, 0, 0], nil, .binary), ([0x63, 0xE9, 0], latin, .binary),
      ([0x68, 0, 0x69, 0], nil, .notUTF8), ([0x68, 0, 0x69, 0, 0x0A], nil, .notUTF8),
      ([0x68, 0, 0x69, 0], try self.encoding("utf16"), .text("hi")),
      ([1, 0, 0, 7, 0, 0, 0, 9], nil, .binary),
      (
        [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], try self.encoding("ISO-2022-JP"),
        .text("日")
      ),
    ] as [([UInt8], TextEncoding?, DecodedText)] {
      #expect(DecodedText(bytes, encoding: encoding) == expected, "\(bytes)")
    }
  }

  /// The C library converts 64 KiB at a time.
  @Test func `a long text is converted whole`() throws {
    let text = Array(String(repeating: "é日本\n", count: 50_000).utf16)
    for name in ["UTF-16BE", "GB18030", "EUC-JP"] {
      let encoding = try encoding(name)
      // EUC-JP has é too.
      let bytes = try #require(encoding.encode(text), "\(name)")
      #expect(encoding.decode(bytes) == text, "\(name)")
    }
  }
}
