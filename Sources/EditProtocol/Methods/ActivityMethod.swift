package import EditJSON
public import EditModel

/// Asks when a document was worked on, how much, and by whom.
public struct ActivityRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// Only edits after this one count.
  public var after: SequenceNumber
  /// Only edits up to this one count. If nil, all.
  public var through: SequenceNumber?
  /// True for the stretches of time spent too.
  public var stretches: Bool

  /// A call.
  public init(
    _ history: HistoryReference, after: SequenceNumber = 0, through: SequenceNumber? = nil,
    stretches: Bool = false
  ) {
    (self.history, self.after, self.through) = (history, after, through)
    self.stretches = stretches
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ActivityAnswer>(
    "editlog/activity",
    "When a document was worked on, how much, and by whom.",
    isChange: false,
    params: Codec(
      { ActivityRequest($0, after: $1, through: $2, stretches: $3) },
      .group(\.history, HistoryReference.codec),
      .optional("after", \.after, .unsigned, else: SequenceNumber(0)),
      .optional("through", \.through, .unsigned),
      .optional("stretches", \.stretches, .bool, else: false)),
    answer: ActivityAnswer.codec)
}

/// The work on a document.
public struct ActivityAnswer: HistoryAnswer {
  /// The last edit that counts, or the version before the first one if there is none.
  public var sequence: SequenceNumber
  /// The sum.
  public var total: ShownActivity
  /// The time of the first edit; nil if there is none.
  public var firstTime: Timestamp?
  /// The time of the last edit; nil if there is none.
  public var lastTime: Timestamp?
  /// The quarters of an hour with edits, in order; the newest if there are more than `quarterCountMax`.
  public var quarters: [ActivityQuarterCounts]
  /// The number of quarters that are left out.
  public var omitted: Int
  /// The shares of authors and origins, those with most edits first.
  public var shares: [ShownActivityShare]
  /// The longest times between two edits, of at least 5 minutes, the longest first.
  public var pauses: [ShownPause]
  /// The paragraphs of the text from which most units were removed, at most `paragraphCountMax`.
  public var paragraphs: [ReworkedParagraph]
  /// The stretches of time spent, in order, if they were asked for: the newest if there are more than
  /// `stretchCountMax`.
  public var stretches: [ShownStretch]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// The maximum number of stretches in an answer.
  public static let stretchCountMax = 20_000
  /// The maximum number of quarters in an answer.
  public static let quarterCountMax = 20_000
  /// The maximum number of paragraphs in an answer.
  public static let paragraphCountMax = 10
  /// The maximum length of a paragraph's text in an answer, in UTF-16 units.
  public static let textLengthMax = 200

  /// An answer.
  public init(
    sequence: SequenceNumber, total: ShownActivity, firstTime: Timestamp?, lastTime: Timestamp?,
    quarters: [ActivityQuarterCounts], omitted: Int = 0, shares: [ShownActivityShare],
    pauses: [ShownPause], paragraphs: [ReworkedParagraph], stretches: [ShownStretch] = [],
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.total) = (sequence, total)
    (self.firstTime, self.lastTime) = (firstTime, lastTime)
    (self.quarters, self.omitted, self.shares) = (quarters, omitted, shares)
    (self.pauses, self.paragraphs) = (pauses, paragraphs)
    (self.stretches, self.reservation) = (stretches, reservation)
  }

  package static let codec = Codec<Self>(
    {
      ActivityAnswer(
        sequence: $0, total: $1, firstTime: $2, lastTime: $3, quarters: $4, omitted: $5,
        shares: $6, pauses: $7, paragraphs: $8, stretches: $9, reservation: $10)
    },
    .required("sequence", \.sequence, .unsigned),
    .required("total", \.total, ShownActivity.codec),
    .optional("firstTime", \.firstTime, .time), .optional("lastTime", \.lastTime, .time),
    .required("quarters", \.quarters, .array(ActivityQuarterCounts.codec)),
    .optional("omitted", \.omitted, .count, else: 0),
    .required("shares", \.shares, .array(ShownActivityShare.codec)),
    .required("pauses", \.pauses, .array(ShownPause.codec)),
    .required("paragraphs", \.paragraphs, .array(ReworkedParagraph.codec)),
    .optional("stretches", \.stretches, .array(ShownStretch.codec), else: []),
    .group(\.reservation, Reservation.codec))
}

/// What some edits did.
public struct ShownActivity: Hashable, Sendable {
  /// The number of edits.
  public var edits: Int
  /// The number of words that were begun: whose first unit was inserted, by an edit of another origin
  /// than `load`, `undo` and `redo`.
  public var words: Int
  /// UTF-16 units that were inserted.
  public var inserted: Int
  /// UTF-16 units that were removed.
  public var removed: Int
  /// The time between edits that were less than 5 minutes apart, in microseconds. It counts for the
  /// later one, unless that is an undo, a redo or a restore.
  public var activeMicros: Int64
  /// The number of edits that came 30 minutes or more after the one before, or first.
  public var sessions: Int

