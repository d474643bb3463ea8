package import EditJSON
public import EditModel

/// Appends an edit that changes the attributes of a range: of exactly its units, or of all paragraphs that
/// it touches.
public struct StyleRequest: MethodRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The range in the newest version, in UTF-16 units.
  public var range: UTF16Range
  /// What becomes of the attributes.
  public var attributes: AttributeIntent
  /// True to widen the range to whole paragraphs, terminators included. An empty range is then the
  /// paragraph of its location.
  public var isOfParagraphs: Bool
  /// The version that the document must be at, if not nil.
  public var base: SequenceNumber?
  /// The author of the edit.
  public var author: String?
  /// As in `AppendRequest`.
  public var atRest: Bool

  /// A call.
  ///
  /// - Parameters:
  ///   - history: The history, and the checks that the call asks for.
  ///   - range: The range in the newest version, in UTF-16 units.
  ///   - attributes: What becomes of the attributes.
  ///   - isOfParagraphs: True to widen the range to whole paragraphs.
  ///   - base: The version that the document must be at, if not nil.
  ///   - author: The author of the edit.
  ///   - atRest: As in `AppendRequest`.
  public init(
    _ history: HistoryReference, _ range: UTF16Range, _ attributes: AttributeIntent,
    isOfParagraphs: Bool = false, base: SequenceNumber? = nil, author: String? = nil,
    atRest: Bool = false
  ) {
    (self.history, self.range, self.attributes) = (history, range, attributes)
    (self.isOfParagraphs, self.base) = (isOfParagraphs, base)
    (self.author, self.atRest) = (author, atRest)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, StyleAnswer>(
    "editlog/style",
    "Changes the attributes of a range, or of the paragraphs that it touches.",
    isChange: true,
    params: Codec(
      {
        StyleRequest(
          $0, $1, $2, isOfParagraphs: $3, base: $4, author: $5, atRest: $6)
      },
      .group(\.history, HistoryReference.codec),
      .required("range", \.range, .range),
      .required("attributes", \.attributes, .intent),
      .optional("paragraphs", \.isOfParagraphs, .bool, else: false),
      .optional("base", \.base, .unsigned),
      .optional("author", \.author, .author),
      .optional("atRest", \.atRest, .bool, else: false)),
    answer: StyleAnswer.codec)
}

/// What was styled.
public struct StyleAnswer: Hashable, Sendable {
  /// The number of the edit that was appended; without `isChanged`, that of the newest version.
  public var sequence: SequenceNumber
  /// False if the units had the attributes already, and nothing was appended.
  public var isChanged: Bool
  /// The range that has the attributes, in UTF-16 units.
  public var range: UTF16Range

  /// An answer.
  ///
  /// - Parameters:
  ///   - sequence: The number of the edit that was appended.
  ///   - isChanged: False if nothing was appended.
  ///   - range: The range that has the attributes.
  public init(sequence: SequenceNumber, isChanged: Bool, range: UTF16Range) {
    (self.sequence, self.isChanged, self.range) = (sequence, isChanged, range)
  }

  package static let codec = Codec<Self>(
    { StyleAnswer(sequence: $0, isChanged: $1, range: $2) },
    .required("sequence", \.sequence, .unsigned),
    .required("changed", \.isChanged, .bool),
    .required("range", \.range, .range))
}
