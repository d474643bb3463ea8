public import EditModel

/// A change of the paragraphs that a history follows.
public struct ParagraphStep: Hashable, Sendable {
  /// The kinds of changes.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// An edit inserted the paragraph.
    case inserted
    /// The paragraph was split from `related`.
    case split
    /// Its units changed.
    case edited
    /// Only attributes changed.
    case formatted
    /// It was removed, and its rest became part of `related`.
    case merged
    /// It was removed.
    case removed
    /// It got the text of the removed paragraph `related`.
    case moved
  }

  /// The kind.
  public let kind: Kind
  /// The paragraph.
  public let paragraph: ParagraphID
  /// The other paragraph, if there is one.
  public let related: ParagraphID?
}

/// A version of some paragraphs: their text after the edits that one undo would take back together.
public struct ParagraphVersion: Hashable, Sendable {
  /// The sequence numbers of the first and the last edit that changed the paragraphs. Other edits may
  /// be between them.
  public internal(set) var sequences: ClosedRange<SequenceNumber>
  /// The number of edits that changed the paragraphs.
  public internal(set) var editCount = 0
  /// The stamp of the last of these edits.
  public internal(set) var stamp: EditStamp
  /// What happened, each once, in order.
  public internal(set) var steps: [ParagraphStep] = []
  /// The text in the version before.
  public internal(set) var oldText: UTF16Text
  /// The text, terminators included: of the paragraphs that count, in document order. Empty while
  /// there are none.
  public internal(set) var text: UTF16Text
}
