package import EditJSON
public import EditModel

/// An edit's number, time, author and origin.
public struct ShownStamp: Hashable, Sendable {
  /// The edit's number; 0 for the empty document.
  public var sequence: SequenceNumber
  /// The edit's time; nil for the empty document.
  public var time: Timestamp?
  /// The edit's author, if known.
  public var author: String?
  /// The edit's origin; nil for the empty document.
  public var origin: Origin?

  /// A stamp.
  public init(
    sequence: SequenceNumber, time: Timestamp? = nil, author: String? = nil, origin: Origin? = nil
  ) {
    (self.sequence, self.time, self.author, self.origin) = (sequence, time, author, origin)
  }

  package static let codec = Codec<Self>(
    { ShownStamp(sequence: $0, time: $1, author: $2, origin: $3) },
    .required("sequence", \.sequence, .unsigned), .optional("time", \.time, .time),
    .optional("author", \.author, .string), .optional("origin", \.origin, .origin))
}

/// Birth and edits of a paragraph.
public struct ParagraphLife: Hashable, Sendable {
  /// The edit that created it.
  public var born: ShownStamp
  /// The last edit that changed its units or attributes.
  public var lastEdited: ShownStamp
  /// The number of edits that changed its units or attributes, its birth included.
  public var editCount: Int
  /// The authors of these edits, by first appearance.
  public var authors: [String]

  /// A life.
  public init(born: ShownStamp, lastEdited: ShownStamp, editCount: Int, authors: [String]) {
    (self.born, self.lastEdited) = (born, lastEdited)
    (self.editCount, self.authors) = (editCount, authors)
  }

  static let codec = Codec<Self>(
    { ParagraphLife(born: $0, lastEdited: $1, editCount: $2, authors: $3) },
    .required("born", \.born, ShownStamp.codec),
    .required("lastEdited", \.lastEdited, ShownStamp.codec),
    .required("editCount", \.editCount, .count),
    .required("authors", \.authors, .array(.string)))
}

/// Splits, merges and moves of a paragraph.
public struct ParagraphLineage: Hashable, Sendable {
  /// The paragraph of which it had a part when it was created.
  public var splitFrom: ParagraphID?
  /// The paragraph that its rest became part of when it was removed.
  public var mergedInto: ParagraphID?
  /// The paragraphs split from it, in order of creation.
  public var children: [ParagraphID]
  /// The paragraphs that were merged into it, in order of removal.
  public var absorbed: [ParagraphID]
  /// The removed paragraphs whose text was pasted into it, in order.
  public var movedFrom: [ParagraphID]
  /// The paragraph into which its text was pasted after its removal.
  public var movedTo: ParagraphID?
  /// The removed paragraph that an undo or a redo brought back as this one.
  public var revivalOf: ParagraphID?
  /// The paragraph as which an undo or a redo brought it back.
  public var revivedAs: ParagraphID?

  /// A lineage.
  public init(
    splitFrom: ParagraphID?, mergedInto: ParagraphID?, children: [ParagraphID],
    absorbed: [ParagraphID], movedFrom: [ParagraphID], movedTo: ParagraphID?,
    revivalOf: ParagraphID? = nil, revivedAs: ParagraphID? = nil
  ) {
    (self.splitFrom, self.mergedInto) = (splitFrom, mergedInto)
    (self.children, self.absorbed) = (children, absorbed)
    (self.movedFrom, self.movedTo) = (movedFrom, movedTo)
    (self.revivalOf, self.revivedAs) = (revivalOf, revivedAs)
  }

  static let codec = Codec<Self>(
    {
      ParagraphLineage(
        splitFrom: $0, mergedInto: $1, children: $2, absorbed: $3, movedFrom: $4, movedTo: $5,
        revivalOf: $6, revivedAs: $7)
    },
    .optional("splitFrom", \.splitFrom, .paragraph),
    .optional("mergedInto", \.mergedInto, .paragraph),
    .required("children", \.children, .array(.paragraph)),
    .required("absorbed", \.absorbed, .array(.paragraph)),
    .required("movedFrom", \.movedFrom, .array(.paragraph)),
    .optional("movedTo", \.movedTo, .paragraph),
    .optional("revivalOf", \.revivalOf, .paragraph),
    .optional("revivedAs", \.revivedAs, .paragraph))
}

/// What may be asked for about a paragraph, besides its range and text.
public struct ParagraphDetails: Hashable, Sendable {
  /// Its identifier by the positional rule.
  public var positional: ParagraphID?
  /// Its birth and edits.
  public var life: ParagraphLife?
  /// Its splits, merges and moves.
  public var lineage: ParagraphLineage?

  /// Details. By default nothing.
  public init(
    positional: ParagraphID? = nil, life: ParagraphLife? = nil, lineage: ParagraphLineage? = nil
  ) {
    (self.positional, self.life, self.lineage) = (positional, life, lineage)
  }

  static let codec = Codec<Self>(
    { ParagraphDetails(positional: $0, life: $1, lineage: $2) },
    .optional("positional", \.positional, .paragraph),
    .optionalGroup("born", \.life, ParagraphLife.codec),
    .optionalGroup("children", \.lineage, ParagraphLineage.codec))
}

/// A removed paragraph.
public struct DeadParagraph: Hashable, Sendable {
  /// Its identifier.
  public var id: ParagraphID
  /// The edit that removed it.
  public var died: ShownStamp
  /// Its index in the version before that edit.
  public var lastIndex: Int
  /// Its text in the version before that edit, terminator included.
  public var lastText: UTF16Text
  /// What else was asked for.
  public var details: ParagraphDetails

  /// A removed paragraph.
  public init(
    id: ParagraphID, died: ShownStamp, lastIndex: Int, lastText: UTF16Text,
    details: ParagraphDetails = ParagraphDetails()
  ) {
    (self.id, self.died, self.lastIndex) = (id, died, lastIndex)
    (self.lastText, self.details) = (lastText, details)
  }

  package static let codec = Codec<Self>(
    { DeadParagraph(id: $0, died: $1, lastIndex: $2, lastText: $3, details: $4) },
    .required("id", \.id, .paragraph), .required("died", \.died, ShownStamp.codec),
    .required("lastIndex", \.lastIndex, .count), .required("lastText", \.lastText, .text),
    .group(\.details, ParagraphDetails.codec))
}
