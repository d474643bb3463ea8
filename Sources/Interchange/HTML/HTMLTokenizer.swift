/// Reads the tokens of an HTML document by the states of the HTML standard's tokenizer (section 13.2.5): what is
/// not a tag, a comment or a document type is text.
///
/// Only what has no bound in a browser is refused here. O(n).
struct HTMLTokenizer {
  /// A token.
  enum Token: Hashable {
    /// A start tag, in lower case, with its members. `isClosed` is true if it ends with `/>`.
    case start(tag: String, members: [String: String], isClosed: Bool)
    /// An end tag, in lower case.
    case end(tag: String)
    /// Text, with the references in it resolved.
    case text([UInt16])
    /// A comment, and what reads as one.
    case comment([UInt8])
    /// A document type; what it says is not kept.
    case documentType
  }

  /// What the bytes at the offset are.
  enum Content: Hashable {
    case data
    /// Text with references, up to the end tag of the element.
    case text(until: String)
    /// Text without references, up to the end tag of the element.
    case raw(until: String)
    /// A script: as `raw`, but the end tag of a script inside a comment may be part of it.
    case script
    /// The rest is text.
    case plain
    /// Text up to `]]>`.
    case section
  }

  /// The maximum size of the name of a tag or member, in bytes.
  static let nameSizeMax = 256
  /// The maximum number of members of a tag.
  static let memberCountMax = 256

  /// What follows. A reader sets it after the start tag of an element whose content is not read as tags.
  var content = Content.data
  /// True while the text is inside of an element of another language, where `<![CDATA[` begins text.
  var isForeign = false
  /// True if the file ended inside a tag, which a browser leaves out.
  private(set) var endsInTag = false

  private let bytes: [UInt8]
  private var offset = 0
  private var tokenOffset = 0

