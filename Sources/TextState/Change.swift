public import EditModel

/// The change of a state by one edit: the edited range, and the paragraph events.
public struct Change: Hashable, Sendable {
  /// The edit's sequence number, which is that of the state after it.
  public let sequence: SequenceNumber
  /// The kinds of changes.
  public let actions: EditActions
  /// The replaced range, in UTF-16 units of the text before the edit.
  public let range: UTF16Range
  /// New length minus old length of the range, in UTF-16 units.
  public let changeInLength: Int
  /// The paragraph events: the removed paragraphs first, highest old index first; then the
  /// inserted, edited and restyled ones by ascending new index. A paragraph whose units and
  /// attributes did not change has no event, even if it moved.
  public let paragraphEvents: ParagraphEvents
  /// The removed content, if the caller asked for it.
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

  /// The action that takes the edit back; it applies to the state after the edit. Nil if `removed`
  /// was not asked for, or if the edit formatted an empty range.
  public var inverse: EditAction? {
    guard let removed else { return nil }
    let attributes: AttributeChange = removed.runs.isEmpty ? .inherit : .set(removed.runs)
    return try? EditAction(
      range: editedRange, replacement: removed.text, attributes: attributes)
  }
}

/// The content that an edit removed.
public struct RemovedContent: Hashable, Sendable {
  /// The units of the replaced range; nil if the edit did not change the text.
  public let text: UTF16Text?
  /// The attributes of the replaced range, as runs that cover it.
  public let runs: [AttributeRun]
}

/// The change of one paragraph.
///
/// If the events are applied to the list of identifiers before the edit, the result is the list
/// after it.
public enum ParagraphEvent: Hashable, Sendable {
  /// The paragraph was removed. `index` and `descriptor` are those of the state before the edit.
  /// `mergedInto` is the paragraph that its remaining text became part of; nil if no text was left.
  case removed(index: Int, descriptor: ParagraphDescriptor, mergedInto: ParagraphID?)
  /// The paragraph is new. `index` and `descriptor` are those of the state after the edit.
  /// `splitFrom` is the paragraph from which some of its text comes; nil if the edit inserted all
  /// of its text.
  case inserted(index: Int, descriptor: ParagraphDescriptor, splitFrom: ParagraphID?)
  /// The paragraph's units changed. `index` and `descriptor` are those of the state after the edit.
  /// `oldRange` is its range before.
  case edited(index: Int, descriptor: ParagraphDescriptor, oldRange: UTF16Range)
  /// Only attributes changed. `range` is from the first to the last unit of the paragraph whose
  /// attributes changed, in UTF-16 units of the text after the edit.
  case attributesChanged(index: Int, descriptor: ParagraphDescriptor, range: UTF16Range)
}
