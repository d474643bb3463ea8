import EditModel
import Styling

/// Splits Markdown into blocks, line by line: paragraphs, headings, quotes, lists, code, and what the text keeps as
/// it is written, such as tables.
///
/// It is a value, so a writer can try how its next lines would be read. O(n).
struct MarkdownBlocks {
  /// A paragraph of the text.
  struct Block: Hashable {
    /// What it is.
    let form: Markup.Form
    /// Its content without indents and marks, with an LF between lines. Of code, and of what is kept as it is
    /// written, each line is a block.
    let content: [UInt8]
    /// Where the content is in the bytes.
    var place: Range<Int>
    /// The end of its last line in the bytes.
    var end: Int
    /// True for the first line of code, and of what is kept as it is written.
    var isFirst = false

    static func == (left: Block, right: Block) -> Bool {
      left.form == right.form && left.content == right.content
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(form)
      hasher.combine(content)
    }
  }

  /// The blocks that have ended.
  var ended: [Block] = []
  /// The addresses of references so far.
  private(set) var references = LinkReferences()
  /// The numbers of the items so far.
  private(set) var counters = ListCounters()
  /// The number of paragraphs that are inside an item beside its text.
  private(set) var leftItemCount = 0

  /// The lines of the open paragraph, without indent; none if none is open.
  private var paragraph: [ArraySlice<UInt8>] = []
  private var form = Markup.Form(.text)
  /// The number of `>` before the first line of the open paragraph.
  private var quoteDepth = 0
  /// The lists whose last item is open, the outermost first.
  private(set) var lists: [OpenList] = []
  /// The number of `>` before the items of `lists`.
  private(set) var listQuoteDepth = 0
  private var fence: Fence?
  /// The open lines of what is kept as it is written; nil if there are none.
  private var raw: RawLines?
  /// Blank lines of indented code, each with its end: they count if code follows.
  private var blankCode: [(content: ArraySlice<UInt8>, end: Int)] = []
  private var isIndentedCode = false
  /// The lines of front matter that are still to come.
  private var frontMatterCount = 0
  private var isAtStart = true
  /// The end of the line that is read, and those of the lines of the open paragraph.
  private var (lineEnd, paragraphEnds): (Int, [Int]) = (0, [])

  /// A list whose last item may have others inside.
  struct OpenList {
    /// The indent of its last item.
    let indent: Int
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
    /// The end of its first line, without and with the LF.
    let start, end: Int
    var isEmpty = true
  }

  private struct RawLines {
    let form: Markup.Form
    /// What ends HTML; empty if a blank line does.
    var endings: [String] = []
    /// The indent of the item that it is in.
    let indent: Int
  }

  /// True if lines of another block would be read as more of this one: its end is missing.
  var isUnclosed: Bool { fence != nil || raw.map { !$0.endings.isEmpty } ?? false }

  /// Reads lines. The last may be without its LF.
  mutating func read(_ bytes: [UInt8]) {
    var start = 0
    if isAtStart {
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
      frontMatterCount = Self.frontMatterCount(bytes[start...])
    }
    while start < bytes.count {
      let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
      lineEnd = min(bytes.count, end + (isPair ? 2 : 1))
      read(Line(bytes[start..<end]))
      start = lineEnd
      isAtStart = false
    }
  }

