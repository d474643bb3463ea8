import EditModel
import Styling

/// Writes a styled text as Markdown: CommonMark, with `~~` as on GitHub, `==` for highlights, and HTML elements for
/// all other styles.
///
/// The text is literal: its own `#` and `*` are escaped. A blank line is between paragraphs, so empty
/// ones are left out. U+2028 is `<br>`, so that each paragraph is one line. A paragraph that says how it was written in
/// the file that it came from is written so, while a reader gets the paragraph from that.
public struct MarkdownWriter {
  private let output = Output()
  /// What Markdown cannot carry.
  public private(set) var losses = Losses()
  /// The number of blocks that are not written as they say they were.
  private(set) var respelledCount = 0
  /// What a reader has read of the output.
  private var reader = MarkdownBlocks()
  /// The blocks that are open there, as they are if nothing follows.
  private var pending: [MarkdownBlocks.Block] = []
  /// The addresses of references.
  private var references = LinkReferences()
  /// The form of the block before; nil at the beginning.
  private var last: Markup.Form?
  /// True if the lines of the block before end with CR LF.
  private var lastHasCRLF = false
  /// True if the paragraph before has text, so that an item inside it could be read as more of that.
  private var isAfterText = false
  /// True if the paragraph before is empty.
  private var isAfterEmpty = false
  /// True if a reader adds an empty paragraph here, should lines of the same form follow.
  private var isAfterLines = false

  /// The bytes of the file. Drafts that are not made yet have copies of the writer, which must not make it copy all
  /// bytes for each block.
  private final class Output { var bytes: [UInt8] = [] }

  /// A writer.
  public init() {}

  /// A whole document in UTF-8. O(n).
  ///
  /// - Parameters:
  ///   - text: The text to write.
  ///   - isOver: Called for each block. If it returns true, the rest is not written.
  /// - Returns: The bytes, with an LF at the end unless there is no paragraph, or the file that it came from has none.
  public mutating func document(
    of text: AttributedText, unless isOver: () -> Bool = { false }
  ) -> [UInt8] {
    self = MarkdownWriter()
    // Nothing is lost of the one empty paragraph.
    if text.isEmpty { return [] }
    var paragraphs: [MarkupParagraph] = []
    text.forEachParagraph { paragraphs.append(MarkupParagraph($0, isPage: false, noting: &losses)) }
    return write(paragraphs, unless: isOver).bytes
  }

  /// Writes paragraphs. O(n).
  ///
  /// - Returns: The bytes, and for each paragraph how it is written, as far as that is not as usual.
  mutating func write(
    _ paragraphs: [MarkupParagraph], unless isOver: () -> Bool = { false }
  ) -> (bytes: [UInt8], spellings: [Markup.Spelling?]) {
    takeReferences(of: paragraphs)
    var (spellings, start): ([Markup.Spelling?], Int) = ([], 0)
    let lastWritten = paragraphs.lastIndex { !$0.isLeftOut } ?? -1
    if lastWritten < 0, let blank = writeBlankLines(of: paragraphs) { return (output.bytes, blank) }
    while start < paragraphs.count, !isOver() {
      let form = paragraphs[start].form
      var end = start + 1
      while form.block.isLines, end < paragraphs.count, paragraphs[end].form == form { end += 1 }
      let last = paragraphs[start].isLeftOut ? paragraphs.count - 1 : lastWritten
      spellings += write(block: paragraphs[start..<end], isLast: end > last)
      start = end
    }
    return (output.bytes, spellings)
  }

  private mutating func takeReferences(of paragraphs: [MarkupParagraph]) {
    for block in paragraphs.split(whereSeparator: { $0.form.block != .raw(.definition) }) {
      let lines = block.map { MarkdownContent.verbatim($0) }
      _ = references.take(from: Array(lines.joined(separator: CollectionOfOne(0x0A))))
    }
  }

  /// Writes a file of blank lines only, or of nothing that is text, as its one paragraph says that it
  /// was. Nil if it does not say so.
  private mutating func writeBlankLines(of paragraphs: [MarkupParagraph]) -> [Markup.Spelling?]? {
    guard let first = paragraphs.first, let own = first.spelling else { return nil }
    let bytes = (own.before ?? []) + (own.text ?? []) + (own.after ?? [])
    var blocks = MarkdownBlocks()
    blocks.read(bytes)
    blocks.finish()
    let isRead = blocks.ended.allSatisfy {
      $0.form.block == .text && $0.pieces(blocks.references).isEmpty
    }
    guard isRead else { return nil }
    output.bytes = LineEnds.with(blank: first.hasCRLF, others: first.hasCRLF, bytes)
    // The last one only ends the first.
    losses.droppedParagraphs += max(0, paragraphs.count - 2)
    return [first.spelling] + paragraphs.dropFirst().map { _ in nil }
  }

