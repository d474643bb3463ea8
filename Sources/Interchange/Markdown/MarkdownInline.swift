import EditModel

/// Reads the content of a paragraph of Markdown, by the algorithm of the CommonMark specification:
/// escapes, entities, `code`, `*` and `_`, `~~`, `==`, links with their address in parentheses or at a reference,
/// addresses in `<>`, hard line breaks, and the elements of HTML that mean a style.
///
/// All searches are bounded, and openers that were searched in vain are not searched again. O(n).
struct MarkdownInline {
  private let bytes: [UInt8]
  private var index = 0
  private var nodes: [Node] = [Node()]
  private var delimiters: [Delimiter] = []
  private var brackets: [Bracket] = []
  /// Ranges of nodes that get a style.
  private var styled: [(nodes: Range<Int>, style: InlineMarkup)] = []
  /// The style of the elements of HTML that are open, with the tag of each.
  private var elements: [(tag: String, outside: InlineMarkup)] = []
  private var style = InlineMarkup()
  /// For each length of a run of backticks, the places of the runs that are not passed yet, the last first.
  private var backticks: [Int: [Int]] = [:]

  private struct Node {
    var text: [UInt8] = []
    var style = InlineMarkup()
    /// False if no text is to be added.
    var isOpen = true
  }

  private struct Delimiter {
    let node: Int
    let mark: UInt8
    let length: Int
    var rest: Int
    let canOpen: Bool
    let canClose: Bool
    var isActive = true
  }

  private struct Bracket {
    let node: Int
    let delimiter: Int
    let isImage: Bool
    /// The place after the bracket.
    let start: Int
    var isActive = true
    /// True if another bracket comes after it, so that the text is no label.
    var hasBracket = false
  }

  /// The maximum size of an address, in bytes.
  private static let addressSizeMax = 4_096
  /// The maximum size of a title, in bytes.
  private static let titleSizeMax = 512
  /// The maximum number of open elements and brackets.
  private static let openMax = 256

  private let references: LinkReferences

  /// The content of a paragraph.
  ///
  /// - Parameters:
  ///   - bytes: The content, with an LF between lines.
  ///   - references: The addresses of references.
  init(_ bytes: [UInt8], _ references: LinkReferences) {
    (self.bytes, self.references) = (bytes, references)
  }

  /// The pieces of the content. O(n).
  mutating func pieces() -> [(units: [UInt16], style: InlineMarkup)] {
    findBackticks()
    while index < bytes.count { readNext() }
    match(from: 0)
    return joined()
  }

  private mutating func findBackticks() {
    var end = bytes.count
    while let last = bytes[..<end].lastIndex(of: 0x60) {
      var start = last
      while start > 0, bytes[start - 1] == 0x60 { start -= 1 }
      backticks[last + 1 - start, default: []].append(start)
      end = start
    }
  }

  private mutating func readNext() {
    let byte = bytes[index]
    switch byte {
    case 0x5C: readEscape()
    case 0x60: readCode()
    case 0x26: readReference()
    case 0x3C: readTag()
    case 0x2A, 0x5F, 0x7E: readDelimiter(byte)
    case 0x3D where index + 1 < bytes.count && bytes[index + 1] == 0x3D: readDelimiter(byte)
    case 0x21 where index + 1 < bytes.count && bytes[index + 1] == 0x5B: openBracket(2)
    case 0x5B: openBracket(1)
    case 0x5D: closeBracket()
    case 0x0A: readLineBreak()
    default:
      add(CollectionOfOne(byte))
      index += 1
    }
  }

  // MARK: Nodes

  private mutating func add(_ text: some Collection<UInt8>) {
    // In place: a copy of the last node would make each addition copy its text.
    let last = nodes.count - 1
    if nodes[last].isOpen, nodes[last].style == style {
      nodes[last].text += text
    } else {
      nodes.append(Node(text: Array(text), style: style))
    }
  }

  /// Adds a node of its own.
  @discardableResult
  private mutating func add(node text: some Collection<UInt8>, _ style: InlineMarkup) -> Int {
    nodes.append(Node(text: Array(text), style: style, isOpen: false))
    return nodes.count - 1
  }

