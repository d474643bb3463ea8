package import EditJSON
public import EditModel

/// Asks for the matches of a pattern in all versions of a document.
public struct GrepRequest: HistoryRequest {
  /// Matches by what became of them.
  public enum Fate: String, CaseIterable, Hashable, Sendable {
    /// Those of the version `at`.
    case living
    /// Those that vanished.
    case deleted
  }

  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The last version that is searched.
  public var at: PointExpression
  /// The string or the regular expression.
  public var pattern: String
  /// True if the pattern is a string.
  public var isFixed: Bool
  /// True if letters match their other case.
  public var ignoresCase: Bool
  /// The matches to list. If nil, all.
  public var fate: Fate?
  /// If not nil, only matches that appeared or vanished after this edit are listed.
  public var after: SequenceNumber?
  /// If not nil, only matches that appeared or vanished up to this edit are listed.
  public var through: SequenceNumber?
  /// The number of matches to pass over.
  public var skip: Int
  /// The maximum number of matches.
  public var limit: Int

  /// The maximum of `limit`.
  public static let limitMax = 10_000

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest, _ pattern: String,
    isFixed: Bool = false, ignoresCase: Bool = false, fate: Fate? = nil,
    after: SequenceNumber? = nil, through: SequenceNumber? = nil, skip: Int = 0, limit: Int = 1_000
  ) {
    (self.history, self.at, self.pattern) = (history, at, pattern)
    (self.isFixed, self.ignoresCase, self.fate) = (isFixed, ignoresCase, fate)
    (self.after, self.through, self.skip, self.limit) = (after, through, skip, limit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, GrepAnswer>(
    "editlog/grep",
    "The matches of a pattern in all text that ever existed.",
    isChange: false,
    params: Codec(
      {
        GrepRequest(
          $0, at: $1, $2, isFixed: $3, ignoresCase: $4, fate: $5, after: $6, through: $7, skip: $8,
          limit: $9)
      },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .required("pattern", \.pattern, .string),
      .optional("fixed", \.isFixed, .bool, else: false),
      .optional("ignoreCase", \.ignoresCase, .bool, else: false),
      .optional("only", \.fate, .name()),
      .optional("after", \.after, .unsigned),
      .optional("through", \.through, .unsigned),
      .optional("skip", \.skip, .count, else: 0),
      .optional("limit", \.limit, .integer(in: 1...limitMax), else: 1_000)),
    answer: GrepAnswer.codec)
}

/// Matches of a pattern.
public struct GrepAnswer: HistoryAnswer {
  /// The last version that was searched.
  public var sequence: SequenceNumber
  /// The number of matches, with those of other parts.
  public var count: Int
  /// The matches in the order in which they appeared, those of one edit by their place.
  public var matches: [ShownMatch]
  /// The `skip` of the next part. Nil after the last.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, count: Int, matches: [ShownMatch], next: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.count, self.matches) = (sequence, count, matches)
    (self.next, self.reservation) = (next, reservation)
  }

  package static let codec = Codec<Self>(
    { GrepAnswer(sequence: $0, count: $1, matches: $2, next: $3, reservation: $4) },
    .required("sequence", \.sequence, .unsigned),
    .required("count", \.count, .count),
    .required("matches", \.matches, .array(ShownMatch.codec)),
    .optional("next", \.next, .count),
    .group(\.reservation, Reservation.codec))
}

/// A match, from the edit after which its units match to the edit after which they do not.
public struct ShownMatch: Hashable, Sendable {
  /// The matched text.
  public var text: UTF16Text
  /// The paragraph in which it begins, after the edit `appeared`.
  public var paragraph: ParagraphID
  /// The edit after which it was first there.
  public var appeared: ShownStamp
  /// The first edit after which it was not there; nil while it lives.
  public var vanished: ShownStamp?
  /// Its start, in UTF-16 units of the version in which it appeared.
  public var location: Int
  /// Its start, in UTF-16 units of the last version that was searched; nil if it vanished.
  public var livingLocation: Int?
  /// The line around it when it appeared, or the part of it near the match.
  public var context: UTF16Text
  /// Its start in `context`, in UTF-16 units.
  public var contextLocation: Int
  /// Where it was in the version before it vanished; nil while it lives.
  public var last: Place?

  /// A place of a match in a version.
  public struct Place: Hashable, Sendable {
    /// Its start, in UTF-16 units.
    public var location: Int
    /// The line around it, or the part of it near the match.
    public var context: UTF16Text
    /// Its start in `context`, in UTF-16 units.
    public var contextLocation: Int

    /// A place.
    public init(location: Int, context: UTF16Text, contextLocation: Int) {
      (self.location, self.context) = (location, context)
      self.contextLocation = contextLocation
    }

    package static let codec = Codec<Self>(
      { Place(location: $0, context: $1, contextLocation: $2) },
      .required("location", \.location, .count), .required("context", \.context, .text),
      .required("contextLocation", \.contextLocation, .count))
  }

  /// The line around it when it vanished, or else when it appeared.
  package var lastContext: UTF16Text { last?.context ?? context }

  /// A match.
  public init(
    text: UTF16Text, paragraph: ParagraphID, appeared: ShownStamp, vanished: ShownStamp?,
    location: Int, livingLocation: Int?, context: UTF16Text, contextLocation: Int,
    last: Place? = nil
  ) {
    (self.text, self.paragraph, self.appeared) = (text, paragraph, appeared)
    (self.vanished, self.location, self.livingLocation) = (vanished, location, livingLocation)
    (self.context, self.contextLocation, self.last) = (context, contextLocation, last)
  }

  package static let codec = Codec<Self>(
    {
      ShownMatch(
        text: $0, paragraph: $1, appeared: $2, vanished: $3, location: $4, livingLocation: $5,
        context: $6, contextLocation: $7, last: $8)
    },
    .required("text", \.text, .text), .required("paragraph", \.paragraph, .paragraph),
    .required("appeared", \.appeared, ShownStamp.codec),
    .optional("vanished", \.vanished, ShownStamp.codec),
    .required("location", \.location, .count),
    .optional("livingLocation", \.livingLocation, .count),
    .required("context", \.context, .text),
    .required("contextLocation", \.contextLocation, .count),
    .optional("last", \.last, Place.codec))
}
