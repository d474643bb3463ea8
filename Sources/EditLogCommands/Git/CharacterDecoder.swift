import EditModel
import Glibc

/// Reads text of a named encoding, with iconv(3).
struct CharacterDecoder: Sendable {
  let name: String

  /// The encoding of this name; nil if iconv does not know it.
  init?(named name: String) {
    // `//IGNORE` and the like would lose characters.
    let isName = name.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || "0123456789-_.:+()".utf8.contains(byte)
    }
    guard isName, (1...64).contains(name.utf8.count), let converter = Self.open(name) else {
      return nil
    }
    iconv_close(converter)
    self.name = name
  }

  /// The encoding that a commit names. Nil if it is UTF-8, or not one of those in which messages are written:
  /// a repository that comes from someone else does not choose among all converters of the system.
  init?(ofCommit name: String) {
    let known = [
      "iso-8859-", "iso8859-", "latin", "cp125", "windows-125", "koi8-", "euc-jp", "euc-kr",
      "shift_jis", "sjis", "gb18030", "gbk", "gb2312", "big5",
    ]
    guard known.contains(where: { name.lowercased().hasPrefix($0) }) else { return nil }
    self.init(named: name)
  }

  /// The text; nil if the bytes are not of this encoding, or it is longer than `GitObjectReader.contentSizeMax`.
  func text(_ bytes: [UInt8]) -> String? {
    guard let converter = Self.open(name) else { return nil }
    defer { iconv_close(converter) }
    var (input, text) = (bytes.map { CChar(bitPattern: $0) }, [UInt8]())
    var part = [CChar](repeating: 0, count: 1 << 16)
    let isRead = input.withUnsafeMutableBufferPointer { input in
      part.withUnsafeMutableBufferPointer { part in
        var (start, rest) = (input.baseAddress, input.count)
        var isFlushed = false
        while !isFlushed {
          isFlushed = rest == 0
          var (place, room) = (part.baseAddress, part.count)
          // At the end, what the converter still holds is asked for.
          let result =
            isFlushed
            ? iconv(converter, nil, nil, &place, &room)
            : iconv(converter, &start, &rest, &place, &room)
          if result == -1, errno != E2BIG { return false }
          text += part.prefix(part.count - room).map { UInt8(bitPattern: $0) }
          if text.count > GitObjectReader.contentSizeMax { return false }
        }
        return true
      }
    }
    return isRead ? String(validating: text, as: UTF8.self) : nil
  }

  private static func open(_ name: String) -> iconv_t? {
    let converter = iconv_open("UTF-8", name)
    return converter == UnsafeMutableRawPointer(bitPattern: -1) ? nil : converter
  }
}
