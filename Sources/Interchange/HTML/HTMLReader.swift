import EditModel
import Styling

/// Reads a styled text from HTML: paragraphs, and the styles that `Markup` names. All else, such as
/// scripts and colours, is left out; its text stays. The text of an image is its `alt`.
///
/// White space is what a browser shows: runs of it are one space, except in `pre`, under
/// `white-space: pre`, and in documents that EditLog wrote. `<br>` is U+2028. O(n).
public struct HTMLReader {
  /// The maximum number of elements inside one another.
  public static let depthMax = 256

  /// What holds for the text inside an element.
  private struct Context {
    var style = InlineMarkup()
    var isPreserved = false
    var heading = 0
    var quoteDepth = 0
    /// For each list around the text, true if it is numbered.
    var lists: [Bool] = []
    /// The item around the text in the innermost list, counted from 1 through the document; 0 if there is
    /// none.
    var item = 0
    /// The number that the item itself gives.
    var itemValue: Int?
    var isCode = false
    var language: String?
    /// What lines of Markdown the code is; nil if it is code.
    var rawKind: Markup.RawKind?
  }

  private var assembler = ParagraphAssembler()
  private var context = Context()
  /// The open elements, each with the context outside of it.
  private var open: [(tag: String, outside: Context)] = []
  /// The pieces of the paragraph that is being read, with its kind.
  private var pieces: [(units: [UInt16], style: InlineMarkup)] = []
  private var form = Markup.Form(.text)
  /// The element that began the paragraph, which then stays even if it is empty; nil if none did.
  private var opener: String?
  /// White space that becomes a space if text follows.
  private var pendingSpace: InlineMarkup?
  /// True if an LF at the beginning of the next text is left out.
  private var dropsLF = false
  /// For each open list, the number of its last item.
  private var listNumbers: [Int] = []
  /// The number of items that have begun, and the last of them that has its paragraph.
  private var (lastItem, itemWithParagraph) = (0, 0)
  /// True if EditLog wrote the document.
  private var isOwn = false
  private var losses = Losses()
  /// The open element whose content is not shown; nil if none is open.
  var hidden: HiddenElement?

  private init() {}

  /// The text of a document.
  ///
  /// - Parameter bytes: The document, in UTF-8.
  /// - Returns: The text, whose paragraphs end with LF, except for the last.
  /// - Throws: `InterchangeError`, with the place, if it is not UTF-8, or a bound is exceeded.
  public static func text(_ bytes: [UInt8]) throws(InterchangeError) -> AttributedText {
    try file(bytes).text
  }

  /// The text of a document, and what a text cannot carry of it.
  ///
  /// - Parameter bytes: The document, in UTF-8.
  /// - Returns: The text, whose paragraphs end with LF, except for the last, and the losses.
  /// - Throws: `InterchangeError`, with the place, if it is not UTF-8, or a bound is exceeded.
  public static func file(
    _ bytes: [UInt8]
  ) throws(InterchangeError) -> (text: AttributedText, losses: Losses) {
    var (reader, tokens) = (HTMLReader(), try HTMLTokenizer(bytes))
    while let token = try tokens.next() {
      if reader.hidden != nil, reader.isHidden(token, &tokens) { continue }
      switch token {
      case .text(let units): reader.read(units)
      case .start(let tag, let members, let isClosed):
        if reader.hide(tag, isClosed: isClosed, &tokens) { continue }
        try reader.begin(tag, members, tokens)
      case .end(let tag): reader.end(tag)
      case .comment, .documentType: break
      }
    }
    // A browser leaves the tag out; but most often it is a text whose quote or `>` is missing.
    if tokens.endsInTag { throw tokens.error("the file ends inside a tag") }
    reader.finishParagraph()
    let text = reader.assembler.result
    guard text.count <= EditAction.textLengthMax else {
      throw tokens.error("the text has more than \(EditAction.textLengthMax) UTF-16 units")
    }
    return (text, reader.losses)
  }

