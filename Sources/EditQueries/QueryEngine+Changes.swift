import EditLog
package import EditModel
package import EditProtocol
import Projections
import Replay
import TextState

/// The text that a follower has, from which the changes of the next entries are computed.
package struct FollowedText: Sendable {
  /// The rule for the sections whose changes are sent; nil if none are.
  private let rule: SectionRule?
  /// The sections of the state; nil if the subscription has no `sections`.
  private var outline: FollowedOutline?
  /// The state after the entries so far; nil if it is not known.
  private var state: TextState?

  /// True if the next changes need no replay.
  package var isKnown: Bool { state != nil }

  /// An upper bound of its memory, in bytes.
  package var size: Int {
    guard let state else { return 0 }
    guard let outline else { return state.sizeBound }
    return state.sizeBound + outline.sections.count * Self.sectionSize + state.length * 2
  }

  /// Bytes of a section without its heading's text.
  private static let sectionSize = 192

  /// A text that is not known yet.
  package init(sections: SubscribeRequest.SectionsOption? = nil) {
    rule = sections.map { $0.key.map { .attribute($0) } ?? .headings }
  }

  /// What entries of a document changed, by transactions. They must follow those before.
  package mutating func changes(
    by entries: [HistoryEntry], of document: DocumentID, in engine: QueryEngine
  ) async throws(ProtocolError) -> [GroupChange] {
    let engine = engine.begun()
    var builder = GroupChangeBuilder(document, rule)
    builder.outline = outline.take()
    for case .edit(let edit) in entries {
      let before: TextState
      if let state, state.sequence == edit.sequence - 1 {
        before = state
      } else {
        let replay = try await engine.replay(HistoryReference(document))
        before = try engine.version(edit.sequence - 1, replay)
        builder.outline = rule.map { FollowedOutline(of: before, rule: $0) }
      }
      // Only the builder and this have the state, so that the edit need not copy it.
      state = nil
      do throws(EditError) { state = try builder.append(edit, to: before) } catch {
        throw .damagedLog("edit \(edit.sequence) of \(document.shown) does not fit: \(error)")
      }
    }
    builder.endGroup(at: state)
    outline = builder.outline
    return builder.groups
  }
}

/// Gathers the changes of edits that follow one another.
private struct GroupChangeBuilder {
  private let document: DocumentID
  private let rule: SectionRule?
  /// The sections of the version before the group; nil if the subscription has no `sections`.
  var outline: FollowedOutline?
  private(set) var groups: [GroupChange] = []
  private var transaction: Transaction?
  private var number: SequenceNumber = 0
  private var contents: [ContentChange] = []
  private var last: SequenceNumber = 0
  /// The state after the last edit.
  private var state: TextState?
  /// The number of units of paragraphs that may still be told.
  private var room = 1 << 20

  init(_ document: DocumentID, _ rule: SectionRule?) {
    (self.document, self.rule) = (document, rule)
  }

  /// Adds an edit. Returns the state after it.
  mutating func append(_ edit: Edit, to before: TextState) throws(EditError) -> TextState {
    if transaction == nil || number != edit.transaction || last != edit.sequence - 1 {
      endGroup(at: state)
      (transaction, number) = (Transaction(before: before), edit.transaction)
    }
    var after = before
    let change = try after.apply(edit.action)
    transaction?.append(change)
    contents.append(
      ContentChange(
        range: edit.action.range, text: edit.action.replacement,
        attributeRuns: after.attributeRuns(in: change.editedRange)))
    (last, state) = (edit.sequence, after)
    return after
  }

  /// Adds the change of the edits since the last group.
  mutating func endGroup(at state: TextState?) {
    defer { (transaction, contents) = (nil, []) }
    guard let state, let transaction, let change = transaction.change(to: state) else { return }
    let count = change.paragraphEvents.count
    let isTold = count <= GroupChange.paragraphCountMax
    let paragraphs =
      isTold
      ? change.paragraphEvents.map { paragraph($0, from: transaction.before, to: state) } : nil
    let sections = outline?.changes(by: change, from: transaction.before, to: state)
    let areSectionsTold = (sections?.count ?? 0) <= GroupChange.paragraphCountMax
    groups.append(
      GroupChange(
        first: last + 1 - SequenceNumber(change.editCount), last: last, actions: change.actions,
        editedRange: change.editedRange, changeInLength: change.changeInLength,
        contents: contents, paragraphs: paragraphs,
        rest: isTold ? nil : paragraphsRest(count),
        sections: areSectionsTold ? sections : nil,
        sectionsRest: areSectionsTold ? nil : sectionsRest(sections?.count ?? 0)))
  }

