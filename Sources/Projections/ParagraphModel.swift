public import EditModel

/// Which edit, when, and by whom.
public struct EditStamp: Hashable, Sendable {
  /// The edit; 0 stands for the empty document, before any edit.
  public let sequence: SequenceNumber
  /// When it happened; nil where it is not known.
  public let time: Timestamp?
  /// Who made it, where known.
  public let author: String?
  /// Where it comes from; nil where it is not known.
  public let origin: Origin?

  /// The stamp of an edit.
  public init(_ edit: Edit) {
    (sequence, time) = (edit.sequence, edit.time)
    (author, origin) = (edit.author, edit.origin)
  }

  /// The stamp of an edit of which nothing else is known.
  init(unknown sequence: SequenceNumber) {
    (self.sequence, time, author, origin) = (sequence, nil, nil, nil)
  }
}

/// The life of one paragraph: all that is known about it besides where it stands, which the
/// state tells (`TextState.paragraph(_:)`).
public struct ParagraphModel: Hashable, Sendable {
  /// Who it is.
  public let id: ParagraphID
  /// The edit that created it.
  public let born: EditStamp
  /// The paragraph whose text it began or ended with when it was born, nil where all of its
  /// text was the edit's own.
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
  /// How it ended; nil while it lives.
  public internal(set) var death: ParagraphDeath?

  /// The paragraph that took in what was left of its text when it died.
  public var mergedInto: ParagraphID? { death?.mergedInto }
}

/// The end of a paragraph, with what it last said.
public struct ParagraphDeath: Hashable, Sendable {
  /// The edit that removed it.
  public let stamp: EditStamp
  /// Its text in the version before that edit, terminator included.
  public let lastText: UTF16Text
  /// Its index in the version before that edit.
  public let index: Int
  /// The paragraph that took in what was left of its text, nil where nothing was left.
  public let mergedInto: ParagraphID?
}