  // MARK: Elements

  private static let containers: Set<String> = [
    "html", "body", "div", "section", "article", "header", "footer", "main", "nav", "aside",
    "address", "figure", "figcaption", "table", "thead", "tbody", "tfoot", "tr", "td", "th",
    "caption", "dl", "dt", "dd", "form", "fieldset", "details", "summary", "blockquote", "ul", "ol",
    "hr", "center", "menu", "dir",
  ]
  private static let voids: Set<String> = [
    "br", "hr", "img", "meta", "link", "input", "wbr", "col", "area", "base", "embed", "source",
    "track", "param",
  ]
  private static let paragraphs: Set<String> = [
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "pre", "xmp", "listing", "plaintext",
  ]

  private mutating func begin(
    _ tag: String, _ members: [String: String], _ tokens: HTMLTokenizer
  ) throws(InterchangeError) {
    dropsLF = false
    switch tag {
    case "br": return addBreak()
    case "img": return addPicture(members)
    case "meta":
      guard members["name"] == "generator" else { return }
      if members["content"] == HTMLWriter.generator { isOwn = true }
      if members["content"]?.hasPrefix(HTMLWriter.generator + " ") == true {
        throw tokens.error(
          """
          this is the page of a history, from which no text is imported; `export --format jsonl` writes the \
          history, and `export --format html-text` the text of a version
          """)
      }
      return
    default: break
    }
    let isParagraph = Self.paragraphs.contains(tag)
    if isParagraph || Self.containers.contains(tag) {
      // A paragraph cannot contain another block.
      if let index = open.lastIndex(where: { $0.tag == "p" }) { close(downTo: index) }
    }
    if tag == "li", let index = openItem { close(downTo: index) }
    if Self.containers.contains(tag) { finishParagraph() }
    if Self.voids.contains(tag) { return }
    guard open.count < Self.depthMax else {
      throw tokens.error("elements nest more than \(Self.depthMax) deep")
    }
    open.append((tag, context))
    enter(tag, members)
    if isParagraph { beginParagraph(tag) }
  }

  /// The place of the item of the innermost list, if it is open.
  private var openItem: Int? {
    let index = open.lastIndex { ["li", "ul", "ol", "menu", "dir"].contains($0.tag) }
    return index.flatMap { open[$0].tag == "li" ? $0 : nil }
  }

  private mutating func enter(_ tag: String, _ members: [String: String]) {
    switch tag {
    case "b", "strong": context.style[.bold] = true
    case "i", "em", "cite", "dfn", "var": context.style[.italic] = true
    case "u", "ins": context.style[.underline] = true
    case "s", "strike", "del": context.style[.strike] = true
    case "mark": context.style[.highlight] = true
    case "code", "tt", "kbd", "samp":
      // The code element of a pre element says the same again.
      if context.isCode, context.rawKind == nil, pieces.isEmpty {
        context.language = language(members) ?? context.language
        form.block = .code(context.language)
      } else {
        context.style[.code] = true
      }
    case "a":
      if let address = members["href"], !address.isEmpty {
        (context.style.link, context.style.linkTitle) = (address, members["title"])
      }
    case "h1", "h2", "h3", "h4", "h5", "h6": context.heading = Int(tag.dropFirst()) ?? 1
    case "blockquote": context.quoteDepth += 1
    case "ul", "ol", "menu", "dir":
      listNumbers.removeLast(max(0, listNumbers.count - context.lists.count))
      let start = tag == "ol" ? members["start"].flatMap(Self.number) : nil
      listNumbers.append((start ?? 1) - 1)
      context.lists.append(tag == "ol")
      context.item = 0
    case "li":
      lastItem += 1
      context.item = lastItem
      context.itemValue = members["value"].flatMap(Self.number)
      if let list = listNumbers.indices.last(where: { $0 < context.lists.count }) {
        listNumbers[list] =
          context.itemValue ?? min(listNumbers[list] + 1, ListCounters.numberMax)
      }
    case "pre", "xmp", "listing", "plaintext":
      context.isCode = true
      context.isPreserved = true
      context.language = language(members)
      context.rawKind = rawKind(members)
      dropsLF = tag == "pre" || tag == "listing"
    default: break
    }
    if let style = members["style"]?.lowercased() { apply(style.filter { $0 != " " }) }
  }

