import EditModel
import TextState

/// What a paragraph may be for an outline, whatever comes before it.
enum LineRole: Hashable {
  /// Neither of the others.
  case text
  /// A heading of this level, unless a fence is open.
  case heading(level: Int)
  /// A fence of this number of characters: it may open a code block, and may close one.
  case fence(Character, count: Int, opens: Bool, closes: Bool)

  /// The role of a line of Markdown. (CommonMark 0.31, "ATX headings", "Fenced code blocks".)
  init(ofMarkdown line: String) {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    self = .text
    guard indent <= 3, let first = rest.first else { return }
    let count = rest.prefix { $0 == first }.count
    let info = rest.dropFirst(count)
    switch first {
    case "`", "~":
      guard count >= 3 else { return }
      self = .fence(
        first, count: count, opens: first == "~" || !info.contains("`"),
        closes: info.allSatisfy(\.isWhitespace))
    case "#":
      if count <= 6, info.first?.isWhitespace ?? true { self = .heading(level: count) }
    default: return
    }
  }

  /// The role of a paragraph by a rule. `text` is that of `range`, a paragraph's range in `state`.
  init(of text: String, at range: UTF16Range, in state: TextState, by rule: SectionRule) {
    switch rule {
    case .headings: self.init(ofMarkdown: text)
    case .attribute(let name):
      self = .text
      guard !range.isEmpty, let value = state.attributes(at: range.location).attributes[name]
      else { return }
      if case .integer(let number) = value, (1...6).contains(number) {
        self = .heading(level: Int(number))
      } else {
        self = .heading(level: 1)
      }
    }
  }

  /// The level, if it is a heading after what came before. `open` is the fence that is open.
  func headingLevel(after open: inout LineRole?) -> Int? {
    switch self {
    case .text: return nil
    case .heading(let level): return open == nil ? level : nil
    case .fence(let character, let count, let opens, let closes):
      guard case .fence(character, let openCount, _, _) = open else {
        if open == nil, opens { open = self }
        return nil
      }
      if count >= openCount, closes { open = nil }
      return nil
    }
  }
}

/// What a paragraph counts for its section.
struct ParagraphCounts: Hashable {
  /// Words: runs of characters that are not white space. The marks of a heading are none.
  var words = 0
  /// Characters as people count them, without terminators.
  var characters = 0

  /// The counts of a paragraph. `heading` is its text without its marks, if it is a heading.
  init(_ text: String, heading: String? = nil) {
    for character in text where !character.isTerminator { characters += 1 }
    var isInWord = false
    for character in heading ?? text {
      if !character.isWhitespace, !isInWord { words += 1 }
      isInWord = !character.isWhitespace
    }
  }
}

extension Character {
  fileprivate var isTerminator: Bool {
    self == "\n" || self == "\r" || self == "\r\n" || self == "\u{2029}"
  }
}
