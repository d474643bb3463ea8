import EditModel
import Styling

/// Reads a styled text from Markdown: paragraphs, headings, quotes, lists, fenced and indented code, and
/// the styles inside paragraphs that `MarkdownInline` knows.
///
/// It is the part of CommonMark that `Markup` has styles for. A second paragraph of a list's item is a
/// paragraph, a quote in an item is a quote around it, and tables and footnotes are text. O(n).
public struct MarkdownReader {
  private var assembler = ParagraphAssembler()
  /// The lines of the open paragraph, without indent; none if none is open.
  private var paragraph: [ArraySlice<UInt8>] = []
  private var form = Markup.Form(.text)
  /// The number of `>` before the first line of the open paragraph.
  private var quoteDepth = 0
  private var lists: [OpenList] = []
  /// The number of `>` before the items of `lists`.
  private var listQuoteDepth = 0
  /// The addresses of references.
  private var references = LinkReferences()
  /// True if only references are read.
  private var isCollecting = false
  private var losses = Losses()
  private var fence: Fence?
  /// Blank lines of indented code, which count if code follows.
  private var blankCode = 0
  private var isIndentedCode = false

  /// A list whose last item may have others inside.
  private struct OpenList {
    /// The indent of the content of its last item.
    let content: Int
    /// The mark of its items; after a number, what is after it.
    let mark: UInt8
    /// The number of its last item; nil if it has no numbers.
    let number: Int?
  }

  private struct Fence {
    let mark: UInt8
    let length: Int
    let indent: Int
    let quoteDepth: Int
    let form: Markup.Form
    var isEmpty = true
  }

  private init() {}

  /// The text of a document.
  ///
  /// - Parameter bytes: The document, in UTF-8.
  /// - Returns: The text, whose paragraphs end with LF, except for the last.
  /// - Throws: `InterchangeError`, with the place, if it is not UTF-8 or too long.
  public static func text(_ bytes: [UInt8]) throws(InterchangeError) -> AttributedText {
    try file(bytes).text
  }

  /// The text of a document, and what a text cannot carry of it.
  ///
  /// - Parameter bytes: The document, in UTF-8.
  /// - Returns: The text, whose paragraphs end with LF, except for the last, and the losses.
  /// - Throws: `InterchangeError`, with the place, if it is not UTF-8 or too long.
  public static func file(
    _ bytes: [UInt8]
  ) throws(InterchangeError) -> (text: AttributedText, losses: Losses) {
    try InterchangeError.checkUTF8(bytes)
    var reader = MarkdownReader()
    // A reference may come before its address.
    if LinkReferences.mayBe(in: bytes) {
      var collector = MarkdownReader()
      collector.isCollecting = true
      collector.readLines(of: bytes)
      reader.references = collector.references
    }
    reader.readLines(of: bytes)
    let text = reader.assembler.result
    guard text.count <= EditAction.textLengthMax else {
      throw InterchangeError(
        "the text has more than \(EditAction.textLengthMax) UTF-16 units", at: bytes.count,
        in: bytes)
    }
    return (text, reader.losses)
  }