  /// The number of an item, if it is one that a text can give.
  private static func number(_ text: String) -> Int? {
    Int(text).flatMap { 0...ListCounters.numberMax ~= $0 ? $0 : nil }
  }

  /// The language in a class such as `language-swift`.
  private func language(_ members: [String: String]) -> String? {
    for name in (members["class"] ?? "").split(separator: " ").prefix(32) {
      if name.hasPrefix("language-") {
        let language = String(name.dropFirst(9))
        if Markup.Block.isLanguage(language) { return language }
      }
    }
    return nil
  }

  /// The kind of the lines of Markdown that EditLog wrote as an element with such a class.
  private func rawKind(_ members: [String: String]) -> Markup.RawKind? {
    let prefix = Markup.rawKind + "-"
    guard isOwn, let name = members["class"], name.hasPrefix(prefix) else { return nil }
    return Markup.RawKind(rawValue: String(name.dropFirst(prefix.count)))
  }

  /// Reads the parts of an element's own style that are known. Spaces are left out of it.
  private mutating func apply(_ style: String) {
    for part in style.split(separator: ";").prefix(256) {
      switch part {
      case "white-space:pre", "white-space:pre-wrap", "white-space:break-spaces":
        context.isPreserved = true
      case "white-space:normal", "white-space:nowrap": context.isPreserved = false
      case "font-weight:bold", "font-weight:bolder", "font-weight:700": context.style[.bold] = true
      case "font-weight:normal", "font-weight:400": context.style[.bold] = false
      case "font-style:italic", "font-style:oblique": context.style[.italic] = true
      case "font-style:normal": context.style[.italic] = false
      case "text-decoration:underline": context.style[.underline] = true
      case "text-decoration:line-through": context.style[.strike] = true
      default: break
      }
    }
  }

  private mutating func end(_ tag: String) {
    dropsLF = false
    guard let index = open.lastIndex(where: { $0.tag == tag }) else {
      if tag == "br" { addBreak() }
      return
    }
    close(downTo: index)
  }

  /// Closes elements from the innermost on.
  private mutating func close(downTo count: Int) {
    while open.count > count, let element = open.popLast() {
      if Self.paragraphs.contains(element.tag) || Self.containers.contains(element.tag) {
        finishParagraph()
      }
      context = element.outside
    }
  }

  // MARK: Paragraphs

  private mutating func beginParagraph(_ tag: String) {
    // The first paragraph in an item is the item.
    if opener == "li", tag != "li", pieces.isEmpty {
      opener = tag
    } else {
      finishParagraph()
      opener = tag
    }
    form = currentForm
  }

  private var currentForm: Markup.Form { Markup.Form(currentBlock, quote: context.quoteDepth) }

  /// The kind of a paragraph that begins here.
  private var currentBlock: Markup.Block {
    let levelMax = Markup.Block.levelMax
    if let kind = context.rawKind { return .raw(kind) }
    if context.isCode { return .code(context.language) }
    if context.heading > 0 { return .heading(context.heading) }
    // The paragraphs of an item after its first are no items.
    if context.item > itemWithParagraph, let isNumbered = context.lists.last {
      let level = min(context.lists.count, levelMax)
      guard isNumbered, context.lists.count <= listNumbers.count else { return .bullet(level) }
      if let value = context.itemValue { return .number(level, start: value) }
      return .number(
        level, numbered: listNumbers[context.lists.count - 1], assembler.counters)
    }
    return .text
  }

