public import EditModel
public import ModelStorage
import TextState

/// The paragraphs of a document as a storage of sections: the sections of its outline, or one.
///
/// It follows a `HostedText`. Each update of the text is at most one update of the storage, and a copy
/// that applies them has the paragraphs of the document.
///
/// ```swift
/// var paragraphs = ParagraphStorage(of: text, sections: .headings)
/// var copy = StorageReplica(of: paragraphs.storage)
/// if let update = try text.apply(action), let change = try paragraphs.apply(update) {
///   try copy.apply(change)
/// }
/// ```
///
/// A section is known by the paragraph of its heading: it stays the same if it moves, or if its
/// heading says something else. Text before the first heading is a section too.
///
/// Invariant: the items of all sections, one after the other, are the paragraphs of the version last
/// applied; with a rule, the sections are those of its `Outline`, and each has a `SectionHeader`.
public struct ParagraphStorage: Sendable {
  /// The storage. Its supplementary data is the header of each section, if there is a rule.
  public private(set) var storage: SectionedStorage<HostedParagraph, SectionHeader>
  /// The version last applied.
  public private(set) var sequence: SequenceNumber
  private let rule: SectionRule?
  /// The paragraphs of the sections' headings.
  private var headings: [ParagraphID?]

  private typealias Step = StorageStep<HostedParagraph, SectionHeader>
  private typealias StoredSection = StorageSection<HostedParagraph, SectionHeader>

  /// The paragraphs of a text. Without a rule, all are in one section. O(n).
  public init(of text: HostedText, sections rule: SectionRule? = nil) {
    (self.rule, sequence) = (rule, text.state.sequence)
    let paragraphs = text.paragraphs
    guard let rule else {
      (storage, headings) = (SectionedStorage([StorageSection(paragraphs)]), [nil])
      return
    }
    let sections = Outline(of: text.state, rule: rule).sections
    headings = sections.map(\.id)
    storage = SectionedStorage(
      sections.map { section in
        StorageSection(
          Array(paragraphs[section.paragraphs]),
          supplementaries: [.header: SectionHeader(section, lastEdit: nil)])
      })
  }

  /// Applies the next update of the text. O(changed paragraphs) without a rule; if paragraphs were
  /// removed or inserted, O(n) moves of memory besides. O(n) with a rule, because the outline is
  /// read again.
  ///
  /// - Returns: The update of the storage; nil if no paragraph changed.
  /// - Throws: `ProjectionError.outOfOrder` if the update is not the next one.
  public mutating func apply(
    _ update: HostedUpdate
  ) throws(ProjectionError) -> StorageUpdate<HostedParagraph, SectionHeader>? {
    guard update.sequences.lowerBound == sequence + 1 else {
      throw .outOfOrder(expected: sequence + 1, found: update.sequences.lowerBound)
    }
    guard !update.isEmpty else {
      sequence = update.sequences.upperBound
      return nil
    }
    var (steps, newHeadings) = ([Step](), headings)
    if let rule {
      (steps, newHeadings) = try self.steps(of: update, rule)
    } else {
      steps = [.items(section: 0, update.difference)]
    }
    do {
      let change = try storage.perform(steps)
      (headings, sequence) = (newHeadings, update.sequences.upperBound)
      return change
    } catch {
      // The update has the right number, but is that of another text.
      throw .outOfOrder(expected: sequence + 1, found: update.sequences.upperBound)
    }
  }

  /// The steps to the sections of the version after the update, and the headings of these.
  private func steps(
    of update: HostedUpdate, _ rule: SectionRule
  ) throws(ProjectionError) -> ([Step], [ParagraphID?]) {
    var paragraphs = storage.sections.flatMap(\.items)
    guard update.apply(to: &paragraphs) else {
      throw .outOfOrder(expected: sequence + 1, found: update.sequences.upperBound)
    }
    let lastEdit = update.sequences.upperBound
    let outline = Outline(of: update.after, rule: rule).sections
    let difference = IdentityDifference().difference(
      from: headings.map(SectionKey.init), to: outline.map { SectionKey(id: $0.id) })
    func stored(_ index: Int) -> StoredSection {
      StorageSection(
        Array(paragraphs[outline[index].paragraphs]),
        supplementaries: [.header: SectionHeader(outline[index], lastEdit: lastEdit)])
    }
    let sections = ListDifference<StoredSection>(
      oldCount: difference.oldCount, removals: difference.removals, moves: difference.moves,
      insertions: difference.insertions.map { .init($0.index, stored($0.index)) })
    var steps: [Step] = sections.isEmpty ? [] : [.sections(sections)]
    let old = Dictionary(
      zip(headings, storage.sections), uniquingKeysWith: { first, _ in first })
    for (index, section) in outline.enumerated() {
      // New sections came with their items.
      guard let before = old[section.id] else { continue }
      let items = Array(paragraphs[section.paragraphs])
      let change = IdentityDifference().difference(from: before.items, to: items)
      if !change.isEmpty { steps.append(.items(section: index, change)) }
      let last = change.isEmpty ? before.supplementaries[.header]?.lastEdit : lastEdit
      let header = SectionHeader(section, lastEdit: last)
      if header != before.supplementaries[.header] {
        steps.append(.supplementary(section: index, key: .header, value: header))
      }
    }
    return (steps, outline.map(\.id))
  }
}

/// What identifies a section: the paragraph of its heading; nil before the first heading.
private struct SectionKey: Identifiable, Equatable, Sendable {
  let id: ParagraphID?
}