  private func joined() -> [(units: [UInt16], style: InlineMarkup)] {
    // For each style, the changes of its depth, by node.
    var changes = [[(style: InlineMarkup, isStart: Bool)]](repeating: [], count: nodes.count + 1)
    for range in styled {
      changes[range.nodes.lowerBound].append((range.style, true))
      changes[range.nodes.upperBound].append((range.style, false))
    }
    var (depths, links): ([Markup.Style: Int], [InlineMarkup]) = ([:], [])
    var pieces: [(units: [UInt16], style: InlineMarkup)] = []
    for (index, node) in nodes.enumerated() {
      for change in changes[index] {
        for part in Markup.Style.allCases where change.style[part] {
          depths[part, default: 0] += change.isStart ? 1 : -1
        }
        if change.style.link != nil {
          if change.isStart { links.append(change.style) } else { links.removeLast() }
        }
      }
      var outer = InlineMarkup()
      for (part, depth) in depths where depth > 0 { outer[part] = true }
      (outer.link, outer.linkTitle) = (links.last?.link, links.last?.linkTitle)
      guard !node.text.isEmpty else { continue }
      let units = Array(String(decoding: node.text, as: UTF8.self).utf16)
      pieces.append((units, outer.adding(node.style)))
    }
    return pieces
  }

  // MARK: Simple parts

  private mutating func readEscape() {
    guard index + 1 < bytes.count else {
      index += 1
      return add(CollectionOfOne(0x5C))
    }
    let next = bytes[index + 1]
    if next == 0x0A {
      index += 2
      skipSpaces()
      add("\u{2028}".utf8)
    } else if Self.isPunctuation(next) {
      index += 2
      add(CollectionOfOne(next))
    } else {
      index += 1
      add(CollectionOfOne(0x5C))
    }
  }

  private mutating func readCode() {
    let start = index
    while index < bytes.count, bytes[index] == 0x60 { index += 1 }
    let length = index - start
    while let place = backticks[length]?.last, place < index { backticks[length]?.removeLast() }
    guard let end = backticks[length]?.last else {
      return add(bytes[start..<index])
    }
    var content = bytes[index..<end].map { $0 == 0x0A ? 0x20 : $0 }[...]
    if content.count > 1, content.first == 0x20, content.last == 0x20,
      content.contains(where: { $0 != 0x20 })
    {
      content = content.dropFirst().dropLast()
    }
    var own = style
    own[.code] = true
    add(node: content, own)
    index = end + length
  }

  private mutating func readReference() {
    guard let (units, end) = HTMLReferences.reference(bytes[index...], in: .markdown) else {
      index += 1
      return add(CollectionOfOne(0x26))
    }
    add(String(decoding: units, as: UTF16.self).utf8)
    index = end
  }

  private mutating func readLineBreak() {
    index += 1
    var spaces = 0
    if nodes[nodes.count - 1].isOpen {
      while nodes[nodes.count - 1].text.last == 0x20 {
        nodes[nodes.count - 1].text.removeLast()
        spaces += 1
      }
    }
    skipSpaces()
    add(spaces >= 2 ? Array("\u{2028}".utf8) : [0x20])
  }

  private mutating func skipSpaces() {
    while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
  }

  // MARK: Tags

  private static let tags: [String: Markup.Style] = [
    "b": .bold, "strong": .bold, "i": .italic, "em": .italic, "u": .underline, "ins": .underline,
    "s": .strike, "del": .strike, "mark": .highlight, "code": .code, "kbd": .code,
  ]

  private mutating func readTag() {
    let limit = min(bytes.count, index + Self.addressSizeMax)
    let end = bytes[(index + 1)..<limit].firstIndex {
      $0 == 0x3E || $0 == 0x3C || $0 <= 0x20 && $0 != 0x20
    }
    guard let end, bytes[end] == 0x3E else { return readHTML() }
    let content = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
    let name = content.lowercased()
    if ["br", "br/", "br /"].contains(name) {
      index = end + 1
      add("\u{2028}".utf8)
    } else if let part = Self.tags[name], elements.count < Self.openMax {
      index = end + 1
      elements.append((name, style))
      style[part] = true
    } else if name.first == "/", Self.tags[String(name.dropFirst())] != nil,
      let place = elements.lastIndex(where: { $0.tag == name.dropFirst() })
    {
      index = end + 1
      style = elements[place].outside
      elements.removeSubrange(place...)
    } else if let address = Self.address(content) {
      index = end + 1
      var own = style
      own.link = address
      add(node: content.utf8, own)
    } else {
      readHTML()
    }
  }

