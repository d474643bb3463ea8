package import EditModel
package import TextState

/// The sections of a text, kept up to date through its edits.
///
/// Invariant: the sections are those of the `Outline` of the version last applied.
package struct FollowedOutline: Sendable {
  /// A section, without its place: an edit of another section does not change it.
  package struct Section: Hashable, Sendable {
    /// The heading's paragraph; nil before the first heading.
    package let id: ParagraphID?
    /// The text of the heading; nil if there is none.
    package fileprivate(set) var heading: UTF16Text?
    /// The heading's level; 0 before the first heading.
    package fileprivate(set) var level: Int
    /// The number of paragraphs, the heading among them.
    package fileprivate(set) var paragraphCount: Int
    /// UTF-16 units.
    package fileprivate(set) var length: Int
    /// Its words.
    package fileprivate(set) var wordCount: Int
    /// Its characters.
    package fileprivate(set) var characterCount: Int
    /// The edit that created its oldest paragraph.
    package fileprivate(set) var firstEdit: SequenceNumber

    fileprivate init(_ section: Projections.Section) {
      (id, heading, level) = (section.id, section.heading, section.level)
      (paragraphCount, length) = (section.paragraphs.count, section.range.length)
      (wordCount, characterCount) = (section.wordCount, section.characterCount)
      firstEdit = section.firstEdit
    }
  }

  /// What edits changed.
  package enum Update: Sendable {
    /// The sections are the same. For each event, in their order, its section, and the index of its paragraph
    /// in the section: of a removed one in the list that the removals before it left, of others in the new one.
    case places([(section: Int, item: Int)])
    /// Other paragraphs are headings. These were the sections before.
    case sections([Section])
  }

  /// The sections, in order; one at least.
  package private(set) var sections: [Section]
  /// The number of paragraphs whose text was read.
  private(set) var readCount: Int
  private var counts: SectionCounts
  /// For each section the number of its paragraphs that `firstEdit` created.
  private var oldestCounts: [Int]
  let rule: SectionRule

  /// The sections of a version. O(n).
  package init(of state: TextState, rule: SectionRule) {
    self.rule = rule
    readCount = state.paragraphCount
    let outline = Outline(of: state, rule: rule).sections
    sections = outline.map(Section.init)
    counts = SectionCounts(sections.map(\.paragraphCount))
    oldestCounts = outline.map { section in
      state.paragraphs[section.paragraphs].count { $0.id.sequence == section.firstEdit }
    }
  }

  /// The section of a paragraph, and its index in it. O(log n).
  func place(of paragraph: Int) -> (section: Int, item: Int) {
    // Between two events, the only section may have no paragraph.
    sections.count == 1 ? (0, paragraph) : counts.place(of: paragraph)
  }

  /// Applies the events of edits, which lead from one version to the next.
  ///
  /// O(changed paragraphs · log n) if the same paragraphs are headings, and if none appears or vanishes that could be
  /// a heading, or could begin or end a fence, a comment or front matter; O(paragraphs of a section) besides if its
  /// last one of its oldest edit is removed. Else O(n).
  package mutating func apply(
    _ events: ParagraphEvents, from before: TextState, to after: TextState
  ) -> Update {
    guard let changes = changes(events, before, after) else {
      let old = sections
      let count = readCount
      self = Self(of: after, rule: rule)
      readCount += count
      return .sections(old)
    }
    var places: [(section: Int, item: Int)] = []
    for change in changes {
      let place = place(of: change)
      places.append(place)
      var section = sections[place.section]
      section.paragraphCount += change.count
      section.length += change.length
      counts.add(change.count, at: place.section)
      add(change, to: &section, isHeading: place.item == 0 && section.id != nil)
      if change.id.sequence == section.firstEdit {
        oldestCounts[place.section] += change.count
      } else if change.count > 0, change.id.sequence < section.firstEdit {
        section.firstEdit = change.id.sequence
        oldestCounts[place.section] = 1
      }
      sections[place.section] = section
    }
    for section in Set(places.map(\.section)) where oldestCounts[section] == 0 {
      findOldest(of: section, in: after)
    }
    return .places(places)
  }

  /// Finds the oldest paragraphs of a section anew. O(its paragraphs).
  private mutating func findOldest(of section: Int, in state: TextState) {
    let start = counts.start(of: section)
    let paragraphs = state.paragraphs[start..<start + sections[section].paragraphCount]
    guard let first = paragraphs.lazy.map(\.id.sequence).min() else { return }
    sections[section].firstEdit = first
    oldestCounts[section] = paragraphs.count { $0.id.sequence == first }
  }

  /// An event, with the texts that it changed.
  private struct ParagraphChange {
    let event: ParagraphEvent
    let id: ParagraphID
    /// The text before and after; nil if the paragraph was not there, or if only attributes changed.
    let oldText, newText: String?
    /// What it is, before and after.
    let role: LineRole
    let length: Int
    let count: Int
  }

  /// The changes of texts. Nil if the sections may not be the same.
  private mutating func changes(
    _ events: ParagraphEvents, _ before: TextState, _ after: TextState
  ) -> [ParagraphChange]? {
    let first = sections[0]
    var (changes, removedFromFirst): ([ParagraphChange], Int) = ([], 0)
    for event in events {
      var (oldRange, newRange): (UTF16Range?, UTF16Range?)
      let id: ParagraphID
      switch event {
      case .removed(let index, let descriptor, _):
        (id, oldRange) = (descriptor.id, descriptor.range)
        if index < first.paragraphCount { removedFromFirst += 1 }
      case .inserted(let index, let descriptor, _):
        // Text before the first heading begins a section.
        if index == 0, first.id != nil { return nil }
        (id, newRange) = (descriptor.id, descriptor.range)
      case .edited(_, let descriptor, let range):
        (id, oldRange, newRange) = (descriptor.id, range, descriptor.range)
      case .attributesChanged(_, let descriptor, _):
        id = descriptor.id
        // The text is the same: it is read only if attributes say something else than before.
        if let range = before.paragraph(id)?.descriptor.range,
          LineRole.marked(at: range, in: before, by: rule)
            != LineRole.marked(at: descriptor.range, in: after, by: rule)
        {
          (oldRange, newRange) = (range, descriptor.range)
        }
      }
      let (oldText, newText) = (text(oldRange, before), text(newRange, after))
      let role = role(newText, newRange, after)
      guard role == self.role(oldText, oldRange, before) else { return nil }
      changes.append(
        ParagraphChange(
          event: event, id: id, oldText: oldText, newText: newText, role: role,
          length: (newRange?.length ?? 0) - (oldRange?.length ?? 0),
          count: event.isInserted ? 1 : event.isRemoved ? -1 : 0))
    }
    // The same lines may be front matter no longer if others come before them or between them.
    guard
      OpenLines.frontMatterMark(of: before, by: rule)
        == OpenLines.frontMatterMark(of: after, by: rule)
    else { return nil }
    // The text before the first heading may be gone.
    guard first.id != nil || sections.count == 1 || removedFromFirst < first.paragraphCount else {
      return nil
    }
    return changes
  }

  private mutating func text(_ range: UTF16Range?, _ state: TextState) -> String? {
    guard let range else { return nil }
    readCount += 1
    return String(state.text(in: range))
  }

  /// What is not there is text: nothing depends on it.
  private func role(_ text: String?, _ range: UTF16Range?, _ state: TextState) -> LineRole {
    guard let text, let range else { return .text }
    return LineRole(of: text, at: range, in: state, by: rule)
  }

  private func place(of change: ParagraphChange) -> (section: Int, item: Int) {
    guard case .inserted(let index, _, _) = change.event, index > 0 else {
      return place(of: change.event.index)
    }
    // A new paragraph that is no heading belongs to the section of the one before.
    let before = place(of: index - 1)
    return (before.section, before.item + 1)
  }

  private func add(_ change: ParagraphChange, to section: inout Section, isHeading: Bool) {
    func heading(_ text: String) -> String? {
      isHeading ? Outline.headingText(text, of: change.role) : nil
    }
    if let text = change.oldText {
      let counts = ParagraphCounts(text, heading: heading(text))
      section.wordCount -= counts.words
      section.characterCount -= counts.characters
    }
    if let text = change.newText {
      let counts = ParagraphCounts(text, heading: heading(text))
      section.wordCount += counts.words
      section.characterCount += counts.characters
      if isHeading { section.heading = heading(text).map { UTF16Text($0) } }
    }
  }
}

extension ParagraphEvent {
  fileprivate var isInserted: Bool { if case .inserted = self { true } else { false } }
  fileprivate var isRemoved: Bool { if case .removed = self { true } else { false } }

  /// The index of the paragraph: after the change; of a removed one before it.
  fileprivate var index: Int {
    switch self {
    case .removed(let index, _, _), .inserted(let index, _, _), .edited(let index, _, _),
      .attributesChanged(let index, _, _):
      index
    }
  }
}