  // MARK: Blocks

  /// Writes a paragraph, or lines of the same form.
  private mutating func write(
    block: ArraySlice<MarkupParagraph>, isLast: Bool
  ) -> [Markup.Spelling?] {
    guard let first = block.first else { return [] }
    let form = first.form
    if first.isLeftOut {
      // The last one only ends the one before if that is empty.
      let isEnd = isLast && isAfterEmpty && last.map { !$0.isPlain } ?? false
      losses.droppedParagraphs += first.isSeparator || isEnd ? 0 : 1
      isAfterEmpty = false
      isAfterLines =
        isAfterLines || last.map { $0.block.isLines && $0.quote == form.quote } ?? false
      return [nil]
    }
    // The empty paragraph between two blocks is not lost: a reader adds it.
    if isAfterLines, form.block.isLines, form == last, losses.droppedParagraphs > 0 {
      losses.droppedParagraphs -= 1
    }
    let drafts =
      form.block.isLines
      ? lineDrafts(of: block).map { draft in { draft } } : drafts(of: first)
    guard let (index, draft) = choose(drafts, for: block, isLast: isLast) else { return [] }
    if first.spelling != nil, index != 0 { respelledCount += 1 }
    isAfterLines = false
    isAfterEmpty = block.last.map { $0.pieces.isEmpty } ?? false
    isAfterText = !form.block.isLines && !first.pieces.isEmpty
    last = form
    losses = draft.losses
    return draft.spellings
  }

  /// A way in which a block may be written.
  private struct Draft {
    /// The lines, each with its LF.
    let bytes: [UInt8]
    /// What of it is not as usual, for each paragraph.
    let spellings: [Markup.Spelling?]
    /// The losses, with those that it brings.
    let losses: Losses
  }

  /// Writes the first draft that a reader reads as the block; the last if there is none.
  ///
  /// - Returns: The draft and its index.
  private mutating func choose(
    _ drafts: [() -> Draft], for block: ArraySlice<MarkupParagraph>, isLast: Bool
  ) -> (index: Int, draft: Draft)? {
    if let end = output.bytes.last, end != 0x0A {
      output.bytes += LineEnds.with(blank: lastHasCRLF, others: lastHasCRLF, [0x0A])
    }
    for (index, makeDraft) in drafts.enumerated() {
      let draft = makeDraft()
      var trial = reader
      trial.ended = []
      trial.read(draft.bytes)
      var finished = trial
      finished.finish()
      let isRead = (isLast || !trial.isUnclosed) && isRead(finished.ended, as: block)
      guard isRead || index == drafts.count - 1 else { continue }
      if !isRead, block.first.map({ $0.form.block.isLines }) == true,
        case .raw = block.first?.form.block
      {
        note(Markup.rawKind)
      }
      pending = Array(finished.ended[trial.ended.count...])
      reader = trial
      let hasCRLF = block.first?.hasCRLF ?? false
      output.bytes += LineEnds.with(
        blank: output.bytes.isEmpty ? hasCRLF : lastHasCRLF, others: hasCRLF, draft.bytes)
      lastHasCRLF = hasCRLF
      return (index, draft)
    }
    return nil
  }

  /// True if blocks are those that were open, and then this one.
  private func isRead(
    _ ended: [MarkdownBlocks.Block], as block: ArraySlice<MarkupParagraph>
  ) -> Bool {
    guard ended.count == pending.count + block.count, ended.starts(with: pending) else {
      return false
    }
    return zip(ended[pending.count...], block).allSatisfy { read, paragraph in
      guard read.form == paragraph.form else { return false }
      if read.form.block.isLines { return read.content == MarkdownContent.verbatim(paragraph) }
      let pieces = paragraph.pieces
      return read.pieces(references).elementsEqual(pieces) {
        $0.style == $1.style && $0.units == $1.units
      }
    }
  }

  // MARK: Paragraphs

