public import EditModel

/// An edit's number, time, author and origin.
public struct EditStamp: Hashable, Sendable {
  /// The edit's sequence number; 0 for the empty document, before any edit.
  public let sequence: SequenceNumber
  /// The edit's time; nil if it is unknown.
  public let time: Timestamp?
  /// The edit's author, if known.
  public let author: String?
  /// The edit's origin; nil if it is unknown.
  public let origin: Origin?

  /// The stamp of an edit.
  public init(_ edit: Edit) {
    (sequence, time) = (edit.sequence, edit.time)
    (author, origin) = (edit.author, edit.origin)
  }

  /// The stamp of an edit of which only the number is known.
  init(unknown sequence: SequenceNumber) { self.init(sequence, nil, nil, nil) }

  init(_ sequence: SequenceNumber, _ time: Timestamp?, _ author: String?, _ origin: Origin?) {
    (self.sequence, self.time, self.author, self.origin) = (sequence, time, author, origin)
  }
}

/// The history of one paragraph. Its current range is in the state (`TextState.paragraph(_:)`).
public struct ParagraphModel: Hashable, Sendable {
  /// Its identifier.
  public let id: ParagraphID
  /// The edit that created it.
  public let born: EditStamp
  /// The paragraph of which it had a part of the text when it was created. Nil if all of its text
  /// was inserted by the edit.
  public let splitFrom: ParagraphID?
  /// The last edit that changed its units or attributes, its birth included.
  public internal(set) var lastEdited: EditStamp
  /// Edits that changed its units or attributes, its birth included.
  public internal(set) var editCount: Int
  /// Authors of those edits, by first appearance; edits of no known author leave no trace.
  public internal(set) var authors: [String] = []
  /// Paragraphs split from it, in order of birth.
  public internal(set) var children: [ParagraphID] = []
  /// Paragraphs whose rest it took in when they died, in order of death,
  /// those of one edit from the last to the first.
  public internal(set) var absorbed: [ParagraphID] = []
  /// The removed paragraphs whose text was pasted into it, in order of the pastes.
  public internal(set) var moves: [ParagraphMove] = []
  /// The paragraph into which its text was pasted after its removal; nil if there is none.
  public internal(set) var movedTo: ParagraphID?
  /// How it ended; nil while it lives.
  public internal(set) var death: ParagraphDeath?
  /// The paragraph of which it had text other than a terminator when it was created.
  var textFrom: ParagraphID?

  /// The paragraph that its remaining text became part of when it was removed.
  public var mergedInto: ParagraphID? { death?.mergedInto }
}

/// The text of a removed paragraph that came back in another paragraph: cut and paste, or the undo of
/// a deletion. Identifiers stay as the log has them.
public struct ParagraphMove: Hashable, Sendable {
  /// The removed paragraph.
  public let paragraph: ParagraphID
  /// The edit that brought its text back.
  public let stamp: EditStamp
}

/// The removal of a paragraph, with its last text.
public struct ParagraphDeath: Hashable, Sendable {
  /// The edit that removed it.
  public let stamp: EditStamp
  /// Its text in the version before that edit, terminator included.
  public let lastText: UTF16Text
  /// Its index in the version before that edit.
  public let index: Int
  /// The paragraph that its remaining text became part of; nil if no text was left.
  public let mergedInto: ParagraphID?
  /// True if text other than its terminator was left.
  let leavesText: Bool
}
