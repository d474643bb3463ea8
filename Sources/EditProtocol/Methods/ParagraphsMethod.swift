package import EditJSON
public import EditModel

/// Asks for the paragraphs of a version.
public struct ParagraphsRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version, and the part of it in paragraphs.
  public var part: VersionPart
  /// What is asked for besides identifiers, ranges and texts.
  public var details: Details
  /// The range that is asked for, in UTF-16 units, widened to whole paragraphs. The whole text if nil.
  public var range: UTF16Range?
  /// The treatment of the empty piece after the range.
  public var ranges: Ranges

  /// What is asked for besides identifiers, ranges and texts. By default nothing.
  public struct Details: Hashable, Sendable {
    /// The removed paragraphs, after the others.
    public var dead = false
    /// Splits, merges and moves.
    public var lineage = false
    /// Birth, last edit, number of edits, authors.
    public var life = false
    /// The identifiers by the positional rule.
    public var positional = false

    /// Nothing.
    public init() {}

    static let codec = Codec<Self>(
      { dead, lineage, life, positional in
        var details = Details()
        (details.dead, details.lineage) = (dead, lineage)
        (details.life, details.positional) = (life, positional)
        return details
      },
      .optional("dead", \.dead, .bool, else: false),
      .optional("lineage", \.lineage, .bool, else: false),
      .optional("life", \.life, .bool, else: false),
      .optional("positional", \.positional, .bool, else: false))
  }

  /// The treatments of the empty piece after a range that ends with a terminator.
  public enum Ranges: String, CaseIterable, Hashable, Sendable {
    /// The empty piece stays.
    case keep
    /// It is left out, but not at the text's end.
    case drop
    /// The next paragraph replaces it.
    case merge
  }

  /// A call.
  public init(
    _ history: HistoryReference, _ part: VersionPart = VersionPart(),
    details: Details = Details(), range: UTF16Range? = nil, ranges: Ranges = .keep
  ) {
    (self.history, self.part, self.details) = (history, part, details)
    (self.range, self.ranges) = (range, ranges)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ParagraphsAnswer>(
    "editlog/paragraphs",
    "The paragraphs of a version, with their stable identifiers.",
    isChange: false,
    params: Codec(
      { ParagraphsRequest($0, $1, details: $2, range: $3, ranges: $4) },
      .group(\.history, HistoryReference.codec), .group(\.part, VersionPart.codec),
      .group(\.details, Details.codec), .optional("range", \.range, .range),
      .optional("ranges", \.ranges, .name(), else: .keep)),
    answer: ParagraphsAnswer.codec)
}

/// The paragraphs of a version, or a part of them.
public struct ParagraphsAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The paragraphs in order.
  public var paragraphs: AnswerList<ShownParagraph>
  /// The removed paragraphs, in order of removal, if they were asked for.
  public var dead: AnswerList<DeadParagraph>
  /// The `offset` of the next part. Nil after the last.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, paragraphs: AnswerList<ShownParagraph>,
    dead: AnswerList<DeadParagraph> = [], next: Int? = nil, reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.paragraphs, self.dead) = (sequence, paragraphs, dead)
    (self.next, self.reservation) = (next, reservation)
  }

  package static let codec = Codec<Self>(
    { ParagraphsAnswer(sequence: $0, paragraphs: $1, dead: $2, next: $3, reservation: $4) },
    .required("sequence", \.sequence, .unsigned),
    .required("paragraphs", \.paragraphs, .list(ShownParagraph.codec)),
    .optional("dead", \.dead, .list(DeadParagraph.codec), else: AnswerList([])),
    .optional("next", \.next, .count),
    .group(\.reservation, Reservation.codec))
}

/// A paragraph of a version: index, identifier, range and text.
public struct ShownParagraph: Hashable, Sendable {
  /// Its index among the version's paragraphs, from 0.
  public var index: Int
  /// Its identifier.
  public var id: ParagraphID
  /// Its range in UTF-16 units, terminator included.
  public var range: UTF16Range
  /// Its text, terminator included.
  public var text: UTF16Text
  /// What else was asked for.
  public var details: ParagraphDetails

  /// A paragraph.
  public init(
    index: Int, id: ParagraphID, range: UTF16Range, text: UTF16Text,
    details: ParagraphDetails = ParagraphDetails()
  ) {
    (self.index, self.id, self.range, self.text) = (index, id, range, text)
    self.details = details
  }

  package static let codec = Codec<Self>(
    { (index, id, location, length, text, details) in
      ShownParagraph(
        index: index, id: id, range: UTF16Range(location..<location + length), text: text,
        details: details)
    },
    .required("index", \.index, .count),
    .required("id", \.id, .paragraph),
    .required("location", \.range.location, .length),
    .required("length", \.range.length, .length),
    .required("text", \.text, .text),
    .group(\.details, ParagraphDetails.codec))
}