  /// Ends the open block.
  mutating func finish() {
    finishParagraph()
    if let fence, fence.isEmpty { endEmptyFence(fence) }
    (fence, raw) = (nil, nil)
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
    if frontMatterCount > 0 { return addFrontMatter(line) }
    if let fence, continueFence(fence, line) { return }
    if let raw, continueRaw(raw, line) { return }
    if line.isBlank {
      if isIndentedCode { blankCode.append((line.rest, lineEnd)) }
      // A quote ends at a line without its signs.
      if line.quoteDepth < listQuoteDepth { (lists, listQuoteDepth) = ([], line.quoteDepth) }
      return finishParagraph()
    }
    if line.quoteDepth != quoteDepth { (isIndentedCode, blankCode) = (false, []) }
    if isIndentedCode || paragraph.isEmpty && lists.isEmpty, line.indent >= 4 {
      return addIndentedCode(line)
    }
    (isIndentedCode, blankCode) = (false, [])
    let isOpen = !paragraph.isEmpty
    if line.quoteDepth > quoteDepth || !isOpen {
      quoteDepth = line.quoteDepth
      finishParagraph()
    }
    if !paragraph.isEmpty, line.quoteDepth == quoteDepth, isIndented(line) {
      // Indented code cannot interrupt a paragraph: the line is text, whatever it begins with.
      return continueParagraph(line.rest)
    }
    if beginFence(line) || addHeading(line) || beginHTML(line) || addUnderline(line)
      || addBreak(line) || beginItem(line) || beginTable(line)
    {
      return
    }
    let isNote = Self.isNote(line.rest)
    if !paragraph.isEmpty, !isNote { return continueParagraph(line.rest) }
    if isNote { finishParagraph() }
    closeLists(for: line)
    if !lists.isEmpty { leftItemCount += 1 }
    quoteDepth = line.quoteDepth
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
    (paragraph, paragraphEnds) = ([content], [lineEnd])
  }

  private mutating func continueParagraph(_ content: ArraySlice<UInt8>) {
    paragraph.append(content)
    paragraphEnds.append(lineEnd)
  }

  /// Ends the open paragraph.
  private mutating func finishParagraph() {
    guard !paragraph.isEmpty else { return }
    if form.block == .text { takeDefinitions() }
    guard let first = paragraph.first, let last = paragraph.last, let end = paragraphEnds.last
    else { return }
    var content = Array(paragraph.joined(separator: CollectionOfOne(0x0A)))
    switch form.block {
    case .text, .heading: break
    // An item stays, so the addresses in it stay with it.
    default: content.removeFirst(references.take(from: content))
    }
    paragraph = []
    let size = content.count
    while content.last == 0x20 || content.last == 0x09 { content.removeLast() }
    let contentEnd = max(first.startIndex, last.endIndex - (size - content.count))
    add(Block(form: form, content: content, place: first.startIndex..<contentEnd, end: end))
  }

  /// Adds the addresses of references at the beginning of the open paragraph as blocks of their own.
  private mutating func takeDefinitions() {
    guard paragraph.first?.first == UInt8(ascii: "[") else { return }
    let content = Array(paragraph.joined(separator: CollectionOfOne(0x0A)))
    let length = references.take(from: content)
    guard length > 0 else { return }
    let breaks = content[..<length].count { $0 == 0x0A }
    let count = min(paragraph.count, content[length - 1] == 0x0A ? breaks : breaks + 1)
    for index in 0..<count {
      let line = paragraph[index]
      add(
        Block(
          form: Markup.Form(.raw(.definition), quote: form.quote), content: Array(line),
          place: line.startIndex..<line.endIndex, end: paragraphEnds[index], isFirst: index == 0))
    }
    paragraph.removeFirst(count)
    paragraphEnds.removeFirst(count)
  }

  private mutating func add(_ block: Block) {
    ended.append(block)
    _ = counters.count(block.form.block.kind, start: block.form.block.start)
  }

  // MARK: Code

  private mutating func continueFence(_ fence: Fence, _ line: Line) -> Bool {
    guard let content = line.verbatim(afterQuotes: fence.quoteDepth, columns: 0) else {
      if fence.isEmpty { endEmptyFence(fence) }
      self.fence = nil
      return false
    }
    let unindented = content.drop { $0 == 0x20 }
    let length = unindented.prefix { $0 == fence.mark }.count
    let isEnd =
      content.count - unindented.count < fence.indent + 4 && length >= fence.length
      && unindented.dropFirst(length).allSatisfy { $0 == 0x20 || $0 == 0x09 }
    if isEnd {
      if fence.isEmpty { endEmptyFence(fence) }
      self.fence = nil
      // A writer may have taken the blocks already.
      if let last = ended.indices.last { ended[last].end = lineEnd }
    } else {
      self.fence?.isEmpty = false
      addLine(
        content.dropFirst(min(fence.indent, content.count - unindented.count)), fence.form,
        isFirst: fence.isEmpty)
    }
    return true
  }

