package import EditJSON
public import EditModel

/// Appends edits that bring back a version, or a part of it.
public struct RestoreRequest: MethodRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// The paragraph of that version to bring back; nil for all, or for `range`.
  public var paragraph: ParagraphID?
  /// The range of that version to bring back, in UTF-16 units; nil for all, or for `paragraph`.
  public var range: UTF16Range?
  /// The version that the document must be at, if not nil.
  public var base: SequenceNumber?
  /// The author of the edits.
  public var author: String?
  /// As in `AppendRequest`.
  public var atRest: Bool

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression, paragraph: ParagraphID? = nil,
    range: UTF16Range? = nil, base: SequenceNumber? = nil, author: String? = nil,
    atRest: Bool = false
  ) {
    (self.history, self.at, self.paragraph, self.range) = (history, at, paragraph, range)
    (self.base, self.author, self.atRest) = (base, author, atRest)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, RestoreAnswer>(
    "editlog/restore",
    "Brings back a version, or a part of it, by appending edits.",
    isChange: true,
    params: Codec(
      {
        RestoreRequest(
          $0, at: $1, paragraph: $2, range: $3, base: $4, author: $5, atRest: $6)
      },
      .group(\.history, HistoryReference.codec),
      .required("at", \.at, .point),
      .optional("paragraph", \.paragraph, .paragraph),
      .optional("range", \.range, .range),
      .optional("base", \.base, .unsigned),
      .optional("author", \.author, .author),
      .optional("atRest", \.atRest, .bool, else: false)),
    answer: RestoreAnswer.codec)
}

/// Asks for the edits that a restore would append.
public struct RestorePlanRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// The paragraph of that version to bring back; nil for all, or for `range`.
  public var paragraph: ParagraphID?
  /// The range of that version to bring back, in UTF-16 units; nil for all, or for `paragraph`.
  public var range: UTF16Range?

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression, paragraph: ParagraphID? = nil,
    range: UTF16Range? = nil
  ) {
    (self.history, self.at, self.paragraph, self.range) = (history, at, paragraph, range)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, RestorePlanAnswer>(
    "editlog/restore",
    "The edits that a restore would append.",
    isChange: false,
    params: Codec(
      { (history, at, paragraph, range, _: Bool) in
        RestorePlanRequest(history, at: at, paragraph: paragraph, range: range)
      },
      .group(\.history, HistoryReference.codec),
      .required("at", \.at, .point),
      .optional("paragraph", \.paragraph, .paragraph),
      .optional("range", \.range, .range), .flag("dryRun", true)),
    answer: RestorePlanAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in try params.flag("dryRun") })
}

/// The edits that a restore would append.
public struct RestorePlanAnswer: HistoryAnswer {
  /// The version that would be brought back, or from which a part would be.
  public var from: SequenceNumber
  /// The version that the edits are made against: the newest.
  public var base: SequenceNumber
  /// False if the text is the same already, and nothing would be appended.
  public var isChanged: Bool
  /// The range that would be replaced, in UTF-16 units.
  public var range: UTF16Range
  /// The edits: of origin `undo` if the text would keep its writers, else `paste`.
  public var edits: [AppendEdit]
  /// The edits of the history that would be taken back.
  public var undone: SequenceSet
  /// The edits of the history that would be brought back.
  public var redone: SequenceSet
  /// What would change, as a unified diff.
  public var unified: UTF16Text
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    from: SequenceNumber, base: SequenceNumber, isChanged: Bool, range: UTF16Range,
    edits: [AppendEdit], undone: SequenceSet, redone: SequenceSet, unified: UTF16Text,
    reservation: Reservation = Reservation()
  ) {
    (self.from, self.base, self.isChanged, self.range) = (from, base, isChanged, range)
    (self.edits, self.undone, self.redone) = (edits, undone, redone)
    (self.unified, self.reservation) = (unified, reservation)
  }

  package static let codec = Codec<Self>(
    {
      RestorePlanAnswer(
        from: $0, base: $1, isChanged: $2, range: $3, edits: $4, undone: $5, redone: $6,
        unified: $7, reservation: $8)
    },
    .required("from", \.from, .unsigned),
    .required("base", \.base, .unsigned),
    .required("changed", \.isChanged, .bool),
    .required("range", \.range, .range),
    .required("edits", \.edits, .array(.appendEdit)),
    .required("undone", \.undone, .sequences),
    .required("redone", \.redone, .sequences),
    .required("unified", \.unified, .text),
    .group(\.reservation, Reservation.codec))
}

/// What was brought back.
public struct RestoreAnswer: Hashable, Sendable {
  /// The version that was brought back, or from which a part was.
  public var from: SequenceNumber
  /// The number of the last edit that was appended; without `isChanged`, that of the newest version.
  public var sequence: SequenceNumber
  /// False if the text was the same already, and nothing was appended.
  public var isChanged: Bool
  /// The range that was replaced, in UTF-16 units of the text before.
  public var range: UTF16Range

  /// An answer.
  public init(from: SequenceNumber, sequence: SequenceNumber, isChanged: Bool, range: UTF16Range) {
    (self.from, self.sequence, self.isChanged, self.range) = (from, sequence, isChanged, range)
  }

  package static let codec = Codec<Self>(
    { RestoreAnswer(from: $0, sequence: $1, isChanged: $2, range: $3) },
    .required("from", \.from, .unsigned),
    .required("sequence", \.sequence, .unsigned),
    .required("changed", \.isChanged, .bool),
    .required("range", \.range, .range))
}
