/// Reads the tokens of an XML document: the part of XML 1.0 that data needs.
///
/// There is no document type, so there are no entities but the five of XML: nothing expands. Names,
/// values and the number of XML attributes are bounded. O(n).
struct XMLTokenizer {
  /// A token, and the byte where it begins.
  enum Token: Hashable {
    /// A start tag; `isEmpty` if it is closed too.
    case start(tag: String, members: [Member], isEmpty: Bool)
    /// An end tag.
    case end(tag: String)
    /// Text between tags, with line ends as LF.
    case text([UInt16])
  }

  /// An XML attribute.
  struct Member: Hashable {
    let name: String
    let value: String
  }

  /// The maximum number of XML attributes of an element.
  static let memberCountMax = 64
  /// The maximum size of the value of an XML attribute, in bytes.
  static let valueSizeMax = 1 << 24

  private let bytes: [UInt8]
  private var offset = 0
  /// The position of the token that was read last, in bytes.
  private(set) var tokenOffset = 0

  /// A tokenizer at the start of a document.
  ///
  /// - Parameter bytes: The document.
  /// - Throws: `InterchangeError` if it is not UTF-8, or declares another encoding.
  init(_ bytes: [UInt8]) throws(InterchangeError) {
    self.bytes = bytes
    try InterchangeError.checkUTF8(bytes)
    if starts(with: "\u{FEFF}") { offset = 3 }
    if starts(with: "<?xml"), offset + 5 < bytes.count, Self.isSpace(bytes[offset + 5]) {
      try readDeclaration()
    }
  }

  /// An error at the token that was read last.
  func error(_ what: String) -> InterchangeError {
    InterchangeError(what, at: tokenOffset, in: bytes)
  }

  /// The next token; nil at the end.
  mutating func next() throws(InterchangeError) -> Token? {
    tokenOffset = offset
    var text: [UInt16] = []
    while offset < bytes.count {
      guard bytes[offset] == UInt8(ascii: "<") else {
        try readText(into: &text)
        continue
      }
      if starts(with: "<!--") {
        try skip(from: "<!--", to: "-->", "a comment")
      } else if starts(with: "<![CDATA[") {
        try readCharacterData(into: &text)
      } else if starts(with: "<?") {
        try skip(from: "<?", to: "?>", "a processing instruction")
      } else if !text.isEmpty {
        return .text(text)
      } else {
        tokenOffset = offset
        return try readTag()
      }
    }
    return text.isEmpty ? nil : .text(text)
  }

  // MARK: Text