  /// What some edits did. By default, nothing.
  public init(
    edits: Int = 0, words: Int = 0, inserted: Int = 0, removed: Int = 0, activeMicros: Int64 = 0,
    sessions: Int = 0
  ) {
    (self.edits, self.words, self.inserted) = (edits, words, inserted)
    (self.removed, self.activeMicros, self.sessions) = (removed, activeMicros, sessions)
  }

  package static let codec = Codec<Self>(
    {
      ShownActivity(
        edits: $0, words: $1, inserted: $2, removed: $3, activeMicros: $4, sessions: $5)
    },
    .required("edits", \.edits, .count), .required("words", \.words, .count),
    .required("inserted", \.inserted, .count), .required("removed", \.removed, .count),
    .required("activeMicros", \.activeMicros, .natural),
    .optional("sessions", \.sessions, .count, else: 0))
}

/// What was done in a quarter of an hour.
public struct ActivityQuarterCounts: Hashable, Sendable {
  /// The time at which it begins: a multiple of 15 minutes since 1970 UTC.
  public var time: Timestamp
  /// What was done.
  public var counts: ShownActivity

  /// A quarter.
  public init(time: Timestamp, counts: ShownActivity) { (self.time, self.counts) = (time, counts) }

  static let codec = Codec<Self>(
    { ActivityQuarterCounts(time: $0, counts: $1) },
    .required("time", \.time, .time), .group(\.counts, ShownActivity.codec))
}

/// What an author did by edits of one origin.
public struct ShownActivityShare: Hashable, Sendable {
  /// The author, if known.
  public var author: String?
  /// The origin. Nil for all authors and origins after the first 1,000 pairs together.
  public var origin: Origin?
  /// What was done.
  public var counts: ShownActivity

  /// A share.
  public init(author: String?, origin: Origin?, counts: ShownActivity) {
    (self.author, self.origin, self.counts) = (author, origin, counts)
  }

  static let codec = Codec<Self>(
    { ShownActivityShare(author: $0, origin: $1, counts: $2) },
    .optional("author", \.author, .string), .optional("origin", \.origin, .origin),
    .group(\.counts, ShownActivity.codec))
}

/// A stretch of time in which an author edited a document.
public struct ShownStretch: Hashable, Sendable {
  /// The time at which it begins: that of the edit before its first one, if that is less than 5 minutes older.
  public var fromTime: Timestamp
  /// The time of its last edit.
  public var toTime: Timestamp
  /// The author, if known.
  public var author: String?

  /// A stretch.
  public init(fromTime: Timestamp, toTime: Timestamp, author: String? = nil) {
    (self.fromTime, self.toTime, self.author) = (fromTime, toTime, author)
  }

  static let codec = Codec<Self>(
    { ShownStretch(fromTime: $0, toTime: $1, author: $2) },
    .required("fromTime", \.fromTime, .time), .required("toTime", \.toTime, .time),
    .optional("author", \.author, .string))
}

/// A time without edits.
public struct ShownPause: Hashable, Sendable {
  /// The edit before it.
  public var after: SequenceNumber
  /// The time of that edit.
  public var fromTime: Timestamp
  /// The time of the next edit.
  public var toTime: Timestamp

  /// A pause.
  public init(after: SequenceNumber, fromTime: Timestamp, toTime: Timestamp) {
    (self.after, self.fromTime, self.toTime) = (after, fromTime, toTime)
  }

  static let codec = Codec<Self>(
    { ShownPause(after: $0, fromTime: $1, toTime: $2) },
    .required("after", \.after, .unsigned), .required("fromTime", \.fromTime, .time),
    .required("toTime", \.toTime, .time))
}

/// A paragraph from which units were removed.
public struct ReworkedParagraph: Hashable, Sendable {
  /// Its identifier.
  public var id: ParagraphID
  /// Its index in the version `sequence`.
  public var index: Int
  /// The number of edits that changed its units, without the one that made it; those of paragraphs that
  /// became part of it too.
  public var edits: Int
  /// UTF-16 units that these edits removed from it.
  public var removed: Int
  /// Its text in the version `sequence`, or the beginning, without the terminator.
  public var text: UTF16Text

  /// A paragraph.
  public init(id: ParagraphID, index: Int, edits: Int, removed: Int, text: UTF16Text) {
    (self.id, self.index, self.edits) = (id, index, edits)
    (self.removed, self.text) = (removed, text)
  }

  static let codec = Codec<Self>(
    { ReworkedParagraph(id: $0, index: $1, edits: $2, removed: $3, text: $4) },
    .required("id", \.id, .paragraph), .required("index", \.index, .count),
    .required("edits", \.edits, .count), .required("removed", \.removed, .count),
    .required("text", \.text, .text))
}
