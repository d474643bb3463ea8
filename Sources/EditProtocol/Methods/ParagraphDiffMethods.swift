package import EditJSON
public import EditModel

// MARK: editlog/paragraphDiff

/// Asks for the paragraphs that differ between two versions, by identity.
public struct ParagraphDiffRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The older version.
  public var from: PointExpression
  /// The newer version.
  public var to: PointExpression
  /// The position of the first change, from 0.
  public var offset: Int
  /// The maximum number of changes.
  public var limit: Int

  /// The default of `limit`, and its maximum.
  public static let (limitStandard, limitMax) = (1_000, 10_000)
  /// The maximum length of a text in an answer, in UTF-16 units. Longer ones are cut.
  public static let textLengthMax = 1_000

  /// A call.
  public init(
    _ history: HistoryReference, from: PointExpression, to: PointExpression = .latest,
    offset: Int = 0, limit: Int = limitStandard
  ) {
    (self.history, self.from, self.to) = (history, from, to)
    (self.offset, self.limit) = (offset, limit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ParagraphDiffAnswer>(
    "editlog/paragraphDiff",
    "The paragraphs that differ between two versions, by their identifiers.",
    isChange: false,
    params: Codec(
      { ParagraphDiffRequest($0, from: $1, to: $2, offset: $3, limit: $4) },
      .group(\.history, HistoryReference.codec),
      .optional("from", \.from, .point, else: .latest),
      .optional("to", \.to, .point, else: .latest),
      .optional("offset", \.offset, .count, else: 0),
      .optional("limit", \.limit, .integer(in: 1...limitMax), else: limitStandard)),
    answer: ParagraphDiffAnswer.codec)
}

/// The paragraphs that differ between two versions, or a part of them.
public struct ParagraphDiffAnswer: HistoryAnswer {
  /// The number of the older version.
  public var from: SequenceNumber
  /// The number of the newer version.
  public var to: SequenceNumber
  /// The changes: those of removed paragraphs by their old index, then all others by their new one.
  public var changes: [ShownParagraphDifference]
  /// The `offset` of the next part. Nil if none follows.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    from: SequenceNumber, to: SequenceNumber, changes: [ShownParagraphDifference],
    next: Int? = nil, reservation: Reservation = Reservation()
  ) {
    (self.from, self.to, self.changes, self.next) = (from, to, changes, next)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    {
      ParagraphDiffAnswer(from: $0, to: $1, changes: $2, next: $3, reservation: $4)
    },
    .required("from", \.from, .unsigned),
    .required("to", \.to, .unsigned),
    .required("changes", \.changes, .array(ShownParagraphDifference.codec)),
    .optional("next", \.next, .count),
    .group(\.reservation, Reservation.codec))
}

/// A paragraph that differs between two versions.
public struct ShownParagraphDifference: Hashable, Sendable {
  /// What happened to a paragraph.
  public enum Change: String, CaseIterable, Hashable, Sendable {
    /// It is only in the newer version.
    case added
    /// It is only in the older version.
    case removed
    /// Its units differ.
    case edited
    /// Its text is that of a removed paragraph: it was cut there, and pasted here.
    case moved
    /// Only its attributes differ.
    case attributesChanged
  }

  /// What happened.
  public var change: Change
  /// The identifier.
  public var id: ParagraphID
  /// Its index: in the older version if it was removed, else in the newer one.
  public var index: Int
  /// Its range in UTF-16 units, terminator included, in the same version.
  public var range: UTF16Range
  /// Its text in the newer version, cut. Nil if it was removed.
  public var text: UTF16Text?
  /// Its text in the older version, cut. Nil if it was added, or has the same text.
  public var oldText: UTF16Text?
  /// The removed paragraph whose text it is, if it was moved.
  public var movedFrom: ParagraphID?

  /// A difference.
  public init(
    _ change: Change, id: ParagraphID, index: Int, range: UTF16Range, text: UTF16Text? = nil,
    oldText: UTF16Text? = nil, movedFrom: ParagraphID? = nil
  ) {
    (self.change, self.id, self.index, self.range) = (change, id, index, range)
    (self.text, self.oldText, self.movedFrom) = (text, oldText, movedFrom)
  }

  package static let codec = Codec<Self>(
    { (change, id, index, location, length, text, oldText, movedFrom) in
      ShownParagraphDifference(
        change, id: id, index: index, range: UTF16Range(location..<location + length),
        text: text, oldText: oldText, movedFrom: movedFrom)
    },
    .required("change", \.change, .name()),
    .required("id", \.id, .paragraph),
    .required("index", \.index, .count),
    .required("location", \.range.location, .length),
    .required("length", \.range.length, .length),
    .optional("text", \.text, .text),
    .optional("oldText", \.oldText, .text),
    .optional("movedFrom", \.movedFrom, .paragraph))
}