  /// A paragraph as it says that it was, with another text in some of its lines or in all, in another place, and
  /// as usual.
  private func drafts(of paragraph: MarkupParagraph) -> [() -> Draft] {
    var (signLosses, textLosses) = (losses, Losses())
    let before = before(paragraph.form, isEmpty: paragraph.pieces.isEmpty, noting: &signLosses)
    let (text, after) = (text(of: paragraph, after: before, noting: &textLosses), [UInt8(0x0A)])
    func draft(_ own: Markup.Spelling) -> Draft {
      var sum = own.before == nil ? signLosses : losses
      if own.text == nil { sum.replacedUnits += textLosses.replacedUnits }
      let (ownBefore, ownText) = (own.before ?? before, own.text ?? text)
      let bytes = ownBefore + ownText + (own.after ?? after)
      let spelling = Markup.Spelling(
        before: ownBefore == before ? nil : ownBefore, text: ownText == text ? nil : ownText,
        after: own.after == after ? nil : own.after)
      let isUsual = spelling == Markup.Spelling(before: nil, text: nil, after: nil)
      return Draft(bytes: bytes, spellings: [isUsual ? nil : spelling], losses: sum)
    }
    let usual = Markup.Spelling(before: nil, text: nil, after: nil)
    guard let own = paragraph.spelling, own != usual else { return [{ draft(usual) }] }
    let lines = { [references] in
      own.text.flatMap { WrappedLines($0, references)?.text(for: paragraph) }
    }
    return [
      { draft(own) },
      { draft(Markup.Spelling(before: own.before, text: lines(), after: own.after)) },
      { draft(Markup.Spelling(before: own.before, text: nil, after: own.after)) },
      { draft(Markup.Spelling(before: nil, text: own.text, after: nil)) }, { draft(usual) },
    ]
  }

  private func text(
    of paragraph: MarkupParagraph, after before: [UInt8], noting losses: inout Losses
  ) -> [UInt8] {
    var content = MarkdownContent(paragraph.pieces, isItem: Self.isItem(paragraph.form.block))
    content.write(noting: &losses)
    // A reader takes it for the mark of the encoding, which is no text.
    let mark = "\u{FEFF}".utf8
    if output.bytes.isEmpty, before.isEmpty, content.output.starts(with: mark) {
      return Array("&#xFEFF;".utf8) + content.output.dropFirst(mark.count)
    }
    return content.output
  }

  /// What is usually before the text of a block: a blank line, quotes and a sign.
  private func before(
    _ form: Markup.Form, isEmpty: Bool, noting losses: inout Losses
  ) -> [UInt8] {
    let sign = sign(of: form, noting: &losses)
    var before: [UInt8] = []
    if let last {
      let areItems = Self.isItem(form.block) && Self.isItem(last.block)
      let needsBlank = sign.needsBlank(isEmpty) && isAfterText
      if needsBlank || !areItems || last.quote != form.quote {
        before += Array(String(repeating: ">", count: min(last.quote, form.quote)).utf8) + [0x0A]
      }
    }
    before += Self.quotes(form.quote) + sign.text
    if isEmpty { while before.last == 0x20 { before.removeLast() } }
    return before
  }

  private static func isItem(_ block: Markup.Block) -> Bool {
    switch block {
    case .bullet, .number: true
    case .text, .heading, .code, .raw: false
    }
  }

  private static func quotes(_ count: Int) -> [UInt8] {
    count == 0 ? [] : Array(String(repeating: ">", count: count).utf8) + [0x20]
  }

  /// What is before the text of a block, after its quotes.
  private struct Sign {
    var text: [UInt8] = []
    /// True if it is an item inside the item before.
    var isInside = false
    /// The number of the item, if it has one.
    var number: Int?

    /// True if CommonMark would read the block as more of the text before it: an item inside it that is
    /// empty, or has another number than 1.
    func needsBlank(_ isEmpty: Bool) -> Bool { isInside && (isEmpty || number ?? 1 != 1) }
  }

  private func sign(of form: Markup.Form, noting losses: inout Losses) -> Sign {
    switch form.block {
    case .bullet(let level), .number(let level, _): item(form, level, noting: &losses)
    case .heading(let level): Sign(text: Array(String(repeating: "#", count: level).utf8) + [0x20])
    case .text, .code, .raw: Sign()
    }
  }

  private func item(_ form: Markup.Form, _ level: Int, noting losses: inout Losses) -> Sign {
    var counters = reader.counters
    for block in pending {
      _ = counters.count(block.form.block.kind, start: block.form.block.start)
    }
    var implied = counters
    let next = implied.count(form.block.kind)
    let number = counters.count(form.block.kind, start: form.block.start)
    // A number that the list has anyway is read as such.
    let begins = number != next
    if form.block.start != nil, !begins { losses.note(attribute: ListCounters.startAttribute) }
    let lists = last?.quote == form.quote && reader.listQuoteDepth == form.quote ? reader.lists : []
    // An item can be only one level deeper than the one before.
    let depth = min(level, lists.count + 1)
    if depth < level { losses.note(attribute: number == nil ? "list-item" : "ordered-item") }
    var (mark, indent) = (number == nil ? UInt8(ascii: "-") : UInt8(ascii: "."), 0)
    if lists.count >= depth {
      let open = lists[depth - 1]
      indent = open.indent
      if number == nil, open.number == nil { mark = open.mark }
      if number != nil, open.number != nil {
        // A reader counts the items of a list after its first itself.
        mark = begins ? open.mark ^ UInt8(ascii: ".") ^ UInt8(ascii: ")") : open.mark
      }
    } else if depth > 1 {
      // Four columns for each level are inside whatever the marks are, if the items around it are so too.
      let content = lists[depth - 2].content
      indent = content..<(content + 4) ~= 4 * (depth - 1) ? 4 * (depth - 1) : content
    }
    return Sign(
      text: [UInt8](repeating: 0x20, count: indent) + (number.map { Array("\($0)".utf8) } ?? [])
        + [mark, 0x20], isInside: depth > lists.count && depth > 1, number: number)
  }

