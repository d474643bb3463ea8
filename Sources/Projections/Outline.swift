public import EditModel
public import TextState

/// What begins a section.
public enum SectionRule: Hashable, Sendable {
  /// Headings: paragraphs with the attribute `heading`, whose value is the level as below, unless it is false, and
  /// those of Markdown: one to six `#` and a space, or nothing, after at most three spaces. Of the latter there is
  /// none in a fenced code block, in a comment that begins a line, in front matter at the start of the text, and in
  /// paragraphs with the attributes `code-block` or `markdown`. (CommonMark 0.31, "ATX headings", "Fenced code
  /// blocks", "HTML blocks".)
  case headings
  /// Paragraphs whose first unit has this attribute. An integer from 1 to 6 is the level; any other
  /// value is level 1.
  case attribute(String)
}

/// A section: a heading, and the paragraphs up to the next one.
public struct Section: Hashable, Sendable {
  /// The text of the heading, without its marks and its terminator. Nil for what comes before the
  /// first heading.
  public let heading: UTF16Text?
  /// The heading's paragraph; nil if there is none.
  public let id: ParagraphID?
  /// The heading's level, from 1; 0 before the first heading.
  public let level: Int
  /// Its paragraphs, the heading among them, by index.
  public internal(set) var paragraphs: Range<Int>
  /// Its range, in UTF-16 units.
  public internal(set) var range: UTF16Range
  /// Runs of characters that are not white space, those of the heading's text among them.
  public internal(set) var wordCount = 0
  /// Characters as people count them, without terminators.
  public internal(set) var characterCount = 0
  /// The number of the edit that created its oldest paragraph.
  public internal(set) var firstEdit: SequenceNumber
}

/// The sections of a version. Each paragraph is in exactly one section.
public struct Outline: Hashable, Sendable {
  /// The sections, in document order. The first one has no heading if text comes before all of
  /// them. There is always one section at least.
  public let sections: [Section]
  /// What begins a section.
  public let rule: SectionRule

  /// The outline of `state`. O(n).
  public init(of state: TextState, rule: SectionRule = .headings) {
    var sections: [Section] = []
    var open = OpenLines()
    for (index, paragraph) in state.paragraphs.enumerated() {
      let text = String(state.text(in: paragraph.range))
      let role = LineRole(of: text, at: paragraph.range, in: state, by: rule)
      let level = open.headingLevel(of: role)
      if index == 0 { open.beginFrontMatter(of: state, by: rule) }
      let heading = level.map { _ in Self.headingText(text, of: role) }
      if sections.isEmpty || level != nil {
        sections.append(
          Section(
            heading: heading.map { UTF16Text($0) }, id: level.map { _ in paragraph.id },
            level: level ?? 0, paragraphs: index..<index,
            range: UTF16Range(paragraph.range.location..<paragraph.range.location),
            firstEdit: paragraph.id.sequence))
      }
      sections[sections.count - 1]
        .append(paragraph, ParagraphCounts(text, heading: heading))
    }
    (self.sections, self.rule) = (sections, rule)
  }

  /// The section at `index` with those under it: the sections after it of a greater level. Nil if
  /// there is no such section.
  public func subtree(at index: Int) -> Range<Int>? {
    guard sections.indices.contains(index) else { return nil }
    let end = sections[(index + 1)...].firstIndex { $0.level <= sections[index].level }
    return index..<(end ?? sections.count)
  }

  // MARK: Headings

  /// The text of a heading, without its marks and its terminator.
  static func headingText(_ line: String, of role: LineRole) -> String {
    if case .heading(_, isMarked: true) = role.kind { return String(trim(line[...])) }
    return withoutClosing(line.drop { $0 == " " }.drop { $0 == "#" })
  }

  /// The text of a heading without the `#` that may close it.
  private static func withoutClosing(_ text: Substring) -> String {
    let trimmed = trim(text)
    let closing = trimmed.reversed().prefix { $0 == "#" }.count
    let before = trimmed.dropLast(closing)
    return String(closing > 0 && (before.last?.isWhitespace ?? true) ? trim(before) : trimmed)
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension Section {
  /// Adds the next paragraph.
  fileprivate mutating func append(_ paragraph: ParagraphDescriptor, _ counts: ParagraphCounts) {
    paragraphs = paragraphs.lowerBound..<paragraphs.upperBound + 1
    range = UTF16Range(range.location..<paragraph.range.upperBound)
    firstEdit = min(firstEdit, paragraph.id.sequence)
    wordCount += counts.words
    characterCount += counts.characters
  }
}