  private func paragraphsRest(_ count: Int) -> ChangeRest<ParagraphsRequest> {
    let part = VersionPart(at: .sequence(last), limit: GroupChange.paragraphCountMax)
    return ChangeRest(count: count, ParagraphsRequest(HistoryReference(document), part))
  }

  private func sectionsRest(_ count: Int) -> ChangeRest<OutlineRequest> {
    let key: String? = if case .attribute(let name) = rule { name } else { nil }
    return ChangeRest(
      count: count,
      OutlineRequest(
        HistoryReference(document), at: .sequence(last), key: key,
        limit: GroupChange.paragraphCountMax))
  }

  private mutating func paragraph(
    _ event: ParagraphEvent, from before: TextState, to state: TextState
  ) -> ParagraphChange {
    switch event {
    case .removed(let index, let descriptor, let mergedInto):
      var change = ParagraphChange(
        .removed, index: index, id: descriptor.id, range: descriptor.range, related: mergedInto)
      if take(descriptor.range.length) {
        change.oldText = before.text(in: descriptor.range)
      } else {
        change.oldDigest = before.textDigest(in: descriptor.range)
      }
      return change
    case .inserted(let index, let descriptor, let splitFrom):
      return told(
        ParagraphChange(
          .inserted, index: index, id: descriptor.id, range: descriptor.range,
          related: splitFrom), in: state)
    case .edited(let index, let descriptor, let oldRange):
      return told(
        ParagraphChange(
          .edited, index: index, id: descriptor.id, range: descriptor.range,
          changedRange: oldRange), in: state)
    case .attributesChanged(let index, let descriptor, let range):
      return told(
        ParagraphChange(
          .attributesChanged, index: index, id: descriptor.id, range: descriptor.range,
          changedRange: range), in: state)
    }
  }

  /// Adds the content of a paragraph, if there is room for it.
  private mutating func told(
    _ change: ParagraphChange, in state: TextState
  ) -> ParagraphChange {
    guard take(change.range.length) else { return change }
    var change = change
    if change.event != .attributesChanged { change.text = state.text(in: change.range) }
    change.attributeRuns = state.attributeRuns(in: change.range)
    return change
  }

  /// Takes room for the content of a paragraph of this length; false if there is none.
  private mutating func take(_ length: Int) -> Bool {
    guard length <= min(room, GroupChange.paragraphLengthMax) else { return false }
    room -= length
    return true
  }
}

extension FollowedOutline {
  /// Applies a change, and returns what became of sections: the removed ones, highest index first; then the
  /// others by ascending new index. Sections never change their order, because text that is moved gets new
  /// paragraphs.
  fileprivate mutating func changes(
    by change: TransactionChange, from before: TextState, to after: TextState
  ) -> [SectionChange] {
    let old: [Section]
    switch apply(change.paragraphEvents, from: before, to: after) {
    case .places(let places):
      return Set(places.map(\.section)).sorted().map { index in
        SectionChange(.edited, index: index, id: sections[index].id, facts: .init(sections[index]))
      }
    case .sections(let before): old = before
    }
    let places = Dictionary(
      old.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let kept = Set(sections.map(\.id))
    var changes = old.indices.reversed().filter { !kept.contains(old[$0].id) }
      .map { SectionChange(.removed, index: $0, id: old[$0].id) }
    for (index, section) in sections.enumerated() {
      let before = places[section.id].map { old[$0] }
      guard before != section else { continue }
      changes.append(
        SectionChange(
          before == nil ? .inserted : .edited, index: index, id: section.id,
          facts: .init(section)))
    }
    return changes
  }
}

extension SectionChange.Facts {
  fileprivate init(_ section: FollowedOutline.Section) {
    self.init(
      level: section.level, heading: section.heading?.prefix(OutlineRequest.headingLengthMax),
      paragraphCount: section.paragraphCount, length: section.length, words: section.wordCount,
      characters: section.characterCount)
  }
}