  private mutating func readText(into text: inout [UInt16]) throws(InterchangeError) {
    let start = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "<"),
      bytes[offset] != UInt8(ascii: "&")
    {
      try checkCharacter()
      offset += 1
    }
    Self.append(bytes[start..<offset], to: &text)
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "&") {
      text += try readReference().utf16
    }
  }

  private mutating func readCharacterData(into text: inout [UInt16]) throws(InterchangeError) {
    let opening = offset
    offset += 9
    let start = offset
    while offset < bytes.count, !starts(with: "]]>") {
      try checkCharacter()
      offset += 1
    }
    guard offset < bytes.count else { throw fail("this CDATA section has no end", at: opening) }
    Self.append(bytes[start..<offset], to: &text)
    offset += 3
  }

  /// Adds text. CR LF and CR become LF, as XML says.
  private static func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt16]) {
    guard bytes.contains(0x0D) else {
      text += String(decoding: bytes, as: UTF8.self).utf16
      return
    }
    var isAfterCR = false
    for unit in String(decoding: bytes, as: UTF8.self).utf16 {
      if unit == 0x0A, isAfterCR {
        isAfterCR = false
        continue
      }
      isAfterCR = unit == 0x0D
      text.append(isAfterCR ? 0x0A : unit)
    }
  }

  /// Checks that the character at the offset may be in a document.
  private func checkCharacter() throws(InterchangeError) {
    let byte = bytes[offset]
    if byte < 0x20 ? byte == 0x09 || byte == 0x0A || byte == 0x0D : byte != 0xEF { return }
    guard
      byte == 0xEF && !(bytes[offset + 1] == 0xBF && bytes[offset + 2] >= 0xBE)
    else {
      throw fail(
        "XML has no place for this character; write it as an element for a unit", at: offset)
    }
  }

  /// Reads `&name;`, at which the offset is.
  private mutating func readReference() throws(InterchangeError) -> String {
    let start = offset
    let end = bytes[start...].prefix(16).firstIndex(of: UInt8(ascii: ";"))
    guard let end else {
      throw fail(
        "\"&\" begins a reference, which ends with \";\"; a plain \"&\" is &amp;", at: start)
    }
    let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
    guard let scalar = XMLUnits.scalar(of: name) else {
      throw fail(
        "\"&\(name);\" is not known; there are &amp; &lt; &gt; &quot; &apos; and numbers of characters",
        at: start)
    }
    offset = end + 1
    return String(Character(scalar))
  }

  // MARK: Tags

  private mutating func readTag() throws(InterchangeError) -> Token {
    let start = offset
    offset += 1
    guard offset < bytes.count else { throw fail("the file ends inside a tag", at: start) }
    if bytes[offset] == UInt8(ascii: "!") {
      throw fail("a document type and its entities are not accepted; remove it", at: start)
    }
    if bytes[offset] == UInt8(ascii: "/") {
      offset += 1
      let tag = try readName("the name of an element")
      skipSpaces()
      try expect(UInt8(ascii: ">"), "\">\"")
      return .end(tag: tag)
    }
    let tag = try readName("the name of an element; a plain \"<\" is &lt;")
    var members: [Member] = []
    while true {
      let hasSpace = skipSpaces()
      guard offset < bytes.count else { throw fail("the file ends inside a tag", at: start) }
      if bytes[offset] == UInt8(ascii: ">") {
        offset += 1
        return .start(tag: tag, members: members, isEmpty: false)
      }
      if bytes[offset] == UInt8(ascii: "/") {
        offset += 1
        try expect(UInt8(ascii: ">"), "\">\"")
        return .start(tag: tag, members: members, isEmpty: true)
      }
      guard hasSpace else { throw fail("expected a space, \"/>\" or \">\"", at: offset) }
      let member = try readMember()
      guard !members.contains(where: { $0.name == member.name }) else {
        throw fail("the XML attribute \"\(member.name)\" is given twice", at: start)
      }
      guard members.count < Self.memberCountMax else {
        throw fail("more than \(Self.memberCountMax) XML attributes in a tag", at: start)
      }
      members.append(member)
    }
  }

  private mutating func readMember() throws(InterchangeError) -> Member {
    let name = try readName("the name of an XML attribute")
    skipSpaces()
    try expect(UInt8(ascii: "="), "\"=\"")
    skipSpaces()
    guard offset < bytes.count,
      bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'")
    else { throw fail("expected the value of the XML attribute, in quotes", at: offset) }
    let (start, quote) = (offset, bytes[offset])
    offset += 1
    var (value, piece) = ("", offset)
    func take(_ value: inout String) {
      value += String(
        decoding: bytes[piece..<offset].map { $0 == 0x0A || $0 == 0x09 || $0 == 0x0D ? 0x20 : $0 },
        as: UTF8.self)
    }
    while true {
      guard offset < bytes.count else { throw fail("this value has no end", at: start) }
      guard offset - start <= Self.valueSizeMax else {
        throw fail("the value has more than \(Self.valueSizeMax) bytes", at: start)
      }
      switch bytes[offset] {
      case quote:
        take(&value)
        offset += 1
        return Member(name: name, value: value)
      case UInt8(ascii: "<"): throw fail("\"<\" in a value is written &lt;", at: offset)
      case UInt8(ascii: "&"):
        take(&value)
        value += try readReference()
        piece = offset
      default:
        try checkCharacter()
        offset += 1
      }
    }
  }

  private mutating func readName(_ what: String) throws(InterchangeError) -> String {
    let start = offset
    guard offset < bytes.count, XMLName.isStart(bytes[offset]) else {
      throw fail("expected \(what)", at: offset)
    }
    while offset < bytes.count, XMLName.isPart(bytes[offset]) {
      offset += 1
      guard offset - start <= XMLName.sizeMax else {
        throw fail("a name has more than \(XMLName.sizeMax) bytes", at: start)
      }
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  // MARK: Parts

  private mutating func readDeclaration() throws(InterchangeError) {
    let start = offset
    guard let end = find("?>", from: offset) else { throw fail("this tag has no end", at: start) }
    let text = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
    if text.contains("encoding"), !text.contains("utf-8") {
      throw fail("the encoding must be UTF-8; convert the file first", at: start)
    }
    offset = end + 2
  }

  private mutating func skip(
    from opening: String, to closing: String, _ what: String
  ) throws(InterchangeError) {
    guard let end = find(closing, from: offset + opening.utf8.count) else {
      throw fail("\(what) has no end", at: offset)
    }
    offset = end + closing.utf8.count
  }

  /// The position of `text`, from `start` on.
  private func find(_ text: String, from start: Int) -> Int? {
    let wanted = Array(text.utf8)
    var index = start
    while index + wanted.count <= bytes.count {
      if bytes[index] == wanted[0], bytes[index..<index + wanted.count].elementsEqual(wanted) {
        return index
      }
      index += 1
    }
    return nil
  }

  private func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

  @discardableResult
  private mutating func skipSpaces() -> Bool {
    let start = offset
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
    return offset > start
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func expect(_ byte: UInt8, _ what: String) throws(InterchangeError) {
    guard offset < bytes.count, bytes[offset] == byte else {
      throw fail("expected \(what)", at: offset)
    }
    offset += 1
  }

  private func fail(_ what: String, at offset: Int) -> InterchangeError {
    InterchangeError(what, at: offset, in: bytes)
  }
}
