import EditModel
import Styling

/// Writes a styled text as Markdown: CommonMark, with `~~` as on GitHub, `==` for highlights, and HTML elements for
/// all other styles.
///
/// The text is literal: its own `#` and `*` are escaped. A blank line is between paragraphs, so empty
/// ones are left out. U+2028 is `<br>`, so that each paragraph is one line.
public struct MarkdownWriter {
  private var output: [UInt8] = []
  /// What Markdown cannot carry.
  public private(set) var losses = Losses()
  /// The kind of the paragraph before; nil at the beginning.
  private var last: Markup.Form?
  /// True if the paragraph before has text, so that an item inside it could be read as more of that.
  private var isAfterText = false
  /// True if a reader adds an empty paragraph here, should a block of code follow.
  private var isAfterCode = false
  private var lists: [OpenList] = []
  /// The numbers of the items so far.
  private var counters = ListCounters()
  /// The lines of the open block of code.
  private var code: [[UInt8]] = []

  /// A list whose last item may have others inside.
  private struct OpenList {
    /// What is between a number and its item: `.` or `)`. Nil for a list without numbers. A list that
    /// ends where another begins has the other one.
    var delimiter: UInt8?
    /// The column at which the content of the last item begins.
    var content = 0
  }

  /// A writer.
  public init() {}

  /// A whole document in UTF-8. O(n).
  ///
  /// - Parameter text: The text to write.
  /// - Returns: The bytes, with an LF at the end unless there is no paragraph.
  public mutating func document(of text: AttributedText) -> [UInt8] {
    self = MarkdownWriter()
    // Nothing is lost of the one empty paragraph.
    if text.isEmpty { return [] }
    text.forEachParagraph { write(MarkupParagraph($0, noting: &losses)) }
    closeCode()
    // A reader takes it for the mark of the encoding, which is no text.
    if output.starts(with: [0xEF, 0xBB, 0xBF]) {
      output.replaceSubrange(..<3, with: Array("&#xFEFF;".utf8))
    }
    return output
  }

  // MARK: Blocks

  private mutating func write(_ paragraph: MarkupParagraph) {
    let form = paragraph.form
    if case .code = form.block {
      if form != last { closeCode() }
      return addCode(paragraph)
    }
    let endsCode = !code.isEmpty && last?.quote == form.quote
    closeCode()
    if form.block == .text, paragraph.pieces.isEmpty {
      losses.droppedParagraphs += 1
      isAfterCode = isAfterCode || endsCode
      return
    }
    isAfterCode = false
    let sign = sign(of: form)
    begin(form, needsBlank: sign.needsBlank(paragraph.pieces.isEmpty) && isAfterText)
    isAfterText = !paragraph.pieces.isEmpty
    output += Self.quotes(form.quote) + sign.text
    var content = MarkdownContent(paragraph.pieces)
    if paragraph.pieces.isEmpty {
      while output.last == 0x20 { output.removeLast() }
    } else {
      content.write(noting: &losses)
      output += content.output
    }
    output.append(0x0A)
  }

  /// Separates a block from the one before.
  ///
  /// - Parameters:
  ///   - form: The form of the block.
  ///   - needsBlank: True if a blank line has to be before it although both are items of lists.
  private mutating func begin(_ form: Markup.Form, needsBlank: Bool = false) {
    if let last {
      let areItems = Self.isItem(form.block) && Self.isItem(last.block)
      if needsBlank || !areItems || last.quote != form.quote {
        output += Array(String(repeating: ">", count: min(last.quote, form.quote)).utf8)
        output.append(0x0A)
      }
    }
    last = form
  }

  private static func isItem(_ block: Markup.Block) -> Bool {
    switch block {
    case .bullet, .number: true
    case .text, .heading, .code: false
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

  /// The sign of a block. Ends the lists that it is not in.
  private mutating func sign(of form: Markup.Form) -> Sign {
    if last?.quote != form.quote { lists = [] }
    switch form.block {
    case .bullet(let level), .number(let level, _): return item(form.block, level)
    case .heading(let level):
      (lists, counters) = ([], ListCounters())
      return Sign(text: Array(String(repeating: "#", count: level).utf8) + [0x20])
    case .text, .code:
      (lists, counters) = ([], ListCounters())
      return Sign()
    }
  }

  private mutating func item(_ block: Markup.Block, _ level: Int) -> Sign {
    var implied = counters
    let next = implied.count(block.kind)
    let number = counters.count(block.kind, start: block.start)
    // A number that the list has anyway is read as such.
    let begins = number != next
    if block.start != nil, !begins { losses.note(attribute: ListCounters.startAttribute) }
    // An item can be only one level deeper than the one before.
    let depth = min(level, lists.count + 1)
    if depth < level { losses.note(attribute: number == nil ? "list-item" : "ordered-item") }
    let isInside = depth > lists.count && depth > 1
    if lists.count > depth { lists.removeLast(lists.count - depth) }
    var delimiter = number.map { _ in UInt8(ascii: ".") }
    if lists.count == depth {
      let open = lists.removeLast()
      if number != nil, let used = open.delimiter {
        // A reader counts the items of a list after its first itself.
        delimiter = begins ? used ^ UInt8(ascii: ".") ^ UInt8(ascii: ")") : used
      }
    }
    let mark = number.map { Array("\($0)".utf8) } ?? []
    let indent = max(4 * (depth - 1), lists.last?.content ?? 0)
    let sign = mark + [delimiter ?? UInt8(ascii: "-"), 0x20]
    lists.append(OpenList(delimiter: delimiter, content: indent + sign.count))
    return Sign(
      text: [UInt8](repeating: 0x20, count: indent) + sign, isInside: isInside, number: number)
  }

  // MARK: Code

  private mutating func addCode(_ paragraph: MarkupParagraph) {
    if code.isEmpty {
      // The empty paragraph between two blocks is not lost: a reader adds it.
      if isAfterCode, paragraph.form == last { losses.droppedParagraphs -= 1 }
      (isAfterCode, isAfterText) = (false, false)
      _ = sign(of: paragraph.form)
      begin(paragraph.form)
    }
    var line: [UInt8] = []
    for piece in paragraph.pieces {
      for attribute in piece.style.attributes { losses.note(attribute: attribute.name) }
      let units = piece.style.image.map { Array("[\($0)]".utf16)[...] } ?? piece.units
      line += MarkdownContent.verbatim(units, noting: &losses)
    }
    code.append(line)
  }

  private mutating func closeCode() {
    guard !code.isEmpty, let last, case .code(let language) = last.block else { return }
    let quotes = Self.quotes(last.quote)
    let longest = code.map { Self.longestRun(of: 0x60, in: $0) }.max() ?? 0
    let fence = [UInt8](repeating: 0x60, count: max(3, longest + 1))
    for line in [fence + Array((language ?? "").utf8)] + code + [fence] {
      output += quotes + line
      output.append(0x0A)
    }
    code = []
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
