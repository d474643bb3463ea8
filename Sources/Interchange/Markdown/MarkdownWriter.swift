import EditModel
import Styling

/// Writes a styled text as Markdown: CommonMark, with the `~~` of GitHub, and elements of HTML for what
/// has no sign.
///
/// The text is literal: its own `#` and `*` are escaped. A blank line is between paragraphs, so empty
/// ones are left out. U+2028 is `<br>`, so that each paragraph is one line.
public struct MarkdownWriter {
  private var output: [UInt8] = []
  /// What Markdown cannot carry.
  public private(set) var losses = Losses()
  /// The kind of the paragraph before; nil at the beginning.
  private var last: Markup.Block?
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
    return output
  }

  // MARK: Blocks

  private mutating func write(_ paragraph: MarkupParagraph) {
    let block = paragraph.block
    if case .code = block {
      if block != last { closeCode() }
      return addCode(paragraph)
    }
    closeCode()
    switch block {
    case .text, .quote:
      guard !paragraph.pieces.isEmpty else {
        losses.droppedParagraphs += 1
        return
      }
      begin(block)
    case .heading, .bullet, .number, .code: begin(block)
    }
    output += prefix(of: block)
    var content = MarkdownContent(paragraph.pieces)
    if paragraph.pieces.isEmpty {
      while output.last == 0x20 { output.removeLast() }
    } else {
      content.write(noting: &losses)
      output += content.output
    }
    output.append(0x0A)
  }

  /// Separates a block from the one before, and ends its lists.
  private mutating func begin(_ block: Markup.Block) {
    let isItem = Self.isItem(block)
    if let last, !(isItem && Self.isItem(last)) {
      if case .quote(let level) = block, case .quote(let before) = last {
        output += Array(String(repeating: ">", count: min(level, before)).utf8)
      }
      output.append(0x0A)
    }
    if !isItem { (lists, counters) = ([], ListCounters()) }
    last = block
  }

  private static func isItem(_ block: Markup.Block) -> Bool {
    switch block {
    case .bullet, .number: true
    case .text, .heading, .quote, .code: false
    }
  }

  /// What is before the line of a block.
  private mutating func prefix(of block: Markup.Block) -> [UInt8] {
    switch block {
    case .text, .code: return []
    case .heading(let level): return Array(String(repeating: "#", count: level).utf8) + [0x20]
    case .quote(let level):
      return Array(String(repeating: ">", count: level).utf8) + [0x20]
    case .bullet(let level), .number(let level, _): return item(block, level)
    }
  }

  private mutating func item(_ block: Markup.Block, _ level: Int) -> [UInt8] {
    var implied = counters
    let next = implied.count(block.kind)
    let number = counters.count(block.kind, start: block.start)
    // A number that the list has anyway is read as such.
    let begins = number != next
    if block.start != nil, !begins { losses.note(attribute: ListCounters.startAttribute) }
    // An item can be only one level deeper than the one before.
    let depth = min(level, lists.count + 1)
    if depth < level { losses.note(attribute: number == nil ? "list-item" : "ordered-item") }
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
    return [UInt8](repeating: 0x20, count: indent) + sign
  }

  // MARK: Code

  private mutating func addCode(_ paragraph: MarkupParagraph) {
    if code.isEmpty { begin(paragraph.block) }
    var line: [UInt8] = []
    for piece in paragraph.pieces {
      for attribute in piece.style.attributes { losses.note(attribute: attribute.name) }
      line += MarkdownContent.verbatim(piece.units, noting: &losses)
    }
    code.append(line)
  }

  private mutating func closeCode() {
    guard !code.isEmpty, case .code(let language)? = last else { return }
    let longest = code.map { Self.longestRun(of: 0x60, in: $0) }.max() ?? 0
    let fence = [UInt8](repeating: 0x60, count: max(3, longest + 1))
    output += fence
    output += Array((language ?? "").utf8)
    output.append(0x0A)
    for line in code {
      output += line
      output.append(0x0A)
    }
    output += fence
    output.append(0x0A)
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