  /// Adds the one empty line that code without lines has.
  private mutating func endEmptyFence(_ fence: Fence) {
    add(
      Block(
        form: fence.form, content: [], place: fence.start..<fence.start, end: fence.end,
        isFirst: true
      ))
  }

  private mutating func beginFence(_ line: Line) -> Bool {
    guard let mark = line.rest.first, mark == 0x60 || mark == 0x7E else { return false }
    let length = line.rest.prefix { $0 == mark }.count
    let info = line.rest.dropFirst(length)
    guard length >= 3, mark == 0x7E || !info.contains(0x60) else { return false }
    finishParagraph()
    closeLists(for: line)
    if !lists.isEmpty { leftItemCount += 1 }
    quoteDepth = line.quoteDepth
    let word = info.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).first ?? []
    let language = String(decoding: word, as: UTF8.self)
    fence = Fence(
      mark: mark, length: length, indent: line.indent, quoteDepth: line.quoteDepth,
      form: Markup.Form(
        .code(Markup.Block.isLanguage(language) ? language : nil), quote: line.quoteDepth),
      start: line.rest.endIndex, end: lineEnd)
    return true
  }

  private mutating func addIndentedCode(_ line: Line) {
    let form = Markup.Form(.code(nil), quote: line.quoteDepth)
    let isFirst = !isIndentedCode
    for (content, end) in blankCode { addLine(content, form, isFirst: false, end: end) }
    (blankCode, quoteDepth) = ([], line.quoteDepth)
    isIndentedCode = true
    addLine(
      line.verbatim(afterQuotes: line.quoteDepth, columns: 4) ?? line.rest, form, isFirst: isFirst)
  }

  private mutating func addLine(
    _ content: ArraySlice<UInt8>, _ form: Markup.Form, isFirst: Bool, end: Int? = nil
  ) {
    add(
      Block(
        form: form, content: Array(content), place: content.startIndex..<content.endIndex,
        end: end ?? lineEnd, isFirst: isFirst))
  }

  // MARK: Lines that are kept as they are written

  private mutating func addFrontMatter(_ line: Line) {
    addLine(
      line.verbatim(afterQuotes: 0, columns: 0) ?? line.rest,
      Markup.Form(.raw(.frontMatter)), isFirst: isAtStart)
    frontMatterCount -= 1
  }

  /// The number of lines of the front matter at the beginning of a file: `---` or `+++`, and up to the same
  /// again. Zero if there is none.
  private static func frontMatterCount(_ bytes: ArraySlice<UInt8>) -> Int {
    func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      var line = line
      while let last = line.last, last == 0x20 || last == 0x09 || last == 0x0D { line.removeLast() }
      return line
    }
    guard let mark = bytes.first, mark == UInt8(ascii: "-") || mark == UInt8(ascii: "+") else {
      return 0
    }
    let fence = [mark, mark, mark][...]
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).lazy.map(trimmed)
    // After a rule between paragraphs there is a blank line.
    guard lines.count > 1, lines[0] == fence, !lines[1].isEmpty else { return 0 }
    let end = lines.dropFirst().firstIndex {
      $0 == fence || mark == UInt8(ascii: "-") && $0.elementsEqual("...".utf8)
    }
    return end.map { $0 + 1 } ?? 0
  }

  /// True if the line belongs to the open lines.
  private mutating func continueRaw(_ raw: RawLines, _ line: Line) -> Bool {
    let content = line.verbatim(afterQuotes: raw.form.quote, columns: 0)
    guard let content, isInside(raw, line, content) else {
      self.raw = nil
      return false
    }
    addLine(content.dropFirst(raw.indent), raw.form, isFirst: false)
    if MarkdownHTML.ends(content, raw.endings) { self.raw = nil }
    return true
  }

  private func isInside(_ raw: RawLines, _ line: Line, _ content: ArraySlice<UInt8>) -> Bool {
    let indent = content.prefix { $0 == 0x20 || $0 == 0x09 }
    if indent.count == content.count { return !raw.endings.isEmpty }
    guard indent.count >= raw.indent || indent.contains(0x09) else { return false }
    return raw.form.block != .raw(.table)
      || line.quoteDepth == raw.form.quote && !beginsBlock(line)
  }

  /// True if a line after rows of a table is none.
  private func beginsBlock(_ line: Line) -> Bool {
    var trial = self
    (trial.raw, trial.ended, trial.quoteDepth) = (nil, [], line.quoteDepth)
    return line.indent < 4
      && (trial.beginFence(line) || trial.addHeading(line) || trial.beginHTML(line)
        || trial.addBreak(line) || trial.beginItem(line))
  }

  /// Begins lines with one that is read, and maybe the one before.
  private mutating func beginRaw(
    _ kind: Markup.RawKind, endings: [String] = [], _ line: Line,
    after before: (content: ArraySlice<UInt8>, end: Int)? = nil
  ) {
    closeLists(for: line)
    if !lists.isEmpty { leftItemCount += 1 }
    quoteDepth = line.quoteDepth
    let form = Markup.Form(.raw(kind), quote: line.quoteDepth)
    if let (content, end) = before {
      let place = content.startIndex..<content.endIndex
      add(Block(form: form, content: Array(content), place: place, end: end, isFirst: true))
    }
    let raw = RawLines(form: form, endings: endings, indent: lists.last?.content ?? 0)
    let content = line.verbatim(afterQuotes: line.quoteDepth, columns: raw.indent) ?? line.rest
    addLine(content, form, isFirst: before == nil)
    if kind != .rule, !MarkdownHTML.ends(content, endings) { self.raw = raw }
  }

  private mutating func beginHTML(_ line: Line) -> Bool {
    guard line.indent - (lists.last { $0.content <= line.indent }?.content ?? 0) < 4,
      let endings = MarkdownHTML.endings(line.rest, inParagraph: !paragraph.isEmpty)
    else { return false }
    finishParagraph()
    beginRaw(.html, endings: endings, line)
    return true
  }

  /// Makes the last line of the open paragraph the first row of a table, if the line is its rule.
  private mutating func beginTable(_ line: Line) -> Bool {
    guard form.block == .text, let header = paragraph.last, line.quoteDepth == quoteDepth,
      let count = MarkdownTable.ruleCount(line.rest), count == MarkdownTable.cellCount(header)
    else { return false }
    paragraph.removeLast()
    let end = paragraphEnds.removeLast()
    finishParagraph()
    beginRaw(.table, line, after: (header, end))
    return true
  }

  /// True for the beginning of a footnote: `[^label]:`.
  private static func isNote(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: "[^".utf8) else { return false }
    let label = line.dropFirst(2).prefix(LinkReferences.labelSizeMax).prefix {
      $0 > 0x20 && $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: "[")
    }
    return !label.isEmpty && line[label.endIndex...].starts(with: "]:".utf8)
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
    if !lists.isEmpty { leftItemCount += 1 }
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
    takeDefinitions()
    guard let last = paragraphEnds.indices.last else {
      begin(form, line.rest)
      return true
    }
    paragraphEnds[last] = lineEnd
    form.block = .heading(mark == UInt8(ascii: "=") ? 1 : 2)
    finishParagraph()
    return true
  }

  /// Adds `***`, `---` or `___`.
  private mutating func addBreak(_ line: Line) -> Bool {
    guard let mark = line.rest.first, [0x2A, 0x2D, 0x5F].contains(mark),
      line.rest.allSatisfy({ $0 == mark || $0 == 0x20 || $0 == 0x09 }),
      line.rest.reduce(0, { $0 + ($1 == mark ? 1 : 0) }) >= 3
    else { return false }
    finishParagraph()
    beginRaw(.rule, line)
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
        indent: line.indent, content: line.indent + length + (1...4).clamp(spaces), mark: mark,
        number: number))
    let level = min(lists.count, Markup.Block.levelMax)
    finishParagraph()
    // A quote in an item is one around it.
    var inside = Line(content.dropFirst(spaces))
    if inside.quoteDepth == 0 || inside.isBlank { inside = Line(plain: content.dropFirst(spaces)) }
    quoteDepth = line.quoteDepth + inside.quoteDepth
    begin(
      Markup.Form(
        number.map { .number(level, numbered: $0, counters) } ?? .bullet(level),
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
