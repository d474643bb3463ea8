package import EditJSON
public import EditModel

extension Methods {
  /// Methods that find versions.
  static let places: [any MethodRequest.Type] = [VersionRequest.self, MarksRequest.self]
}

// MARK: editlog/version

/// Asks which version a point names. No text is read to answer it.
public struct VersionRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The point.
  public var at: PointExpression

  /// A call.
  public init(_ history: HistoryReference, at: PointExpression = .latest) {
    (self.history, self.at) = (history, at)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, VersionAnswer>(
    "editlog/version",
    "The number and the time of the version that a point names.",
    isChange: false,
    params: Codec(
      { VersionRequest($0, at: $1) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest)),
    answer: VersionAnswer.codec)
}

/// A version.
public struct VersionAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The time of its last edit. Nil for the empty document, version 0.
  public var time: Timestamp?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, time: Timestamp?, reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.time, self.reservation) = (sequence, time, reservation)
  }

  package static let codec = Codec<Self>(
    { VersionAnswer(sequence: $0, time: $1, reservation: $2) },
    .required("sequence", \.sequence, .unsigned),
    .optional("time", \.time, .time),
    .group(\.reservation, Reservation.codec))
}

// MARK: editlog/marks

/// Asks for the marks of a document.
public struct MarksRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference

  /// A call.
  public init(_ history: HistoryReference) { self.history = history }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, MarksAnswer>(
    "editlog/marks",
    "The marks of a document, in the order in which they were made.",
    isChange: false,
    params: Codec({ MarksRequest($0) }, .group(\.history, HistoryReference.codec)),
    answer: MarksAnswer.codec)
}

/// The marks of a document.
public struct MarksAnswer: HistoryAnswer {
  /// The marks. If several had the same label, only the last one is among them.
  public var marks: [ShownMark]
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(marks: [ShownMark], reservation: Reservation = Reservation()) {
    (self.marks, self.reservation) = (marks, reservation)
  }

  package static let codec = Codec<Self>(
    { MarksAnswer(marks: $0, reservation: $1) },
    .required("marks", \.marks, .array(ShownMark.codec)),
    .group(\.reservation, Reservation.codec))
}

/// A mark: a label, its version, and who made it when.
public struct ShownMark: Hashable, Sendable {
  /// The label.
  public var label: String
  /// The number of the version that it names.
  public var sequence: SequenceNumber
  /// The time at which the mark was made.
  public var time: Timestamp
  /// Who made it, if known.
  public var author: String?

  /// A mark.
  public init(label: String, sequence: SequenceNumber, time: Timestamp, author: String?) {
    (self.label, self.sequence, self.time, self.author) = (label, sequence, time, author)
  }

  package static let codec = Codec<Self>(
    { ShownMark(label: $0, sequence: $1, time: $2, author: $3) },
    .required("label", \.label, .string),
    .required("sequence", \.sequence, .unsigned),
    .required("time", \.time, .time),
    .optional("author", \.author, .string))
}