  private mutating func note(_ attribute: String) { losses.note(attribute: attribute) }

  // MARK: Lines

  /// Lines as they say that they were, with their usual end, and as usual.
  private func lineDrafts(of block: ArraySlice<MarkupParagraph>) -> [Draft] {
    guard let first = block.first, let last = block.last else { return [] }
    var sum = losses
    for piece in block.lazy.flatMap(\.pieces) {
      for attribute in piece.style.attributes { sum.note(attribute: attribute.name) }
    }
    let lines = block.map { MarkdownContent.verbatim($0, noting: &sum) }
    let quotes = Self.quotes(first.form.quote)
    var start = before(first.form, isEmpty: false, noting: &sum)
    var fence: [UInt8] = []
    if case .code(let language) = first.form.block {
      let longest = lines.map { Self.longestRun(of: 0x60, in: $0) }.max() ?? 0
      fence = [UInt8](repeating: 0x60, count: max(3, longest + 1))
      start += fence + Array((language ?? "").utf8) + [0x0A] + quotes
    }
    func draft(_ own: [Markup.Spelling?], start ownStart: [UInt8], end ownEnd: [UInt8]?) -> Draft {
      let usualEnd = end(of: ownStart, usual: (start, fence), quotes)
      var (bytes, spellings) = (ownStart, [Markup.Spelling?]())
      for (index, line) in lines.enumerated() {
        let isLast = index == lines.count - 1
        var ownBefore: [UInt8]?
        if index > 0 {
          let indent = own[index]?.before.map { $0.suffix(while: { $0 != 0x0A }) } ?? quotes
          bytes += indent
          ownBefore = indent == quotes ? nil : indent
        } else if ownStart != start {
          ownBefore = ownStart
        }
        let after = isLast && ownEnd != usualEnd ? ownEnd : nil
        bytes += line + (isLast ? ownEnd ?? usualEnd : [0x0A])
        let hasParts = ownBefore != nil || after != nil
        spellings.append(
          hasParts ? Markup.Spelling(before: ownBefore, text: nil, after: after) : nil)
      }
      return Draft(bytes: bytes, spellings: spellings, losses: sum)
    }
    let usual = draft(Array(repeating: nil, count: lines.count), start: start, end: nil)
    let own = block.map(\.spelling)
    guard own.contains(where: { $0 != nil }) else { return [usual] }
    let ownStart = first.spelling?.before ?? start
    return [
      draft(own, start: ownStart, end: last.spelling?.after),
      draft(own, start: ownStart, end: nil), usual,
    ]
  }

  /// What ends lines that begin so: of code, the fence again.
  private func end(
    of start: [UInt8], usual: (start: [UInt8], fence: [UInt8]), _ quotes: [UInt8]
  ) -> [UInt8] {
    guard !usual.fence.isEmpty else { return [0x0A] }
    if start == usual.start { return [0x0A] + quotes + usual.fence + [0x0A] }
    // Without a line of its own before the text, it is indented code.
    let lines = start.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.count > 1 else { return [0x0A] }
    let fence = lines[lines.count - 2]
    guard let place = fence.firstIndex(where: { $0 == 0x60 || $0 == 0x7E }) else { return [0x0A] }
    let run = fence[place...].prefix { $0 == fence[place] }
    guard run.count >= 3 else { return [0x0A] }
    return [0x0A] + (lines.last ?? []) + run + [0x0A]
  }

  /// The length of the longest run of a byte.
  private static func longestRun(of byte: UInt8, in bytes: [UInt8]) -> Int {
    var (longest, current) = (0, 0)
    for next in bytes {
      current = next == byte ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }
}

extension Array {
  /// The last elements, as long as they fulfil a condition.
  fileprivate func suffix(while isIn: (Element) -> Bool) -> [Element] {
    Array(self[(lastIndex { !isIn($0) }.map { $0 + 1 } ?? 0)...])
  }
}
