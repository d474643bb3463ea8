package import EditJSON
public import EditModel

// MARK: editlog/outline

/// Asks for the sections of a version.
public struct OutlineRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// The name of the attribute that begins sections. If nil, headings do: that of `heading`, and those of Markdown.
  public var key: String?
  /// The position of the first section, from 0.
  public var offset: Int
  /// The maximum number of sections.
  public var limit: Int

  /// The default of `limit`, and its maximum.
  public static let (limitStandard, limitMax) = (1_000, 10_000)
  /// The maximum length of a heading in an answer, in UTF-16 units. Longer ones are cut.
  public static let headingLengthMax = 1_000

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest, key: String? = nil,
    offset: Int = 0, limit: Int = limitStandard
  ) {
    (self.history, self.at, self.key) = (history, at, key)
    (self.offset, self.limit) = (offset, limit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, OutlineAnswer>(
    "editlog/outline",
    "The sections of a version, by headings or by an attribute.",
    isChange: false,
    params: Codec(
      { OutlineRequest($0, at: $1, key: $2, offset: $3, limit: $4) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .optional("key", \.key, .string),
      .optional("offset", \.offset, .count, else: 0),
      .optional("limit", \.limit, .integer(in: 1...limitMax), else: limitStandard)),
    answer: OutlineAnswer.codec)
}

/// The sections of a version, or a part of them.
public struct OutlineAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The sections in order.
  public var sections: [ShownSection]
  /// The `offset` of the next part. Nil if none follows.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, sections: [ShownSection], next: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.sections, self.next) = (sequence, sections, next)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { OutlineAnswer(sequence: $0, sections: $1, next: $2, reservation: $3) },
    .required("sequence", \.sequence, .unsigned),
    .required("sections", \.sections, .array(ShownSection.codec)),
    .optional("next", \.next, .count),
    .group(\.reservation, Reservation.codec))
}

/// A section of a version.
public struct ShownSection: Hashable, Sendable {
  /// Its heading, cut. Nil for what comes before the first heading.
  public var heading: UTF16Text?
  /// The heading's paragraph.
  public var id: ParagraphID?
  /// The heading's level, from 1; 0 before the first heading.
  public var level: Int
  /// The index of its first paragraph.
  public var paragraph: Int
  /// The number of its paragraphs, the heading among them.
  public var paragraphCount: Int
  /// Its range in UTF-16 units.
  public var range: UTF16Range
  /// Its words.
  public var words: Int
  /// Its characters, as people count them, without terminators.
  public var characters: Int
  /// The edit that created its oldest paragraph, and its time. Version 0 has no time.
  public var firstEdit: SequenceNumber
  /// See `firstEdit`.
  public var firstTime: Timestamp?
  /// The last edit of its paragraphs, and its time.
  public var lastEdit: SequenceNumber
  /// See `lastEdit`.
  public var lastTime: Timestamp?

  /// A section.
  public init(
    heading: UTF16Text?, id: ParagraphID?, level: Int, paragraph: Int, paragraphCount: Int,
    range: UTF16Range, words: Int, characters: Int, firstEdit: SequenceNumber,
    firstTime: Timestamp?, lastEdit: SequenceNumber, lastTime: Timestamp?
  ) {
    (self.heading, self.id, self.level) = (heading, id, level)
    (self.paragraph, self.paragraphCount, self.range) = (paragraph, paragraphCount, range)
    (self.words, self.characters) = (words, characters)
    (self.firstEdit, self.firstTime) = (firstEdit, firstTime)
    (self.lastEdit, self.lastTime) = (lastEdit, lastTime)
  }

  package static let codec = Codec<Self>(
    {
      (
        heading, id, level, paragraph, paragraphCount, location, length, words, characters,
        firstEdit, firstTime, lastEdit, lastTime
      ) in
      ShownSection(
        heading: heading, id: id, level: level, paragraph: paragraph,
        paragraphCount: paragraphCount, range: UTF16Range(location..<location + length),
        words: words, characters: characters, firstEdit: firstEdit, firstTime: firstTime,
        lastEdit: lastEdit, lastTime: lastTime)
    },
    .optional("heading", \.heading, .text),
    .optional("id", \.id, .paragraph),
    .required("level", \.level, .count),
    .required("paragraph", \.paragraph, .count),
    .required("paragraphCount", \.paragraphCount, .count),
    .required("location", \.range.location, .length),
    .required("length", \.range.length, .length),
    .required("words", \.words, .count),
    .required("characters", \.characters, .count),
    .required("firstEdit", \.firstEdit, .unsigned),
    .optional("firstTime", \.firstTime, .time),
    .required("lastEdit", \.lastEdit, .unsigned),
    .optional("lastTime", \.lastTime, .time))
}
