import EditModel
import TextState

/// What a paragraph may be for an outline, whatever comes before it.
struct LineRole: Hashable {
  enum Kind: Hashable {
    /// None of the others.
    case text
    /// A heading. One that an attribute marks is a heading everywhere, another only where nothing is open.
    case heading(level: Int, isMarked: Bool)
    /// A fence of this number of characters: it may open a code block, and may close one.
    case fence(Character, count: Int, opens: Bool, closes: Bool)
    /// The beginning of a comment.
    case comment
    /// `---`, `+++` or `...`: it may begin or end front matter.
    case delimiter(Character)
  }

  let kind: Kind
  /// True if it ends a comment that is open.
  var endsComment = false

  private init(_ kind: Kind) { self.kind = kind }

  /// The role of what no section depends on.
  static let text = LineRole(.text)

  /// The role of a line of Markdown. (CommonMark 0.31, "ATX headings", "Fenced code blocks", "HTML blocks".)
  init(ofMarkdown line: String) {
    self.init(Self.kind(ofMarkdown: line))
    var dashCount = 0
    for byte in line.utf8 {
      if byte == UInt8(ascii: ">"), dashCount >= 2 { endsComment = true }
      dashCount = byte == UInt8(ascii: "-") ? dashCount + 1 : 0
    }
  }

  private static func kind(ofMarkdown line: String) -> Kind {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    guard indent <= 3, let first = rest.first else { return .text }
    func markCount() -> Int { rest.prefix { $0 == first }.count }
    switch first {
    case "`", "~":
      let count = markCount()
      guard count >= 3 else { return .text }
      let info = rest.dropFirst(count)
      return .fence(
        first, count: count, opens: first == "~" || !info.contains("`"),
        closes: info.allSatisfy(\.isWhitespace))
    case "#":
      let count = markCount()
      guard count <= 6, rest.dropFirst(count).first?.isWhitespace ?? true else { return .text }
      return .heading(level: count, isMarked: false)
    case "<": return rest.utf8.starts(with: "<!--".utf8) ? .comment : .text
    case "-", "+", ".":
      guard indent == 0, markCount() == 3, rest.dropFirst(3).allSatisfy(\.isWhitespace) else {
        return .text
      }
      return .delimiter(first)
    default: return .text
    }
  }

  /// The role of a paragraph by a rule. `text` is that of `range`, a paragraph's range in `state`.
  init(of text: String, at range: UTF16Range, in state: TextState, by rule: SectionRule) {
    self = Self.marked(at: range, in: state, by: rule) ?? Self(ofMarkdown: text)
  }

  /// The role of a paragraph, if attributes of its first unit say it; nil if its text does.
  static func marked(
    at range: UTF16Range, in state: TextState, by rule: SectionRule
  ) -> LineRole? {
    let attributes =
      range.isEmpty ? .empty : state.attributes(at: range.location).attributes
    switch rule {
    case .headings:
      func value(_ name: String) -> AttributeValue? {
        attributes[name].flatMap { $0 == .bool(false) ? nil : $0 }
      }
      // The kinds of `ParagraphKind` in the module `Styling`, in its order.
      if value("code-block") != nil { return .text }
      if let level = value("heading") { return heading(level) }
      return value("markdown") == nil ? nil : .text
    case .attribute(let name): return attributes[name].map(heading) ?? .text
    }
  }

  private static func heading(_ value: AttributeValue) -> LineRole {
    guard case .integer(let level) = value, (1...6).contains(level) else {
      return LineRole(.heading(level: 1, isMarked: true))
    }
    return LineRole(.heading(level: Int(level), isMarked: true))
  }
}

/// What the lines before leave open: a fence, a comment or front matter.
struct OpenLines {
  private var open: LineRole.Kind?

  /// Nothing.
  init() {}

  /// The level of the next paragraph, if it is a heading.
  mutating func headingLevel(of role: LineRole) -> Int? {
    switch (open, role.kind) {
    case (nil, .heading(level: let level, isMarked: _)),
      (_, .heading(level: let level, isMarked: true)):
      return level
    case (nil, .fence(_, count: _, opens: true, closes: _)): open = role.kind
    case (nil, .comment) where !role.endsComment: open = role.kind
    case (
      .fence(let mark, count: let count, opens: _, closes: _)?,
      .fence(let own, count: let ownCount, opens: _, closes: true)
    )
    where own == mark && ownCount >= count:
      open = nil
    case (.comment?, _) where role.endsComment: open = nil
    case (.delimiter(let mark)?, let kind) where Self.ends(kind, mark): open = nil
    default: break
    }
    return nil
  }

  /// Opens front matter after the first paragraph of a version, if the text begins so and there is its end. O(n).
  mutating func beginFrontMatter(of state: TextState, by rule: SectionRule) {
    guard let mark = Self.frontMatterMark(of: state, by: rule) else { return }
    let hasEnd = state.paragraphs.dropFirst().contains { paragraph in
      let text = String(state.text(in: paragraph.range))
      return Self.ends(LineRole(of: text, at: paragraph.range, in: state, by: rule).kind, mark)
    }
    if hasEnd { open = .delimiter(mark) }
  }

  /// The mark of the front matter as which a text begins: `---` or `+++`, and after it a line that is not blank,
  /// as it is after a rule between paragraphs. O(length of these lines).
  static func frontMatterMark(of state: TextState, by rule: SectionRule) -> Character? {
    let first = state.paragraph(at: 0).range
    let start = String(state.text(in: UTF16Range(0..<min(3, first.upperBound))))
    guard case .headings = rule, state.paragraphCount > 1, start == "---" || start == "+++",
      case .delimiter(let mark) = LineRole(
        of: String(state.text(in: first)), at: first, in: state, by: rule
      ).kind
    else { return nil }
    let second = String(state.text(in: state.paragraph(at: 1).range))
    return second.allSatisfy(\.isWhitespace) ? nil : mark
  }

  private static func ends(_ kind: LineRole.Kind, _ mark: Character) -> Bool {
    guard case .delimiter(let end) = kind else { return false }
    return end == mark || mark == "-" && end == "."
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
