public import EditModel

/// What one edit did to a state: the edited range, and what became of paragraphs.
public struct Change: Hashable, Sendable {
  /// The edit; the state after it has this sequence number.
  public let sequence: SequenceNumber
  /// What was edited.
  public let actions: EditActions
  /// The replaced range, in UTF-16 units of the text before the edit.
  public let range: UTF16Range
  /// New length minus old length of the range, in UTF-16 units.
  public let changeInLength: Int
  /// What became of paragraphs: the removed ones first, highest old index first; then the
  /// inserted, edited and restyled ones by ascending new index. A paragraph whose units and
  /// attributes did not change has no event, wherever it moved.
  public let paragraphEvents: ParagraphEvents
  /// What the edit took away, where the caller asked for it.
  public let removed: RemovedContent?

  @inline(__always)
  init(
    sequence: SequenceNumber, actions: EditActions, range: UTF16Range, changeInLength: Int,
    events: ParagraphEvents, removed: RemovedContent? = nil
  ) {
    (self.sequence, self.actions, self.range) = (sequence, actions, range)
    (self.changeInLength, paragraphEvents, self.removed) = (changeInLength, events, removed)
  }

  /// The range in the text after the edit.
  public var editedRange: UTF16Range {
    UTF16Range(range.location..<range.upperBound + changeInLength)
  }

  /// The action that takes the edit back, valid against the state right after it; nil where
  /// `removed` was not asked for, and where the edit formatted an empty range: nothing.
  public var inverse: EditAction? {
    guard let removed else { return nil }
    let attributes: AttributeChange = removed.runs.isEmpty ? .inherit : .set(removed.runs)
    return try? EditAction(
      range: editedRange, replacement: removed.text, attributes: attributes)
  }
}

/// What an edit took away.
public struct RemovedContent: Hashable, Sendable {
  /// The units of the replaced range; nil where the edit left the characters alone.
  public let text: UTF16Text?
  /// The attributes of the replaced range, as runs that cover it.
  public let runs: [AttributeRun]
}

/// What became of one paragraph.
///
/// Replaying the events on the list of identifiers before the edit gives the list after it.
public enum ParagraphEvent: Hashable, Sendable {
  /// The paragraph is gone. `index` and `descriptor` are those of the state before the edit;
  /// `mergedInto` is the paragraph that took in what was left of its text, nil where nothing
  /// was left.
  case removed(index: Int, descriptor: ParagraphDescriptor, mergedInto: ParagraphID?)
  /// The paragraph is new. `index` and `descriptor` are those of the state after the edit;
  /// `splitFrom` is the paragraph from which some of its text comes, nil where all of its text
  /// is the edit's own.
  case inserted(index: Int, descriptor: ParagraphDescriptor, splitFrom: ParagraphID?)
  /// The paragraph's units changed. `index` and `descriptor` are those of the state after the
  /// edit; `oldRange` is where it was before.
  case edited(index: Int, descriptor: ParagraphDescriptor, oldRange: UTF16Range)
  /// Only attributes changed. `range` reaches from the first unit of the paragraph whose
  /// attributes changed to the last, in UTF-16 units of the text after the edit.
  case attributesChanged(index: Int, descriptor: ParagraphDescriptor, range: UTF16Range)
}