  /// Reads a tag that means no style, or a comment: it stays as it is written.
  private mutating func readHTML() {
    guard let end = MarkdownHTML.end(bytes[index...]) else {
      index += 1
      return add(CollectionOfOne(0x3C))
    }
    var own = style
    own.isRaw = true
    // One line, as all text of a paragraph.
    add(node: bytes[index..<end].map { $0 == 0x0A ? 0x20 : $0 }, own)
    index = end
  }

  /// The style of an element of HTML; nil if it means none.
  static func style(ofTag name: String) -> Markup.Style? { tags[name] }

  /// The address in `<>`: of a web page, or of mail.
  private static func address(_ text: String) -> String? {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x3C && $0 != 0x7F }) else { return nil }
    if let colon = text.firstIndex(of: ":") {
      let scheme = text[..<colon].utf8
      let isScheme =
        (2...32).contains(scheme.count)
        && (scheme.first.map { (0x61...0x7A).contains($0 | 0x20) } ?? false)
        && scheme.allSatisfy { isAlphanumeric($0) || [0x2B, 0x2D, 0x2E].contains($0) }
      return isScheme ? text : nil
    }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].contains("."), !parts[1].hasPrefix(".")
    else { return nil }
    return "mailto:" + text
  }

  // MARK: Links

  private mutating func openBracket(_ length: Int) {
    let node = add(node: bytes[index..<index + length], style)
    index += length
    if brackets.count >= Self.openMax { brackets.removeFirst() }
    if let last = brackets.indices.last { brackets[last].hasBracket = true }
    brackets.append(
      Bracket(node: node, delimiter: delimiters.count, isImage: length == 2, start: index))
  }

  private mutating func closeBracket() {
    guard let bracket = brackets.popLast() else {
      index += 1
      return add(CollectionOfOne(0x5D))
    }
    guard bracket.isActive,
      let (target, end) = target(from: index + 1) ?? referenceTarget(of: bracket)
    else {
      index += 1
      return add(CollectionOfOne(0x5D))
    }
    match(from: bracket.delimiter)
    delimiters.removeLast(delimiters.count - bracket.delimiter)
    nodes[bracket.node].text = []
    index = end
    if bracket.isImage {
      addPicture(from: bracket.node, target)
    } else {
      // Links do not nest.
      for place in brackets.indices where !brackets[place].isImage {
        brackets[place].isActive = false
      }
      var link = InlineMarkup()
      (link.link, link.linkTitle) = (target.address, target.title)
      if !target.address.isEmpty { styled.append((bracket.node..<nodes.count, link)) }
    }
    // What follows is not part of the link.
    add(node: [], style)
  }

  /// Makes the nodes from one on the description of a picture. It has no styles of its own.
  private mutating func addPicture(from node: Int, _ target: LinkTarget) {
    while let last = styled.last, last.nodes.lowerBound >= node { styled.removeLast() }
    var text: [UInt8] = []
    for place in node..<nodes.count {
      text += nodes[place].text
      nodes[place].text = []
    }
    var own = style
    (own.picture, own.pictureTitle) = (target.address, target.title)
    if text.isEmpty { text = Array("\u{FFFC}".utf8) }
    add(node: text, own)
  }

  /// The target of a reference that ends here, and where its brackets end. Nil if it has none.
  private func referenceTarget(of bracket: Bracket) -> (target: LinkTarget, end: Int)? {
    guard !references.isEmpty else { return nil }
    var (label, end) = (bytes[bracket.start..<index], index + 1)
    if let (own, ownEnd) = LinkReferences.label(at: index + 1, in: bytes) {
      end = ownEnd
      if !own.isEmpty { return references[own].map { ($0, end) } }
    }
    guard !bracket.hasBracket else { return nil }
    label = label.prefix(LinkReferences.labelSizeMax + 1)
    return references[label].map { ($0, end) }
  }

  /// The target in parentheses at a place, and where it ends. Nil if there is none.
  private func target(from start: Int) -> (target: LinkTarget, end: Int)? {
    guard start < bytes.count, bytes[start] == 0x28 else { return nil }
    let limit = min(bytes.count, start + Self.addressSizeMax)
    let first = Self.skipped(from: start + 1, limit, bytes)
    guard let (address, end) = Self.address(at: first, in: bytes, limit) else { return nil }
    var (place, title) = (Self.skipped(from: end, limit, bytes), String?.none)
    if place < limit, Self.titleEnds[bytes[place]] != nil {
      guard let end = Self.titleEnd(at: place, in: bytes) else { return nil }
      title = Self.title(bytes[place..<end])
      place = Self.skipped(from: end, limit, bytes)
    }
    guard place < limit, bytes[place] == 0x29 else { return nil }
    let target = LinkTarget(address: String(decoding: address, as: UTF8.self), title: title)
    return (target, place + 1)
  }

  /// The address at a place, and where it ends: in `<>`, or up to white space, or up to a parenthesis that
  /// was not opened. Nil if it is wrong.
  static func address(
    at start: Int, in bytes: [UInt8], _ limit: Int? = nil
  ) -> (address: [UInt8], end: Int)? {
    let limit = limit ?? min(bytes.count, start + addressSizeMax)
    var (place, address): (Int, [UInt8]) = (start, [])
    if place < limit, bytes[place] == 0x3C {
      place += 1
      while place < limit, bytes[place] != 0x3E {
        guard bytes[place] != 0x0A, bytes[place] != 0x3C else { return nil }
        place = take(place, limit, bytes, &address)
      }
      return place < limit ? (address, place + 1) : nil
    }
    var depth = 0
    while place < limit, bytes[place] > 0x20 {
      if bytes[place] == 0x28 { depth += 1 }
      // As in other readers: it also bounds the search.
      guard depth <= 32 else { return nil }
      if bytes[place] == 0x29 {
        if depth == 0 { break }
        depth -= 1
      }
      place = take(place, limit, bytes, &address)
    }
    return (address, place)
  }

  /// The place after the title at a place; nil if there is none.
  static func titleEnd(at start: Int, in bytes: [UInt8]) -> Int? {
    guard start < bytes.count, let close = titleEnds[bytes[start]] else { return nil }
    let limit = min(bytes.count, start + 1 + titleSizeMax)
    var place = start + 1
    while place < limit, bytes[place] != close { place += bytes[place] == 0x5C ? 2 : 1 }
    return place < limit ? place + 1 : nil
  }

  /// A title without its quotes, with its escapes and references resolved.
  static func title(_ bytes: ArraySlice<UInt8>) -> String {
    let content = Array(bytes.dropFirst().dropLast())
    var (title, place): ([UInt8], Int) = ([], 0)
    while place < content.count { place = take(place, content.count, content, &title) }
    return String(decoding: title, as: UTF8.self)
  }

  private static let titleEnds: [UInt8: UInt8] = [0x22: 0x22, 0x27: 0x27, 0x28: 0x29]

  /// Adds a character of an address. Returns the place after it.
  private static func take(
    _ place: Int, _ limit: Int, _ bytes: [UInt8], _ address: inout [UInt8]
  ) -> Int {
    if bytes[place] == 0x5C, place + 1 < limit, isPunctuation(bytes[place + 1]) {
      address.append(bytes[place + 1])
      return place + 2
    }
    if bytes[place] == 0x26,
      let (units, end) = HTMLReferences.reference(bytes[place..<limit], in: .markdown)
    {
      address += String(decoding: units, as: UTF16.self).utf8
      return end
    }
    address.append(bytes[place])
    return place + 1
  }

  /// The first place from `start` on that has no white space.
  static func skipped(from start: Int, _ limit: Int, _ bytes: [UInt8]) -> Int {
    var place = start
    while place < limit, bytes[place] == 0x20 || bytes[place] == 0x09 || bytes[place] == 0x0A {
      place += 1
    }
    return place
  }

  // MARK: Emphasis

  private mutating func readDelimiter(_ mark: UInt8) {
    let start = index
    while index < bytes.count, bytes[index] == mark { index += 1 }
    let (before, after) = (kind(before: start), kind(at: index))
    let isLeft = after != .space && (after != .punctuation || before != .other)
    let isRight = before != .space && (before != .punctuation || after != .other)
    let isWordOnly = mark == 0x5F
    let length = index - start
    let node = add(node: bytes[start..<index], style)
    guard Self.lengths(mark).contains(length) else { return }
    delimiters.append(
      Delimiter(
        node: node, mark: mark, length: length, rest: length,
        canOpen: isLeft && (!isWordOnly || !isRight || before == .punctuation),
        canClose: isRight && (!isWordOnly || !isLeft || after == .punctuation)))
  }

  /// How many characters of a mark form a delimiter run.
  private static func lengths(_ mark: UInt8) -> ClosedRange<Int> {
    switch mark {
    case 0x7E: 1...2
    case 0x3D: 2...2
    default: 1...Int.max
    }
  }

  /// True if an opener and a closer of this mark must have the same length: `~` and `=`.
  private static func isWhole(_ mark: UInt8) -> Bool { mark == 0x7E || mark == 0x3D }

  private enum Kind { case space, punctuation, other }

  private func kind(at place: Int) -> Kind {
    guard place < bytes.count else { return .space }
    return Self.kind(
      String(decoding: bytes[place..<min(bytes.count, place + 4)], as: UTF8.self)
        .unicodeScalars.first)
  }

  private func kind(before place: Int) -> Kind {
    var start = place - 1
    guard start >= 0 else { return .space }
    while start > 0, bytes[start] & 0xC0 == 0x80, place - start < 4 { start -= 1 }
    return Self.kind(String(decoding: bytes[start..<place], as: UTF8.self).unicodeScalars.first)
  }

  private static func kind(_ scalar: Unicode.Scalar?) -> Kind {
    guard let scalar else { return .space }
    if scalar.properties.isWhitespace { return .space }
    if scalar.isASCII { return isPunctuation(UInt8(scalar.value)) ? .punctuation : .other }
    switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol:
      return .punctuation
    default: return .other
    }
  }

  /// Matches delimiters from one on. Those that stay are text.
  private mutating func match(from bottom: Int) {
    // For each kind of closer, the first delimiter that may still be its opener.
    var floors: [Int: Int] = [:]
    // The active delimiters before the closer; each is passed once more for each that it matches.
    var openers: [Int] = []
    for closer in bottom..<max(bottom, delimiters.count) {
      while delimiters[closer].canClose, delimiters[closer].rest > 0 {
        let own = delimiters[closer]
        let key = Int(own.mark) * 8 + own.length % 3 * 2 + (own.canOpen ? 1 : 0)
        let floor = floors[key] ?? bottom
        var place = openers.count - 1
        while place >= 0, openers[place] >= floor, !canMatch(delimiters[openers[place]], own) {
          place -= 1
        }
        guard place >= 0, openers[place] >= floor else {
          floors[key] = closer
          break
        }
        openers.removeLast(openers.count - 1 - place)
        join(openers[place], closer)
        if delimiters[openers[place]].rest == 0 { openers.removeLast() }
      }
      if delimiters[closer].canOpen, delimiters[closer].rest > 0 { openers.append(closer) }
    }
  }

  private func canMatch(_ opener: Delimiter, _ closer: Delimiter) -> Bool {
    guard opener.mark == closer.mark else { return false }
    if Self.isWhole(closer.mark) { return opener.length == closer.length }
    guard opener.canClose || closer.canOpen, (opener.length + closer.length) % 3 == 0 else {
      return true
    }
    return opener.length % 3 == 0 && closer.length % 3 == 0
  }

  private mutating func join(_ opener: Int, _ closer: Int) {
    let mark = delimiters[opener].mark
    let isDouble = delimiters[opener].rest >= 2 && delimiters[closer].rest >= 2
    let count = Self.isWhole(mark) ? delimiters[opener].rest : isDouble ? 2 : 1
    let part: Markup.Style =
      switch mark {
      case 0x7E: .strike
      case 0x3D: .highlight
      default: isDouble ? .bold : .italic
      }
    var style = InlineMarkup()
    style[part] = true
    for place in [opener, closer] {
      delimiters[place].rest -= count
      nodes[delimiters[place].node].text.removeLast(count)
    }
    styled.append((delimiters[opener].node + 1..<delimiters[closer].node, style))
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  /// True for an ASCII character that a backslash can precede.
  private static func isPunctuation(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }
}
