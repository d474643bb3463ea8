import EditModel

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
  /// For each open list, the number of its last item; 0 for a list without numbers.
  private var lists: [Int] = []
  /// The lines of the open block of code.
  private var code: [[UInt8]] = []

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
    if !isItem { lists = [] }
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
    case .bullet(let level): return item(level, isNumbered: false)
    case .number(let level): return item(level, isNumbered: true)
    }
  }

  private mutating func item(_ level: Int, isNumbered: Bool) -> [UInt8] {
    // An item can be only one level deeper than the one before.
    let depth = min(level, lists.count + 1)
    if depth < level { losses.note(attribute: isNumbered ? "ordered-item" : "list-item") }
    if lists.count > depth { lists.removeLast(lists.count - depth) }
    if lists.count == depth, (lists[depth - 1] > 0) != isNumbered { lists.removeLast() }
    if lists.count < depth { lists.append(0) }
    var mark = "- "
    if isNumbered {
      lists[depth - 1] += 1
      mark = "\(lists[depth - 1]). "
    }
    let indent = [UInt8](repeating: 0x20, count: 4 * (depth - 1))
    return indent + Array(mark.utf8)
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