  /// Ends the paragraph, if one has begun.
  private mutating func finishParagraph() {
    pendingSpace = nil
    defer { (pieces, opener) = ([], nil) }
    guard opener != nil || !pieces.isEmpty else { return }
    if form.block.kind != .paragraph {
      itemWithParagraph = lastItem
    } else if context.item > 0 {
      losses.leftItems += 1
    }
    guard form.block.isLines else { return assembler.add(pieces, form) }
    assembler.beginCode(form)
    for line in lines(of: pieces) { assembler.add(line, form) }
  }

  /// The lines of a block of code, whose last LF only ends it unless EditLog wrote it.
  private func lines(
    of pieces: [(units: [UInt16], style: InlineMarkup)]
  ) -> [[(units: [UInt16], style: InlineMarkup)]] {
    var lines: [[(units: [UInt16], style: InlineMarkup)]] = [[]]
    for piece in pieces {
      for (index, part) in piece.units.split(separator: 0x0A, omittingEmptySubsequences: false)
        .enumerated()
      {
        if index > 0 { lines.append([]) }
        if !part.isEmpty { lines[lines.count - 1].append((Array(part), piece.style)) }
      }
    }
    if !isOwn, lines.count > 1, lines[lines.count - 1].isEmpty { lines.removeLast() }
    return lines
  }

  // MARK: Text

  private mutating func read(_ units: [UInt16]) {
    // A browser leaves out U+0000.
    var units = units.contains(0) ? units.filter { $0 != 0 }[...] : units[...]
    if dropsLF, units.first == 0x0A { units.removeFirst() }
    dropsLF = false
    let isInside = opener != nil || !pieces.isEmpty
    if context.isPreserved || isOwn && isInside { return readPreserved(units) }
    var (word, index) = ([UInt16](), units.startIndex)
    while index < units.endIndex {
      let unit = units[index]
      index += 1
      if unit == 0x20 || unit == 0x09 || unit == 0x0A || unit == 0x0C {
        add(&word)
        if let last = pieces.last?.units.last, last != 0x2028 {
          pendingSpace = pendingSpace ?? context.style
        }
        continue
      }
      if let style = pendingSpace {
        add(&word)
        append([0x20], style)
        pendingSpace = nil
      }
      word.append(unit == 0x0D || unit == 0x2029 ? 0x2028 : unit)
    }
    add(&word)
  }

  private mutating func readPreserved(_ units: ArraySlice<UInt16>) {
    var text = Array(units)
    // Only an LF of code ends a paragraph.
    for index in text.indices {
      switch text[index] {
      case 0x0D, 0x2029: text[index] = 0x2028
      case 0x0A where !context.isCode: text[index] = 0x2028
      default: break
      }
    }
    add(&text)
  }

  private mutating func addBreak() {
    pendingSpace = nil
    var units: [UInt16] = [context.isCode ? 0x0A : 0x2028]
    add(&units)
  }

  /// Adds the description of an image, with its address if that may be in a file.
  private mutating func addPicture(_ members: [String: String]) {
    let outside = context.style
    defer { context.style = outside }
    var alt = (members["alt"] ?? "").utf16.map {
      $0 == 0x0A || $0 == 0x0D || $0 == 0x2029 ? 0x20 : $0
    }
    if let address = members["src"], InlineMarkup.isSafe(address), !context.isCode {
      (context.style.picture, context.style.pictureTitle) = (address, members["title"])
      if alt.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { alt = [0xFFFC] }
    } else {
      losses.pictures += 1
    }
    read(alt)
  }

  /// Adds units to the paragraph, and begins one if none has begun.
  private mutating func add(_ units: inout [UInt16]) {
    guard !units.isEmpty else { return }
    append(units, context.style)
    units = []
  }

  private mutating func append(_ units: [UInt16], _ style: InlineMarkup) {
    if opener == nil, pieces.isEmpty { form = currentForm }
    // In place: a copy of the last piece would make each addition copy its units.
    let last = pieces.count - 1
    if last >= 0, pieces[last].style == style {
      pieces[last].units += units
    } else {
      pieces.append((units, style))
    }
  }
}