  /// A tokenizer at the start of a document.
  ///
  /// - Parameter bytes: The document.
  /// - Throws: `InterchangeError` if it is not UTF-8.
  init(_ bytes: [UInt8]) throws(InterchangeError) {
    try InterchangeError.checkUTF8(bytes)
    // The standard has it before all else.
    self.bytes = LineEnds.withLineFeeds(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// An error at the token that was read last.
  func error(_ what: String) -> InterchangeError {
    InterchangeError(what, at: tokenOffset, in: bytes)
  }

  /// The next token; nil at the end.
  mutating func next() throws(InterchangeError) -> Token? {
    guard offset < bytes.count else { return nil }
    tokenOffset = offset
    switch content {
    case .data: return try nextOfData()
    case .plain: return text(upTo: bytes.count)
    case .section:
      let end = place(of: "]]>", from: offset)
      content = .data
      let text = String(decoding: bytes[offset..<(end ?? bytes.count)], as: UTF8.self)
      offset = end.map { $0 + 3 } ?? bytes.count
      return text.isEmpty ? try next() : .text(Array(text.utf16))
    case .text(let tag), .raw(let tag): return try nextOfRaw(rawEnd(of: tag, from: offset), tag)
    case .script: return try nextOfRaw(scriptEnd(), "script")
    }
  }

  // MARK: Text

  private mutating func nextOfData() throws(InterchangeError) -> Token? {
    let start = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    guard start == offset else {
      defer { offset = start }
      return .text(HTMLReferences.resolve(bytes[offset..<start], in: .text))
    }
    guard offset + 1 < bytes.count else { return text(upTo: bytes.count) }
    switch bytes[offset + 1] {
    case UInt8(ascii: "!"): return try markup()
    case UInt8(ascii: "?"): return bogusComment(from: offset + 1)
    case UInt8(ascii: "/"):
      guard offset + 2 < bytes.count else { return text(upTo: bytes.count) }
      if Self.isLetter(bytes[offset + 2]) { return try tag(isEnd: true) }
      guard bytes[offset + 2] == UInt8(ascii: ">") else { return bogusComment(from: offset + 2) }
      offset += 3
      return try next()
    case let byte where Self.isLetter(byte): return try tag(isEnd: false)
    default:
      offset += 1
      return .text([0x3C])
    }
  }

  /// Text without references, in which U+0000 is replaced.
  private mutating func text(upTo end: Int) -> Token {
    defer { offset = end }
    return .text(
      Self.replacingNull(Array(String(decoding: bytes[offset..<end], as: UTF8.self).utf16)))
  }

  private static func replacingNull(_ units: [UInt16]) -> [UInt16] {
    units.contains(0) ? units.map { $0 == 0 ? 0xFFFD : $0 } : units
  }

  // MARK: Content without tags

  /// The text before the end tag at a place, then that tag.
  private mutating func nextOfRaw(_ end: Int, _ tag: String) throws(InterchangeError) -> Token? {
    if end == offset {
      content = .data
      return try self.tag(isEnd: true)
    }
    guard case .text = content else { return text(upTo: end) }
    defer { offset = end }
    return .text(
      Self.replacingNull(HTMLReferences.resolve(bytes[offset..<end], in: .text)))
  }

  /// The place of the next end tag of an element; the end of the file if there is none.
  private func rawEnd(of tag: String, from start: Int) -> Int {
    let wanted = Array("</\(tag)".utf8)
    var place = start
    while let next = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      if isTag(wanted, at: next) { return next }
      place = next + 1
    }
    return bytes.count
  }

  /// True if a tag begins at a place: its name is not longer.
  private func isTag(_ wanted: [UInt8], at place: Int) -> Bool {
    let end = place + wanted.count
    guard end < bytes.count,
      Self.isSpace(bytes[end]) || bytes[end] == UInt8(ascii: "/") || bytes[end] == UInt8(ascii: ">")
    else { return false }
    return zip(bytes[place..<end], wanted).allSatisfy { Self.lowercase($0) == $1 }
  }

  /// The place of the end tag of a script; the end of the file if there is none. Inside `<!--` and `-->`, the
  /// end tag of a script that begins there is part of the text.
  private func scriptEnd() -> Int {
    let (start, end) = (Array("<script".utf8), Array("</script".utf8))
    var (place, isEscaped, isDouble) = (offset, false, false)
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "-"), isEscaped, starts(with: "-->", at: place) {
        (isEscaped, isDouble) = (false, false)
      } else if bytes[place] == UInt8(ascii: "<") {
        if !isEscaped, starts(with: "<!--", at: place) {
          isEscaped = true
          // Its dashes may be those of the end.
          place += 1
        } else if isTag(end, at: place) {
          if !isDouble { return place }
          isDouble = false
        } else if isEscaped, !isDouble, isTag(start, at: place) {
          isDouble = true
        }
      }
      place += 1
    }
    return bytes.count
  }

  // MARK: Comments and document types

  private mutating func markup() throws(InterchangeError) -> Token? {
    if starts(with: "<!--", at: offset) { return comment() }
    if isForeign, starts(with: "<![CDATA[", at: offset) {
      offset += 9
      content = .section
      return try next()
    }
    let keyword = bytes[(offset + 2)...].prefix(7).map(Self.lowercase)
    guard keyword == Array("doctype".utf8) else { return bogusComment(from: offset + 2) }
    // Each `>` ends it, in quotes too.
    offset = bytes[offset...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
    return .documentType
  }

  private mutating func comment() -> Token {
    let start = offset + 4
    for end in [">", "->"] where starts(with: end, at: start) {
      offset = start + end.utf8.count
      return .comment([])
    }
    var place = start
    while let next = bytes[place...].firstIndex(of: UInt8(ascii: "-")) {
      for end in ["-->", "--!>"] where starts(with: end, at: next) {
        offset = next + end.utf8.count
        return .comment(Self.replacingNull(bytes[start..<next]))
      }
      place = next + 1
    }
    offset = bytes.count
    // What may be the beginning of its end is no part of it.
    let content = bytes[start...]
    let end = ["--!", "--", "-"].first { content.reversed().starts(with: $0.utf8.reversed()) }
    return .comment(Self.replacingNull(content.dropLast(end?.utf8.count ?? 0)))
  }

  private mutating func bogusComment(from start: Int) -> Token {
    let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    offset = min(end + 1, bytes.count)
    return .comment(Self.replacingNull(bytes[start..<end]))
  }

  private static func replacingNull(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.contains(0) ? bytes.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] } : Array(bytes)
  }

  // MARK: Tags

  /// Reads the tag at the offset; the next token if the file ends inside of it.
  private mutating func tag(isEnd: Bool) throws(InterchangeError) -> Token? {
    offset += isEnd ? 2 : 1
    let name = try readName(endsAtEquals: false)
    guard let (members, isClosed) = try readMembers() else {
      endsInTag = true
      return nil
    }
    return isEnd ? .end(tag: name) : .start(tag: name, members: members, isClosed: isClosed)
  }

  private mutating func readName(endsAtEquals: Bool) throws(InterchangeError) -> String {
    var name: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      if Self.isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { break }
      if endsAtEquals, byte == UInt8(ascii: "=") { break }
      name += byte == 0 ? [0xEF, 0xBF, 0xBD] : [Self.lowercase(byte)]
      offset += 1
      guard name.count <= Self.nameSizeMax else {
        throw error("a name has more than \(Self.nameSizeMax) bytes")
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Reads the rest of a tag; nil if the file ends before it. Of members with the same name the first counts.
  private mutating func readMembers() throws(InterchangeError) -> ([String: String], Bool)? {
    var (members, count, isClosing): ([String: String], Int, Bool) = ([:], 0, false)
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: ">") {
        offset += 1
        return (members, isClosing)
      }
      isClosing = byte == UInt8(ascii: "/")
      if Self.isSpace(byte) || isClosing {
        offset += 1
        continue
      }
      count += 1
      guard count <= Self.memberCountMax else {
        throw error("a tag has more than \(Self.memberCountMax) members")
      }
      let (name, value) = try readMember()
      if members[name] == nil { members[name] = value }
    }
    return nil
  }

  private mutating func readMember() throws(InterchangeError) -> (name: String, value: String) {
    // An `=` at its beginning is part of the name.
    let isEquals = bytes[offset] == UInt8(ascii: "=")
    if isEquals { offset += 1 }
    let name = try (isEquals ? "=" : "") + readName(endsAtEquals: true)
    skipSpaces()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "=") else { return (name, "") }
    offset += 1
    skipSpaces()
    return (name, readValue())
  }

  private mutating func readValue() -> String {
    guard offset < bytes.count, bytes[offset] != UInt8(ascii: ">") else { return "" }
    let quote = bytes[offset]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    if isQuoted { offset += 1 }
    let end =
      bytes[offset...].firstIndex {
        isQuoted ? $0 == quote : Self.isSpace($0) || $0 == UInt8(ascii: ">")
      } ?? bytes.count
    defer { offset = isQuoted ? min(end + 1, bytes.count) : end }
    let units = HTMLReferences.resolve(bytes[offset..<end], in: .value)
    return String(decoding: Self.replacingNull(units), as: UTF16.self)
  }

  // MARK: Bytes

  private func starts(with text: String, at place: Int) -> Bool {
    bytes[place...].starts(with: text.utf8)
  }

  private func place(of text: String, from start: Int) -> Int? {
    (start..<bytes.count).first { starts(with: text, at: $0) }
  }

  private mutating func skipSpaces() {
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20)
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }
}
