/// Reads the tokens of an HTML document, as a browser does: what is not a tag is text.
///
/// Only what has no bound in a browser is refused here. O(n).
struct HTMLTokenizer {
  /// A token.
  enum Token: Hashable {
    /// A start tag, in lower case, with the members that are looked at.
    case start(tag: String, members: [String: String])
    /// An end tag, in lower case.
    case end(tag: String)
    /// Text, with the references in it resolved.
    case text([UInt16])
  }

  /// The maximum size of the name of a tag or member, in bytes.
  static let nameSizeMax = 256
  /// The maximum number of members of a tag.
  static let memberCountMax = 256
  /// The members that are kept.
  private static let known: Set<String> = [
    "href", "style", "class", "name", "content", "start", "value", "alt",
  ]
  /// Elements whose content is text without tags.
  private static let rawElements: Set<String> = [
    "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript",
    "template", "svg", "math", "select",
  ]

  private let bytes: [UInt8]
  private var offset = 0
  private var tokenOffset = 0

  /// A tokenizer at the start of a document.
  ///
  /// - Parameter bytes: The document.
  /// - Throws: `InterchangeError` if it is not UTF-8.
  init(_ bytes: [UInt8]) throws(InterchangeError) {
    self.bytes = bytes
    try InterchangeError.checkUTF8(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// An error at the token that was read last.
  func error(_ what: String) -> InterchangeError {
    InterchangeError(what, at: tokenOffset, in: bytes)
  }

  /// The next token; nil at the end.
  mutating func next() throws(InterchangeError) -> Token? {
    while offset < bytes.count {
      tokenOffset = offset
      guard bytes[offset] == UInt8(ascii: "<"), offset + 1 < bytes.count else { return readText() }
      let following = bytes[offset + 1]
      switch following {
      case UInt8(ascii: "!") where starts(with: "<!--"):
        skip(past: "-->", from: offset + 4)
      case UInt8(ascii: "!"), UInt8(ascii: "?"): skip(past: ">", from: offset + 2)
      case UInt8(ascii: "/") where offset + 2 < bytes.count && Self.isLetter(bytes[offset + 2]):
        offset += 2
        let tag = try readName()
        _ = try readMembers()
        return .end(tag: tag)
      case UInt8(ascii: "/"): skip(past: ">", from: offset + 2)
      case _ where Self.isLetter(following):
        offset += 1
        let tag = try readName()
        let members = try readMembers()
        guard Self.rawElements.contains(tag) else { return .start(tag: tag, members: members) }
        skipRaw(tag)
      default: return readText()
      }
    }
    return nil
  }

  private mutating func readText() -> Token {
    let start = offset
    offset += 1
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "<"), offset + 1 < bytes.count,
        [UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/")].contains(bytes[offset + 1])
          || Self.isLetter(bytes[offset + 1])
      {
        break
      }
      offset += 1
    }
    return .text(HTMLReferences.resolve(bytes[start..<offset]))
  }

  /// Skips the content of an element without tags, and its end tag.
  private mutating func skipRaw(_ tag: String) {
    let wanted = Array(tag.utf8)
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "<"), offset + 2 + wanted.count <= bytes.count,
        bytes[offset + 1] == UInt8(ascii: "/"),
        bytes[(offset + 2)..<(offset + 2 + wanted.count)].elementsEqual(
          wanted, by: { $0 | 0x20 == $1 })
      {
        return skip(past: ">", from: offset)
      }
      offset += 1
    }
  }

  private mutating func readName() throws(InterchangeError) -> String {
    let start = offset
    while offset < bytes.count, !Self.isSpace(bytes[offset]), bytes[offset] != UInt8(ascii: ">"),
      bytes[offset] != UInt8(ascii: "/"), bytes[offset] != UInt8(ascii: "=") || offset == start
    {
      offset += 1
      guard offset - start <= Self.nameSizeMax else {
        throw error("a name has more than \(Self.nameSizeMax) bytes")
      }
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self).lowercased()
  }

  /// Reads the rest of a tag. Of members with the same name the first counts.
  private mutating func readMembers() throws(InterchangeError) -> [String: String] {
    var (members, count): ([String: String], Int) = ([:], 0)
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: ">") {
        offset += 1
        return members
      }
      if Self.isSpace(byte) || byte == UInt8(ascii: "/") {
        offset += 1
        continue
      }
      count += 1
      guard count <= Self.memberCountMax else {
        throw error("a tag has more than \(Self.memberCountMax) members")
      }
      let name = try readName()
      skipSpaces()
      var value = ""
      if offset < bytes.count, bytes[offset] == UInt8(ascii: "=") {
        offset += 1
        skipSpaces()
        value = readValue(isKept: Self.known.contains(name))
      }
      if Self.known.contains(name), members[name] == nil { members[name] = value }
    }
    throw error("the file ends inside a tag")
  }

  private mutating func readValue(isKept: Bool) -> String {
    guard offset < bytes.count else { return "" }
    let quote = bytes[offset]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    if isQuoted { offset += 1 }
    let start = offset
    while offset < bytes.count,
      isQuoted
        ? bytes[offset] != quote
        : !Self.isSpace(bytes[offset]) && bytes[offset] != UInt8(ascii: ">")
    {
      offset += 1
    }
    let value = bytes[start..<offset]
    if isQuoted, offset < bytes.count { offset += 1 }
    guard isKept else { return "" }
    return String(decoding: HTMLReferences.resolve(value), as: UTF16.self)
  }

  private mutating func skip(past text: String, from start: Int) {
    let wanted = Array(text.utf8)
    offset = start
    while offset + wanted.count <= bytes.count {
      if bytes[offset] == wanted[0], starts(with: text) {
        offset += wanted.count
        return
      }
      offset += 1
    }
    offset = bytes.count
  }

  private func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  private mutating func skipSpaces() {
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20)
  }
}
