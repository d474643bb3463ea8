import Glibc

/// An encoding of a file's text. The conversion is that of the C library, and strict.
package struct TextEncoding: Hashable, Sendable {
  /// The name, as in the Encoding Standard of the web, or of UTF-32.
  package let name: String

  private init(known name: String) { self.name = name }

  package static let utf8 = TextEncoding(known: "UTF-8")

  /// The encodings that have no byte order mark in most files, the most common first. Each is one that the C library
  /// knows under its name.
  package static let unmarked: [TextEncoding] = [
    "ISO-8859-1", "windows-1252", "ISO-8859-15", "UTF-16LE", "UTF-16BE", "Shift_JIS", "EUC-JP",
    "ISO-2022-JP", "GB18030", "GBK", "Big5", "EUC-KR", "windows-1251", "KOI8-R", "KOI8-U", "IBM866",
    "windows-1250", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6",
    "ISO-8859-7", "ISO-8859-8", "ISO-8859-9", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14",
    "ISO-8859-16", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
    "windows-1258", "windows-874", "macintosh", "UTF-32LE", "UTF-32BE",
  ].map(TextEncoding.init(known:))

  /// Other names of encodings, without what is no letter or digit.
  private static let aliases = [
    "latin1": "ISO-8859-1", "latin2": "ISO-8859-2", "latin9": "ISO-8859-15", "utf16": "UTF-16LE",
    "utf32": "UTF-32LE", "sjis": "Shift_JIS", "cp932": "Shift_JIS", "cp866": "IBM866",
    "macroman": "macintosh", "cp949": "EUC-KR", "cp936": "GBK", "cp874": "windows-874",
  ]

  /// The encoding with a name; nil if it is none of `unmarked`. Case and punctuation do not matter, and `cp1252`
  /// is `windows-1252`.
  package init?(named name: String) {
    func key(_ name: String) -> String {
      String(
        decoding: name.utf8.lazy.filter { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        }, as: UTF8.self
      ).lowercased()
    }
    var wanted = key(name)
    if wanted.hasPrefix("cp125") { wanted = "windows" + wanted.dropFirst(2) }
    let alias = Self.aliases[wanted].map(key)
    guard let found = Self.unmarked.first(where: { key($0.name) == alias ?? wanted }) else {
      return nil
    }
    self = found
  }

  /// The encoding that the byte order mark of a text names; nil if it has none.
  package init?(markOf bytes: some Collection<UInt8>) {
    let marks: [([UInt8], String)] = [
      ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFF, 0xFE, 0, 0], "UTF-32LE"),
      ([0, 0, 0xFE, 0xFF], "UTF-32BE"),
      ([0xFF, 0xFE], "UTF-16LE"), ([0xFE, 0xFF], "UTF-16BE"),
    ]
    guard let mark = marks.first(where: { bytes.starts(with: $0.0) }) else { return nil }
    self.init(known: mark.1)
  }

  /// The encoding that the C library knows under this name; nil if it knows none.
  package init?(inLibrary name: String) {
    // `//IGNORE` and the like would lose characters.
    let isName = name.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || "0123456789-_.:+()".utf8.contains(byte)
    }
    guard isName, (1...64).contains(name.utf8.count),
      Self.convert([], from: name, to: "UTF-16LE") != nil
    else { return nil }
    self.init(known: name)
  }

  /// True if no text in it has the byte NUL.
  var hasNoNUL: Bool { encode([0x61])?.contains(0) != true }

  /// The encodings that these bytes may be in: that of the mark, or UTF-8, if they are that; else any without a mark.
  /// Bytes of ASCII with an escape or a NUL may be in UTF-8 or another one. O(n).
  package static func candidates(for bytes: [UInt8]) -> [TextEncoding] {
    if let marked = TextEncoding(markOf: bytes) { return [marked] }
    guard String(validating: bytes, as: UTF8.self) != nil else { return unmarked }
    let mayBeOther = bytes.contains { $0 == 0 || $0 == 0x1B } && bytes.allSatisfy { $0 < 0x80 }
    return mayBeOther ? [.utf8] + unmarked : [.utf8]
  }

  /// The name that the C library knows.
  private var libraryName: String {
    switch name {
    // As Windows writes them.
    case "Shift_JIS": "CP932"
    case "EUC-KR": "CP949"
    case _ where name.hasPrefix("windows-"): "CP" + name.dropFirst("windows-".count)
    default: name
    }
  }

  /// The text of these bytes in UTF-16, a byte order mark included. Nil if they are not of this encoding, or if the
  /// C library does not know it. O(n).
  package func decode(_ bytes: [UInt8]) -> [UInt16]? {
    if self == .utf8 { return String(validating: bytes, as: UTF8.self).map { Array($0.utf16) } }
    return Self.convert(bytes, from: libraryName, to: "UTF-16LE").map { converted in
      stride(from: 0, to: converted.count - 1, by: 2).map {
        UInt16(converted[$0]) | UInt16(converted[$0 + 1]) << 8
      }
    }
  }

  /// The bytes of a text in this encoding. Nil if it lacks a character, or if the text has a lone surrogate. O(n).
  package func encode(_ units: [UInt16]) -> [UInt8]? {
    if self == .utf8 { return String(validating: units, as: UTF16.self).map { Array($0.utf8) } }
    let bytes = units.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    return Self.convert(bytes, from: "UTF-16LE", to: libraryName)
  }

  /// The converted bytes; nil if some cannot be converted exactly.
  private static func convert(_ bytes: [UInt8], from: String, to: String) -> [UInt8]? {
    guard let converter = iconv_open(to, from), Int(bitPattern: converter) != -1 else { return nil }
    defer { iconv_close(converter) }
    var result: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    var bytes = bytes
    let isExact = bytes.withUnsafeMutableBytes { bytes -> Bool in
      var input = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      var (inputLeft, isEnd) = (bytes.count, false)
      while true {
        // After the last input, what the converter holds back.
        isEnd = isEnd || inputLeft == 0
        let (count, code) = part.withUnsafeMutableBytes { part -> (Int, Int32) in
          var output = part.baseAddress?.assumingMemoryBound(to: CChar.self)
          var outputLeft = part.count
          // The number of characters that were not converted exactly, or -1.
          let inexact: Int =
            isEnd
            ? iconv(converter, nil, nil, &output, &outputLeft)
            : iconv(converter, &input, &inputLeft, &output, &outputLeft)
          return (part.count - outputLeft, inexact == 0 ? 0 : inexact < 0 ? errno : EILSEQ)
        }
        result += part.prefix(count)
        if code == 0, isEnd { return true }
        guard code == 0 || code == E2BIG else { return false }
      }
    }
    return isExact ? result : nil
  }
}
