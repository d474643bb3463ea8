import EditLog
package import EditModel
package import EditProtocol
import Replay
import TextState

/// The text that a follower has, from which the changes of the next entries are told.
package struct FollowedText: Sendable {
  /// The state after the entries so far; nil if it is not known.
  private var state: TextState?

  package init() {}

  /// What entries of a document changed, by transactions. They must follow those before.
  package mutating func changes(
    by entries: [HistoryEntry], of document: DocumentID, in engine: QueryEngine
  ) async throws(ProtocolError) -> [GroupChange] {
    let engine = engine.begun()
    var builder = GroupChangeBuilder(document)
    for case .edit(let edit) in entries {
      let before: TextState
      if let state, state.sequence == edit.sequence - 1 {
        before = state
      } else {
        let replay = try await engine.replay(HistoryReference(document))
        before = try engine.version(edit.sequence - 1, replay)
      }
      // Only the builder and this have the state, so that the edit need not copy it.
      state = nil
      do throws(EditError) { state = try builder.append(edit, to: before) } catch {
        throw .damagedLog("edit \(edit.sequence) of \(document.shown) does not fit: \(error)")
      }
    }
    builder.endGroup(at: state)
    return builder.groups
  }
}

/// Gathers the changes of edits that follow one another.
private struct GroupChangeBuilder {
  private let document: DocumentID
  private(set) var groups: [GroupChange] = []
  private var transaction: Transaction?
  private var number: SequenceNumber = 0
  private var contents: [ContentChange] = []
  private var last: SequenceNumber = 0
  /// The state after the last edit.
  private var state: TextState?
  /// The number of units of paragraphs that may still be told.
  private var room = 1 << 20

  init(_ document: DocumentID) { self.document = document }

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
    groups.append(
      GroupChange(
        first: last + 1 - SequenceNumber(change.editCount), last: last, actions: change.actions,
        editedRange: change.editedRange, changeInLength: change.changeInLength,
        contents: contents, paragraphs: paragraphs,
        rest: isTold ? nil : ChangeRest(count: count, of: document, at: last)))
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
