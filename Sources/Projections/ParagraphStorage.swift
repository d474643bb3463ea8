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
/// A section is known by the paragraph of its heading: it stays the same if its heading says something else.
/// Text that is moved gets new paragraphs, so a section that is moved is removed, and another one is inserted.
/// Text before the first heading is a section too.
///
/// Cost: an edit that leaves headings and fences as they are costs O(changed paragraphs · log n). One that makes or
/// removes a heading or a fence reads the whole text again, O(n): sections are arrays of their paragraphs, and a
/// fence, as what begins or ends a comment or front matter, decides about all headings after it.
///
/// Invariant: the items of all sections, one after the other, are the paragraphs of the version last
/// applied; with a rule, the sections are those of its `Outline`, and each has a `SectionHeader`.
public struct ParagraphStorage: Sendable {
  /// The storage. Its supplementary data is the header of each section, if there is a rule.
  public private(set) var storage: SectionedStorage<HostedParagraph, SectionHeader>
  /// The version last applied.
  public private(set) var sequence: SequenceNumber
  /// The sections; nil if all paragraphs are in one.
  private var outline: FollowedOutline?
  /// The number of paragraphs.
  private var count: Int

  private typealias Step = StorageStep<HostedParagraph, SectionHeader>
  private typealias StoredSection = StorageSection<HostedParagraph, SectionHeader>

  /// The paragraphs of a text. Without a rule, all are in one section. O(n).
  public init(of text: HostedText, sections rule: SectionRule? = nil) {
    let paragraphs = text.paragraphs
    (sequence, count) = (text.state.sequence, paragraphs.count)
    guard let rule else {
      storage = SectionedStorage([StorageSection(paragraphs)])
      return
    }
    let outline = FollowedOutline(of: text.state, rule: rule)
    var next = 0
    storage = SectionedStorage(
      outline.sections.map { section in
        defer { next += section.paragraphCount }
        return StorageSection(
          Array(paragraphs[next..<next + section.paragraphCount]),
          supplementaries: [.header: SectionHeader(section, lastEdit: nil)])
      })
    self.outline = outline
  }

  /// The number of paragraphs whose text was read for the sections, the first reading included.
  var readCount: Int { outline?.readCount ?? 0 }

  /// Applies the next update of the text. O(changed paragraphs · log n) if the same paragraphs are headings;
  /// if paragraphs were removed or inserted, moves of memory besides, of the items of their section. O(n) if a
  /// heading appears or vanishes, or if a fence does, which may make headings of what it encloses.
  ///
  /// - Returns: The update of the storage; nil if no paragraph changed.
  /// - Throws: `ProjectionError.outOfOrder` if the update is not the next one.
  public mutating func apply(
    _ update: HostedUpdate
  ) throws(ProjectionError) -> StorageUpdate<HostedParagraph, SectionHeader>? {
    guard update.sequences.lowerBound == sequence + 1 else {
      throw .outOfOrder(expected: sequence + 1, found: update.sequences.lowerBound)
    }
    // The update may have the right number, but be that of another text.
    guard fits(update) else {
      throw .outOfOrder(expected: sequence + 1, found: update.sequences.upperBound)
    }
    (sequence, count) = (update.sequences.upperBound, update.after.paragraphCount)
    guard !update.isEmpty else { return nil }
    let steps = outline == nil ? [.items(section: 0, update.difference)] : sectionSteps(of: update)
    do { return try storage.perform(steps) } catch {
      // It was checked above.
      throw .outOfOrder(expected: update.sequences.lowerBound, found: update.sequences.upperBound)
    }
  }

  /// True if the paragraphs that are removed or changed are those of the version before the update.
  /// O(changed paragraphs · log n).
  private func fits(_ update: HostedUpdate) -> Bool {
    guard count == update.before.paragraphCount else { return false }
    return update.change.paragraphEvents.allSatisfy { event in
      let id: ParagraphID
      switch event {
      case .inserted: return true
      case .removed(_, let descriptor, _), .edited(_, let descriptor, _),
        .attributesChanged(_, let descriptor, _):
        id = descriptor.id
      }
      guard let index = update.before.paragraph(id)?.index else { return false }
      let place = outline?.place(of: index) ?? (section: 0, item: index)
      return storage[ItemPath(section: place.section, item: place.item)]?.id == id
    }
  }

