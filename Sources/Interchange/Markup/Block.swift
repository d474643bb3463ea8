import EditModel
import Styling

extension Markup {
  /// What a paragraph is inside the quotes around it.
  enum Block: Hashable, Sendable {
    case text
    case heading(Int)
    case bullet(Int)
    /// An item of a numbered list: its level, and its number, if the text gives it.
    case number(Int, start: Int?)
    case code(String?)
    /// A line that is kept as it is written in Markdown.
    case raw(RawKind)

    /// The greatest depth of a quote or of a list's item.
    static let levelMax = 16
    /// The greatest level of a heading.
    static let headingMax = 6

    /// An item of a numbered list that has a number in a file.
    ///
    /// - Parameters:
    ///   - level: Its level, from 1.
    ///   - number: Its number in the file.
    ///   - counters: What was counted before it. The number is kept only if it is another one than theirs.
    static func number(_ level: Int, numbered number: Int, _ counters: ListCounters) -> Self {
      var counters = counters
      let next = counters.count(ParagraphKind(ParagraphKind.orderedItem, level: level))
      return .number(level, start: number == next ? nil : number)
    }

    /// What it is for those who count items.
    var kind: ParagraphKind {
      switch self {
      case .bullet(let level): ParagraphKind(ParagraphKind.listItem, level: level)
      case .number(let level, _): ParagraphKind(ParagraphKind.orderedItem, level: level)
      case .text, .heading, .code, .raw: .paragraph
      }
    }

    /// True if its paragraphs are lines: those that follow each other are one block.
    var isLines: Bool {
      switch self {
      case .code, .raw: true
      case .text, .heading, .bullet, .number: false
      }
    }

    /// The number that the text gives it; nil if it gives none.
    var start: Int? { if case .number(_, let start) = self { start } else { nil } }

    /// The kind that an attribute of one of `Markup.kinds` makes; nil if the value is none of that kind.
    init?(_ name: String, _ value: AttributeValue?) {
      switch (name, value) {
      case ("code-block", .bool(true)): self = .code(nil)
      case ("code-block", .string(let language)) where Self.isLanguage(language):
        self = .code(language)
      case (Markup.rawKind, .string(let name)):
        guard let kind = RawKind(rawValue: name) else { return nil }
        self = .raw(kind)
      case ("heading", .integer(let level)) where 1...Self.headingMax ~= Int(clamping: level):
        self = .heading(Int(clamping: level))
      case (_, .integer(let level)) where 1...Self.levelMax ~= Int(clamping: level):
        switch name {
        case "list-item": self = .bullet(Int(clamping: level))
        case "ordered-item": self = .number(Int(clamping: level), start: nil)
        default: return nil
        }
      default: return nil
      }
    }

    /// True for the name of a language as fences and classes have it.
    static func isLanguage(_ name: String) -> Bool {
      (1...40).contains(name.utf8.count)
        && name.utf8.allSatisfy {
          switch $0 {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x23, 0x2E, 0x2D, 0x5F: true
          default: false
          }
        }
    }

    /// The attributes of all units of such a paragraph.
    var attributes: AttributeSet {
      switch self {
      case .text: .empty
      case .heading(let level): ["heading": .integer(Int64(level))]
      case .bullet(let level): ["list-item": .integer(Int64(level))]
      case .number(let level, nil): ["ordered-item": .integer(Int64(level))]
      case .number(let level, let start?):
        [
          "ordered-item": .integer(Int64(level)),
          ListCounters.startAttribute: .integer(Int64(start)),
        ]
      case .code(nil): ["code-block": .bool(true)]
      case .code(let language?): ["code-block": .string(language)]
      case .raw(let kind): [Markup.rawKind: .string(kind.rawValue)]
      }
    }
  }
}
