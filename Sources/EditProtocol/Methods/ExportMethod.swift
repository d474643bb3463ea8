public import EditJSON
public import EditModel

/// Asks for a version as a file.
public struct ExportRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// The form of the file.
  public var format: Format
  /// For XML, the rule for its elements, as `editlog export --help` describes it; nil for the usual one.
  public var rule: JSON?
  /// True if JSON also has the paragraphs' identifiers.
  public var identifiers: Bool

  /// The forms of a file.
  public enum Format: String, CaseIterable, Hashable, Sendable {
    /// A page: paragraphs and styles.
    case htmlText = "html-text"
    /// CommonMark.
    case markdown
    /// Elements by a rule.
    case xml
    /// Text and attribute runs.
    case attributedJSON = "attributed-json"
  }

  /// The maximum length of a text that is written into one answer, in UTF-16 units.
  public static let lengthMax = 16 << 20

  /// A call.
  ///
  /// - Parameters:
  ///   - history: The history, and the checks that the call asks for.
  ///   - at: The version.
  ///   - format: The form of the file.
  ///   - rule: For XML, the rule for its elements.
  ///   - identifiers: True if JSON also has the paragraphs' identifiers.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest, _ format: Format,
    rule: JSON? = nil, identifiers: Bool = false
  ) {
    (self.history, self.at, self.format, self.rule) = (history, at, format, rule)
    self.identifiers = identifiers
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ExportAnswer>(
    "editlog/export",
    "A version as HTML, Markdown, XML or JSON.",
    isChange: false,
    params: Codec(
      { ExportRequest($0, at: $1, $2, rule: $3, identifiers: $4) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .required("format", \.format, .name()),
      .optional("rule", \.rule, .object),
      .optional("identifiers", \.identifiers, .bool, else: false)),
    answer: ExportAnswer.codec)
}

/// A version as a file.
public struct ExportAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The file.
  public var content: String
  /// What the form cannot carry, one line for each kind.
  public var losses: [String]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  ///
  /// - Parameters:
  ///   - sequence: The version's number.
  ///   - content: The file.
  ///   - losses: What the form cannot carry.
  ///   - reservation: Warnings about data that may be missing.
  public init(
    sequence: SequenceNumber, content: String, losses: [String],
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.content, self.losses) = (sequence, content, losses)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { ExportAnswer(sequence: $0, content: $1, losses: $2, reservation: $3) },
    .required("sequence", \.sequence, .unsigned),
    .required("content", \.content, .string),
    .required("losses", \.losses, .array(.string)),
    .group(\.reservation, Reservation.codec))
}

extension Codec<JSON> {
  /// Any object.
  fileprivate static let object = Codec(
    schema: ["type": "object"],
    decode: { (json) throws(ShapeError) in .object(try json.asObject()) }, encode: { $0 })
}