  /// The steps to the sections of the version after the update.
  private mutating func sectionSteps(of update: HostedUpdate) -> [Step] {
    let events = update.change.paragraphEvents
    switch outline?.apply(events, from: update.before, to: update.after) {
    case .places(let places): return steps(of: update, at: places)
    case .sections(let old): return steps(of: update, from: old.map(\.id))
    case nil: return []
    }
  }

  /// The steps if the sections are the same.
  private func steps(of update: HostedUpdate, at places: [(section: Int, item: Int)]) -> [Step] {
    var (order, differences): ([Int], [Int: ListDifference<HostedParagraph>]) = ([], [:])
    for (event, place) in zip(update.change.paragraphEvents, places) {
      if differences[place.section] == nil {
        order.append(place.section)
        let count = storage.sections[place.section].items.count
        differences[place.section] = ListDifference(oldCount: count)
      }
      switch event {
      // Removed paragraphs come from the last to the first.
      case .removed: differences[place.section]?.removals.append(place.item)
      case .inserted(_, let descriptor, _):
        differences[place.section]?.insertions.append(
          .init(place.item, HostedParagraph(descriptor, in: update.after)))
      case .edited(_, let descriptor, _), .attributesChanged(_, let descriptor, _):
        differences[place.section]?.updates.append(
          .init(place.item, HostedParagraph(descriptor, in: update.after)))
      }
    }
    return order.sorted().flatMap { section -> [Step] in
      guard var difference = differences[section] else { return [] }
      difference.removals.reverse()
      return [.items(section: section, difference)]
        + headerSteps(section, before: section, lastEdit: update.sequences.upperBound)
    }
  }

  /// The steps if other paragraphs are headings: from the sections with these headings.
  private func steps(of update: HostedUpdate, from headings: [ParagraphID?]) -> [Step] {
    let sections = outline?.sections ?? []
    var (paragraphs, next): ([[HostedParagraph]], Int) = ([], 0)
    let all = update.after.hostedParagraphs
    for section in sections {
      paragraphs.append(Array(all[next..<next + section.paragraphCount]))
      next += section.paragraphCount
    }
    let lastEdit = update.sequences.upperBound
    let difference = IdentityDifference().difference(
      from: headings.map(SectionKey.init), to: sections.map { SectionKey(id: $0.id) })
    let stored = ListDifference<StoredSection>(
      oldCount: difference.oldCount, removals: difference.removals, moves: difference.moves,
      insertions: difference.insertions.map { place in
        let header = SectionHeader(sections[place.index], lastEdit: lastEdit)
        return .init(
          place.index,
          StorageSection(paragraphs[place.index], supplementaries: [.header: header]))
      })
    var steps: [Step] = stored.isEmpty ? [] : [.sections(stored)]
    let old = Dictionary(
      headings.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first }
    )
    for (index, section) in sections.enumerated() {
      // New sections came with their items.
      guard let before = old[section.id] else { continue }
      let items = storage.sections[before].items
      let change = IdentityDifference().difference(from: items, to: paragraphs[index])
      if !change.isEmpty { steps.append(.items(section: index, change)) }
      steps += headerSteps(index, before: before, lastEdit: change.isEmpty ? nil : lastEdit)
    }
    return steps
  }

  /// The step that gives a section its header, which was at the index `before`; none if it is the same.
  private func headerSteps(
    _ section: Int, before: Int, lastEdit: SequenceNumber?
  ) -> [Step] {
    let old = storage.sections[before].supplementaries[.header]
    guard let new = outline?.sections[section] else { return [] }
    let header = SectionHeader(new, lastEdit: lastEdit ?? old?.lastEdit)
    return header == old
      ? [] : [.supplementary(section: section, key: .header, value: header)]
  }
}

/// What identifies a section: the paragraph of its heading; nil before the first heading.
private struct SectionKey: Identifiable, Equatable, Sendable {
  let id: ParagraphID?
}