  private mutating func readLines(of bytes: [UInt8]) {
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      read(Line(bytes[start..<end]))
      let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
      start = end + (isPair ? 2 : 1)
    }
    finishParagraph()
  }

  /// What is left of a line, after quotes and indents that were read.
  private struct Line {
    private(set) var rest: ArraySlice<UInt8>
    private let whole: ArraySlice<UInt8>
    /// The columns of white space before `rest`.
    private(set) var indent = 0
    private(set) var quoteDepth = 0

    init(_ bytes: ArraySlice<UInt8>) {
      (rest, whole) = (bytes, bytes)
      skipIndent()
      while indent < 4, rest.first == UInt8(ascii: ">") {
        rest.removeFirst()
        quoteDepth += 1
        indent = 0
        skipIndent()
        if indent > 0 { indent -= 1 }
      }
    }

    /// A line whose `>` are text.
    init(plain bytes: ArraySlice<UInt8>) { (rest, whole) = (bytes, bytes) }

    var isBlank: Bool { rest.isEmpty }

    mutating func skipIndent() {
      while let byte = rest.first, byte == 0x20 || byte == 0x09 {
        indent += byte == 0x20 ? 1 : 4 - indent % 4
        rest.removeFirst()
      }
    }

    /// The line after some `>`, and without spaces or a tab for at most `columns`. Nil if it does not
    /// have the `>`.
    func verbatim(afterQuotes quotes: Int, columns: Int) -> ArraySlice<UInt8>? {
      var rest = whole
      for _ in 0..<quotes {
        rest = rest.drop { $0 == 0x20 }
        guard rest.popFirst() == UInt8(ascii: ">") else { return nil }
        if rest.first == 0x20 { rest.removeFirst() }
      }
      if columns >= 4, rest.first == 0x09 { return rest.dropFirst() }
      return rest.dropFirst(rest.prefix(columns).prefix { $0 == 0x20 }.count)
    }
  }

  // MARK: Lines

  private mutating func read(_ line: Line) {
    if let fence, continueFence(fence, line) { return }
    if line.isBlank {
      if isIndentedCode { blankCode += 1 }
      // A quote ends at a line without its signs.
      if line.quoteDepth < listQuoteDepth { (lists, listQuoteDepth) = ([], line.quoteDepth) }
      return finishParagraph()
    }
    if line.quoteDepth != quoteDepth { (isIndentedCode, blankCode) = (false, 0) }
    if isIndentedCode || paragraph.isEmpty && lists.isEmpty, line.indent >= 4 {
      return addIndentedCode(line)
    }
    (isIndentedCode, blankCode) = (false, 0)
    let isOpen = !paragraph.isEmpty
    if line.quoteDepth > quoteDepth || !isOpen {
      quoteDepth = line.quoteDepth
      finishParagraph()
    }
    if !paragraph.isEmpty, line.quoteDepth == quoteDepth, isIndented(line) {
      // Indented code cannot interrupt a paragraph: the line is text, whatever it begins with.
      return paragraph.append(line.rest)
    }
    if beginFence(line) || addHeading(line) || addUnderline(line) || skipBreak(line)
      || beginItem(line)
    {
      return
    }
    if !paragraph.isEmpty { return paragraph.append(line.rest) }
    closeLists(for: line)
    if !lists.isEmpty { losses.leftItems += 1 }
    begin(Markup.Form(.text, quote: line.quoteDepth), line.rest)
  }

  /// True if a line is indented by four or more columns, relative to the innermost item that it belongs to.
  private func isIndented(_ line: Line) -> Bool {
    guard line.indent >= 4 else { return false }
    return line.indent - (lists.last { $0.content <= line.indent }?.content ?? 0) >= 4
  }

  /// Ends the lists to whose items a line does not belong. Returns the outermost of them; nil if none ends.
  @discardableResult
  private mutating func closeLists(for line: Line) -> OpenList? {
    var ended: OpenList?
    if line.quoteDepth != listQuoteDepth { (lists, listQuoteDepth) = ([], line.quoteDepth) }
    while let last = lists.last, line.indent < last.content { ended = lists.removeLast() }
    return ended
  }

  private mutating func begin(_ form: Markup.Form, _ content: ArraySlice<UInt8>) {
    finishParagraph()
    self.form = form
    paragraph = [content]
  }

  /// Adds the open paragraph to the text.
  private mutating func finishParagraph() {
    guard !paragraph.isEmpty else { return }
    var content = Array(paragraph.joined(separator: CollectionOfOne(0x0A)))
    paragraph = []
    if case .heading = form.block {
    } else {
      let length = references.take(from: content)
      if length > 0 {
        content.removeFirst(length)
        // Nothing is left of a paragraph of addresses alone, but an item stays.
        if content.isEmpty, form.block == .text { return }
      }
    }
    while content.last == 0x20 || content.last == 0x09 { content.removeLast() }
    if isCollecting { return }
    var inline = MarkdownInline(content, references)
    assembler.add(inline.pieces(), form)
    losses.pictures += inline.pictureCount
  }

  // MARK: Code

  private mutating func continueFence(_ fence: Fence, _ line: Line) -> Bool {
    guard let content = line.verbatim(afterQuotes: fence.quoteDepth, columns: 0) else {
      self.fence = nil
      return false
    }
    let unindented = content.drop { $0 == 0x20 }
    let length = unindented.prefix { $0 == fence.mark }.count
    let isEnd =
      content.count - unindented.count < fence.indent + 4 && length >= fence.length
      && unindented.dropFirst(length).allSatisfy { $0 == 0x20 || $0 == 0x09 }
    if isEnd {
      self.fence = nil
    } else {
      if fence.isEmpty { assembler.beginCode(fence.form) }
      self.fence?.isEmpty = false
      addCode(content.dropFirst(min(fence.indent, content.count - unindented.count)), fence.form)
    }
    return true
  }

  private mutating func beginFence(_ line: Line) -> Bool {
    guard let mark = line.rest.first, mark == 0x60 || mark == 0x7E else { return false }
    let length = line.rest.prefix { $0 == mark }.count
    let info = line.rest.dropFirst(length)
    guard length >= 3, mark == 0x7E || !info.contains(0x60) else { return false }
    finishParagraph()
    closeLists(for: line)
    if !lists.isEmpty { losses.leftItems += 1 }
    quoteDepth = line.quoteDepth
    let word = info.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).first ?? []
    let language = String(decoding: word, as: UTF8.self)
    fence = Fence(
      mark: mark, length: length, indent: line.indent, quoteDepth: line.quoteDepth,
      form: Markup.Form(
        .code(Markup.Block.isLanguage(language) ? language : nil), quote: line.quoteDepth))
    return true
  }

  private mutating func addIndentedCode(_ line: Line) {
    let form = Markup.Form(.code(nil), quote: line.quoteDepth)
    if !isIndentedCode { assembler.beginCode(form) }
    for _ in 0..<blankCode { addCode([], form) }
    (blankCode, quoteDepth) = (0, line.quoteDepth)
    isIndentedCode = true
    addCode(line.verbatim(afterQuotes: line.quoteDepth, columns: 4) ?? line.rest, form)
  }

  private mutating func addCode(_ bytes: ArraySlice<UInt8>, _ form: Markup.Form) {
    assembler.add([(Array(String(decoding: bytes, as: UTF8.self).utf16), InlineMarkup())], form)
  }

  // MARK: Blocks of one line

  private mutating func addHeading(_ line: Line) -> Bool {
    let level = line.rest.prefix { $0 == UInt8(ascii: "#") }.count
    var content = line.rest.dropFirst(level)
    guard (1...6).contains(level), content.first.map({ $0 == 0x20 || $0 == 0x09 }) ?? true else {
      return false
    }
    func trim() {
      while let last = content.last, last == 0x20 || last == 0x09 { content.removeLast() }
    }
    trim()
    let closing = content.reversed().prefix { $0 == UInt8(ascii: "#") }.count
    let before = content.dropLast(closing)
    if closing > 0, before.last.map({ $0 == 0x20 || $0 == 0x09 }) ?? true {
      content = before
      trim()
    }
    while let first = content.first, first == 0x20 || first == 0x09 { content.removeFirst() }
    begin(Markup.Form(.heading(level), quote: line.quoteDepth), content)
    finishParagraph()
    quoteDepth = line.quoteDepth
    closeLists(for: line)
    if !lists.isEmpty { losses.leftItems += 1 }
    lists = []
    return true
  }

  /// Makes the open paragraph a heading, if the line is `===` or `---`.
  private mutating func addUnderline(_ line: Line) -> Bool {
    guard !paragraph.isEmpty, line.indent < 4, line.quoteDepth == quoteDepth,
      let mark = line.rest.first, mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-"),
      line.rest.drop(while: { $0 == mark }).allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    else { return false }
    // Checked before the lines are joined: an item stays open, so joining for each such line would be quadratic.
    guard form.block == .text else { return false }
    // A paragraph of addresses alone has no text for a heading.
    let content = Array(paragraph.joined(separator: CollectionOfOne(0x0A)))
    let length = references.take(from: content)
    guard length < content.count else { return false }
    form.block = .heading(mark == UInt8(ascii: "=") ? 1 : 2)
    paragraph = [content[length...]]
    finishParagraph()
    return true
  }

  /// Skips `***`, `---` and `___`.
  private mutating func skipBreak(_ line: Line) -> Bool {
    guard let mark = line.rest.first, [0x2A, 0x2D, 0x5F].contains(mark),
      line.rest.allSatisfy({ $0 == mark || $0 == 0x20 || $0 == 0x09 }),
      line.rest.reduce(0, { $0 + ($1 == mark ? 1 : 0) }) >= 3
    else { return false }
    finishParagraph()
    closeLists(for: line)
    return true
  }

  /// True if a line, read as text, would continue the open paragraph: its indent does not end the item.
  private func isInParagraph(_ line: Line) -> Bool {
    !paragraph.isEmpty && line.quoteDepth == quoteDepth && line.indent >= lists.last?.content ?? 0
  }

  private mutating func beginItem(_ line: Line) -> Bool {
    guard let first = line.rest.first else { return false }
    var (length, mark, number) = (1, first, Int?.none)
    if !([0x2A, 0x2B, 0x2D] as [UInt8]).contains(first) {
      let digits = line.rest.prefix(10).prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count), let end = line.rest.dropFirst(digits.count).first,
        end == 0x2E || end == 0x29
      else { return false }
      (length, mark) = (digits.count + 1, end)
      number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    let content = line.rest.dropFirst(length)
    let spaces = content.prefix { $0 == 0x20 || $0 == 0x09 }.count
    guard spaces > 0 || content.isEmpty else { return false }
    // An empty item, or a number other than 1, cannot interrupt a paragraph.
    if isInParagraph(line), content.count == spaces || number ?? 1 != 1 { return false }
    let before = closeLists(for: line)
    guard lists.count < 1_024 else { return false }
    // The numbers of a list after its first do not count.
    if let last = before?.number, number != nil, before?.mark == mark {
      number = min(last + 1, ListCounters.numberMax)
    }
    lists.append(
      OpenList(
        content: line.indent + length + (1...4).clamp(spaces), mark: mark, number: number))
    let level = min(lists.count, Markup.Block.levelMax)
    finishParagraph()
    // A quote in an item is one around it.
    var inside = Line(content.dropFirst(spaces))
    if inside.quoteDepth == 0 || inside.isBlank { inside = Line(plain: content.dropFirst(spaces)) }
    quoteDepth = line.quoteDepth + inside.quoteDepth
    begin(
      Markup.Form(
        number.map { .number(level, numbered: $0, assembler.counters) } ?? .bullet(level),
        quote: quoteDepth), inside.rest)
    if content.count == spaces { finishParagraph() }
    return true
  }
}

extension ClosedRange<Int> {
  /// The nearest number in the range.
  fileprivate func clamp(_ value: Int) -> Int {
    Swift.min(Swift.max(value, lowerBound), upperBound)
  }
}
