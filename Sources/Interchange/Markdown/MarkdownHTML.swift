/// HTML in Markdown, as CommonMark reads it (sections 4.6 and 6.6).
enum MarkdownHTML {
  /// The maximum size of a tag or comment inside a paragraph, in bytes.
  private static let sizeMax = 4_096

  // MARK: Blocks

  /// What ends the HTML that begins with a line: one of these, in the line that has it, or a blank line if there
  /// are none. Nil if no HTML begins.
  static func endings(_ line: ArraySlice<UInt8>, inParagraph: Bool) -> [String]? {
    guard line.first == UInt8(ascii: "<") else { return nil }
    for (start, end) in [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")]
    where line.starts(with: start.utf8) { return [end] }
    if line.dropFirst().first == UInt8(ascii: "!"), line.dropFirst(2).first.map(isLetter) == true {
      return [">"]
    }
    let isEnd = line.dropFirst().first == UInt8(ascii: "/")
    let rest = line.dropFirst(isEnd ? 2 : 1)
    let bytes = rest.prefix { isLetter($0) || (0x30...0x39).contains($0) }
    let name = String(decoding: bytes, as: UTF8.self).lowercased()
    let next = rest[bytes.endIndex...]
    let isComplete = next.isEmpty || [0x20, 0x09, 0x3E].contains(next.first)
    if verbatim.contains(name), !isEnd, isComplete { return verbatim.map { "</\($0)>" } }
    if blocks.contains(name), isComplete || next.starts(with: "/>".utf8) { return [] }
    // A tag alone on its line; those of styles are read as such.
    guard !inParagraph, MarkdownInline.style(ofTag: name) == nil, name != "br",
      let end = end(ofTag: line), line[end...].allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    else { return nil }
    return []
  }

  /// True if a line has one of the endings.
  static func ends(_ line: ArraySlice<UInt8>, _ endings: [String]) -> Bool {
    guard !endings.isEmpty else { return false }
    let text = line.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return endings.contains { ending in
      let wanted = Array(ending.utf8)
      return text.indices.contains { text[$0] == wanted[0] && text[$0...].starts(with: wanted) }
    }
  }

  private static let verbatim = ["pre", "script", "style", "textarea"]
  private static let blocks: Set<String> = [
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center",
    "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5",
    "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu",
    "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
  ]

  // MARK: Inside paragraphs

  /// The end of the tag, comment, declaration, instruction or CDATA at the start of `bytes`; nil if there is
  /// none. O(1), by a bound.
  static func end(_ bytes: ArraySlice<UInt8>) -> Int? {
    let bytes = bytes.prefix(sizeMax)
    for start in ["<!-->", "<!--->"] where bytes.starts(with: start.utf8) {
      return bytes.startIndex + start.utf8.count
    }
    for (start, ending) in [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")]
    where bytes.starts(with: start.utf8) {
      let (wanted, from) = (Array(ending.utf8), bytes.startIndex + start.utf8.count)
      return (from..<max(from, bytes.endIndex)).first { bytes[$0...].starts(with: wanted) }
        .map { $0 + wanted.count }
    }
    if bytes.dropFirst().first == UInt8(ascii: "!") {
      guard bytes.dropFirst(2).first.map(isLetter) == true else { return nil }
      return bytes.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
    }
    return end(ofTag: bytes)
  }

  /// The end of the start or end tag at the start of `bytes`; nil if there is none.
  private static func end(ofTag bytes: ArraySlice<UInt8>) -> Int? {
    let bytes = bytes.prefix(sizeMax)
    var rest = bytes.dropFirst()
    let isEnd = rest.first == UInt8(ascii: "/")
    if isEnd { rest.removeFirst() }
    guard rest.first.map(isLetter) == true else { return nil }
    rest = rest.drop { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    while !isEnd, let next = afterMember(rest) { rest = next }
    rest = rest.drop(while: isSpace)
    if !isEnd, rest.first == UInt8(ascii: "/") { rest.removeFirst() }
    return rest.first == UInt8(ascii: ">") ? rest.startIndex + 1 : nil
  }

  /// What follows the member of a tag at the start of `bytes`; nil if there is none.
  private static func afterMember(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let start = bytes.drop(while: isSpace)
    guard start.startIndex > bytes.startIndex, let first = start.first,
      isLetter(first) || first == UInt8(ascii: "_") || first == UInt8(ascii: ":")
    else { return nil }
    let rest = start.drop {
      isLetter($0) || (0x2D...0x3A).contains($0) && $0 != UInt8(ascii: "/")
        || $0 == UInt8(ascii: "_")
    }
    let sign = rest.drop(while: isSpace)
    guard sign.first == UInt8(ascii: "=") else { return rest }
    let value = sign.dropFirst().drop(while: isSpace)
    guard let quote = value.first else { return nil }
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      return value.dropFirst().firstIndex(of: quote).map { value[($0 + 1)...] }
    }
    let end = value.drop {
      !isSpace($0) && ![0x22, 0x27, 0x3D, 0x3C, 0x3E, 0x60].contains($0)
    }
    return end.startIndex > value.startIndex ? end : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
