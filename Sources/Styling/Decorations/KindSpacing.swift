import EditModel
import TextState

/// The blank rows between paragraphs by their kinds, such as those around a heading.
struct KindSpacing: Sendable {
  /// What paragraphs are spaced by.
  enum Group: String, CaseIterable, Sendable {
    case heading, list, paragraph, quote
  }

  /// The rows around a paragraph of each group.
  private var rows: [Group: Int] = [:]
  /// The groups that a file of rules sets: they count in each text.
  private var set: Set<Group> = []

  /// Sets the rows around paragraphs of a group.
  mutating func update(_ group: Group, to count: Int) {
    rows[group] = count
    set.insert(group)
  }

  /// The groups so far count in texts only whose log has kinds of paragraphs.
  mutating func becomeDefaults() { set = [] }

  /// Adds the rows that the kinds of paragraphs need.
  ///
  /// A text in which only a grammar finds kinds has the blank lines of its source: there, headings get space
  /// and nothing else does. A text without kinds may be code, and gets none.
  ///
  /// - Parameters:
  ///   - spacing: The rows of each paragraph.
  ///   - paragraphs: The paragraphs, by index.
  ///   - state: The version with the derived attributes.
  ///   - derivesKinds: True if rules derive the kinds.
  func add(
    to spacing: inout [ParagraphSpacing], of paragraphs: Range<Int>, in state: TextState,
    derivesKinds: Bool
  ) {
    guard let first = paragraphs.first, let last = paragraphs.last else { return }
    let defaults: Set<Group> =
      derivesKinds ? [.heading] : state.hasKinds ? Set(Group.allCases) : []
    let counted = set.union(defaults)
    guard rows.contains(where: { counted.contains($0.key) && $0.value > 0 }) else { return }
    let all = state.paragraphs[max(0, first - 1)..<min(last + 2, state.paragraphCount)]
    var previous: Member?
    if first > 0, let paragraph = all.first { previous = Member(paragraph, in: state) }
    var rest = (first > 0 ? all.dropFirst() : all[...]).map { Member($0, in: state) }[...]
    for index in spacing.indices {
      guard let member = rest.popFirst() else { return }
      defer { previous = member }
      guard let member, counted.contains(member.group), let rows = rows[member.group] else {
        continue
      }
      if first + index > 0, !member.joins(previous) {
        spacing[index].marginBefore = max(spacing[index].marginBefore, rows)
      }
      // The text's end needs no space after it.
      if let next = rest.first, !member.joins(next),
        !(first + index + 2 == state.paragraphCount && next == nil)
      {
        spacing[index].marginAfter = max(spacing[index].marginAfter, rows)
      }
    }
  }
}

/// What decides about the space between a paragraph and the next one.
private struct Member {
  let group: KindSpacing.Group
  private let kind: ParagraphKind
  /// The block of lines that it belongs to; nil if it is a paragraph of its own.
  private let lines: AttributeValue?

  /// Nil for code, and for an empty paragraph of no kind.
  init?(_ paragraph: ParagraphDescriptor, in state: TextState) {
    guard !paragraph.range.isEmpty else { return nil }
    let attributes = state.attributes(at: paragraph.range.location).attributes
    (kind, lines) = (ParagraphKind(attributes), attributes[ParagraphKind.lines])
    switch kind.name {
    case "heading": group = .heading
    case ParagraphKind.listItem, ParagraphKind.orderedItem: group = .list
    case "quote": group = .quote
    case ParagraphKind.paragraph.name
    where lines != nil || !state.contentRange(of: paragraph).isEmpty:
      group = .paragraph
    default: return nil
    }
  }

  /// True if there is no space between the two: they are items of lists, or lines of one block.
  func joins(_ other: Member?) -> Bool {
    guard let other else { return false }
    return group == .list && other.group == .list
      || lines != nil && lines == other.lines && kind == other.kind
  }
}

extension TextState {
  /// True if some paragraph has the attribute of a kind, or that of `ParagraphKind.paragraph`. O(log n).
  fileprivate var hasKinds: Bool {
    ParagraphKind.attributes.contains { previousAttributeRun(carrying: $0, before: length) != nil }
  }
}
