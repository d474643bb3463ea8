package import EditJSON
public import EditModel

/// Asks for the versions of some paragraphs, newest first.
public struct ParagraphHistoryRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The newest version, in which the place is.
  public var at: PointExpression
  /// The place: `paragraph`, `range` or `lines`. The paragraphs that it touches are followed.
  public var place: PlaceReference
  /// The edit before which versions are listed. If nil, all up to `at`.
  public var before: SequenceNumber?
  /// The edit after which versions are listed.
  public var after: SequenceNumber
  /// The maximum number of versions.
  public var limit: Int

  /// The maximum of `limit`.
  public static let limitMax = 10_000

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest, _ place: PlaceReference,
    before: SequenceNumber? = nil, after: SequenceNumber = 0, limit: Int = 1_000
  ) {
    (self.history, self.at, self.place) = (history, at, place)
    (self.before, self.after, self.limit) = (before, after, limit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ParagraphHistoryAnswer>(
    "editlog/paragraphHistory",
    "The versions of some paragraphs through splits, merges and moves, newest first.",
    isChange: false,
    params: Codec(
      { ParagraphHistoryRequest($0, at: $1, $2, before: $3, after: $4, limit: $5) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .group(\.place, PlaceReference.codec),
      .optional("before", \.before, Codec<UInt64>.sequence(atLeast: 1)),
      .optional("after", \.after, .unsigned, else: SequenceNumber(0)),
      .optional("limit", \.limit, .integer(in: 1...limitMax), else: 1_000)),
    answer: ParagraphHistoryAnswer.codec)
}

/// Versions of some paragraphs.
public struct ParagraphHistoryAnswer: HistoryAnswer {
  /// The number of the newest version, in which the place is.
  public var sequence: SequenceNumber
  /// The versions, newest first.
  public var versions: [ShownParagraphVersion]
  /// The `before` of the next part. Nil after the last.
  public var next: SequenceNumber?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, versions: [ShownParagraphVersion], next: SequenceNumber? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.versions, self.next) = (sequence, versions, next)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { ParagraphHistoryAnswer(sequence: $0, versions: $1, next: $2, reservation: $3) },
    .required("sequence", \.sequence, .unsigned),
    .required("versions", \.versions, .array(ShownParagraphVersion.codec)),
    .optional("next", \.next, .unsigned),
    .group(\.reservation, Reservation.codec))
}

/// The text of some paragraphs after the edits that one undo would take back together.
public struct ShownParagraphVersion: Hashable, Sendable {
  /// The first edit that changed the paragraphs.
  public var first: SequenceNumber
  /// The last of these edits, with its time, author and origin.
  public var stamp: ShownStamp
  /// The number of these edits.
  public var editCount: Int
  /// What happened.
  public var steps: [Step]
  /// The text of the paragraphs, terminators included.
  public var text: UTF16Text
  /// What changed since the version before, in order of place.
  public var changes: [Change]

  /// A change of a paragraph.
  public struct Step: Hashable, Sendable {
    /// The kind: `inserted`, `split`, `edited`, `formatted`, `merged`, `removed` or `moved`.
    public var kind: String
    /// The paragraph.
    public var paragraph: ParagraphID
    /// The paragraph that it was split from, merged into or moved from.
    public var related: ParagraphID?

    /// A change.
    public init(kind: String, paragraph: ParagraphID, related: ParagraphID? = nil) {
      (self.kind, self.paragraph, self.related) = (kind, paragraph, related)
    }

    static let codec = Codec<Self>(
      { Step(kind: $0, paragraph: $1, related: $2) },
      .required("kind", \.kind, .string), .required("paragraph", \.paragraph, .paragraph),
      .optional("related", \.related, .paragraph))
  }

  /// A stretch of the text that changed.
  public struct Change: Hashable, Sendable {
    /// Its start in `text`, in UTF-16 units.
    public var location: Int
    /// The old text.
    public var removed: UTF16Text
    /// The new text.
    public var inserted: UTF16Text

    /// A stretch.
    public init(location: Int, removed: UTF16Text, inserted: UTF16Text) {
      (self.location, self.removed, self.inserted) = (location, removed, inserted)
    }

    static let codec = Codec<Self>(
      { Change(location: $0, removed: $1, inserted: $2) },
      .required("location", \.location, .count), .required("removed", \.removed, .text),
      .required("inserted", \.inserted, .text))
  }

  /// A version.
  public init(
    first: SequenceNumber, stamp: ShownStamp, editCount: Int, steps: [Step], text: UTF16Text,
    changes: [Change]
  ) {
    (self.first, self.stamp, self.editCount) = (first, stamp, editCount)
    (self.steps, self.text, self.changes) = (steps, text, changes)
  }

  package static let codec = Codec<Self>(
    {
      ShownParagraphVersion(
        first: $0, stamp: $1, editCount: $2, steps: $3, text: $4, changes: $5)
    },
    .required("first", \.first, .unsigned), .group(\.stamp, ShownStamp.codec),
    .required("editCount", \.editCount, .count),
    .required("steps", \.steps, .array(Step.codec)), .required("text", \.text, .text),
    .required("changes", \.changes, .array(Change.codec)))
}
