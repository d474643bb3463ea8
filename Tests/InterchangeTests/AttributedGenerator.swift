import EditModel
import Interchange
import TestSupport

/// Seeded texts with attributes.
struct AttributedGenerator {
  private var random: EntryGenerator

  init(seed: UInt64) { random = EntryGenerator(seed: seed) }

  /// A text of any units, with attributes of any names and values, known styles among them.
  mutating func anything() -> AttributedText {
    var text = AttributedText()
    for _ in 0..<below(12) {
      var attributes = random.chance(3) ? AttributeSet() : random.attributeSet()
      if random.chance(2) { attributes = attributes.merging(knownStyle()) }
      text.append(pieces() + random.units(max: 6), attributes)
    }
    return text
  }

  /// A text of paragraphs that HTML and Markdown can carry: known styles, LF, no empty paragraph.
  mutating func markup() -> AttributedText {
    var text = AttributedText()
    let count = below(7)
    var isFirst = true
    for _ in 0..<count {
      let block = block()
      if !isFirst { text.append(CollectionOfOne(0x0A), lastBlock) }
      (isFirst, lastBlock) = (false, block)
      let isCode = block["code-block"] != nil
      for _ in 0..<1 + below(4) {
        text.append(words(), isCode ? block : block.merging(inlineStyle()))
      }
    }
    return text
  }

  private var lastBlock = AttributeSet.empty
  private var level: Int64 = 0
  private var quote: Int64 = 0

  private mutating func below(_ bound: UInt64) -> Int { Int(random.random.next() % bound) }

  /// A kind of paragraph, in some quotes. Items in another quote than the paragraph before begin a list.
  private mutating func block() -> AttributeSet {
    let last = quote
    if random.chance(3) { quote = Int64(below(3)) }
    let isItem =
      last == quote && (lastBlock["list-item"] != nil || lastBlock["ordered-item"] != nil)
    level = isItem ? Int64(1 + below(UInt64(min(level + 1, 5)))) : 1
    let kind: AttributeSet =
      switch below(8) {
      case 0: ["heading": .integer(Int64(1 + below(6)))]
      case 2, 3: ["list-item": .integer(level)]
      case 4: orderedItem(level)
      case 5: ["code-block": .bool(true)]
      case 6: ["code-block": .string("c++")]
      default: .empty
      }
    return quote == 0 ? kind : kind.merging(["quote": .integer(quote)])
  }

  private var startCount: Int64 = 0

  /// An item, of which some have a number: never that which the list has anyway.
  private mutating func orderedItem(_ level: Int64) -> AttributeSet {
    startCount += 1
    let item: AttributeSet = ["ordered-item": .integer(level)]
    return random.chance(3)
      ? item.merging(["ordered-start": .integer(startCount % 7 * 123_456 + startCount * 1_000)])
      : item
  }

  /// Paragraphs of which most are items of lists with and without numbers, one in another.
  ///
  /// - Parameter jumps: True if an item may be more than one level deeper than the one before.
  mutating func lists(jumps: Bool) -> AttributedText {
    var (text, last) = (AttributedText(), 0 as Int64)
    var previous = AttributeSet.empty
    for index in 0..<40 {
      if index > 0 { text.append(CollectionOfOne(0x0A), previous) }
      let deepest = jumps ? 16 : min(16, last + 1)
      last = max(1, random.chance(3) ? deepest : Int64(1 + below(UInt64(deepest))))
      switch below(12) {
      case 0: (previous, last) = (.empty, 0)
      case 1: (previous, last) = (["heading": .integer(2)], 0)
      case 2...5: previous = ["list-item": .integer(last)]
      default: previous = orderedItem(last)
      }
      text.append(Array("item \(index)".utf16), previous)
    }
    return text
  }

  private mutating func inlineStyle() -> AttributeSet {
    var style = AttributeSet()
    guard !random.chance(3) else { return style }
    for name in ["bold", "italic", "underline", "strikethrough", "highlight", "inline-code"]
    where random.chance(4) {
      style[name] = .bool(true)
    }
    if random.chance(6) { style["link"] = .string("https://a.example/x(y)?a=1&b=<2>\\") }
    return style
  }

  /// Styles that the usual rule of XML has, and some that only look so.
  private mutating func knownStyle() -> AttributeSet {
    switch below(4) {
    case 0: inlineStyle()
    case 1: block()
    case 2: ["bold": .integer(1), "heading": .bool(true)]
    default: ["heading": .integer(9), "quote": .integer(2), "link": .string("a\0b")]
    }
  }

  private static let fragments: [String] = [
    "a", "word ", " ", "  ", "\t", "😀", "é", "e\u{301}", "\u{2028}", "\u{0B}", "\u{1B}", "\u{85}",
    "1.", "1) ", "- ", "+ x", "# ", "#", "> ", "*", "**", "_", "`", "``", "```", "~", "~~", "\\",
    "[", "](", ")", "<b>", "</b>", "<br>", "&amp;", "&#32;", "&", "=", "==", "===", "---", "!",
    "\u{FEFF}",
    "\u{A0}", "|", "\"", "'", "<!--", "\u{FFFD}", "日本語", "\u{10FFFD}", "x_y", "http://x.example",
  ]

  private mutating func words() -> [UInt16] {
    (0..<1 + below(4)).flatMap { _ in
      Array(Self.fragments[below(UInt64(Self.fragments.count))].utf16)
    }
  }

  private static let hard: [[UInt16]] = [
    [0x0A], [0x0D], [0x0D, 0x0A], [0x2029], [0x2028], [0], [0x1B], [0xD800], [0xDC00], [0xFFFE],
    [0xFFFF], [0x7F], [0x85], [0xDBFF, 0xDFFF], Array("]]>".utf16), Array("<&>\"'".utf16),
  ]

  private mutating func pieces() -> [UInt16] {
    (0..<below(5)).flatMap { _ in
      random.chance(2) ? Self.hard[below(UInt64(Self.hard.count))] : words()
    }
  }
}
