package import EditJSON
public import EditModel

extension Methods {
  /// Methods that find versions.
  static let places: [any MethodRequest.Type] = [VersionRequest.self, MarksRequest.self]
}

// MARK: editlog/version

/// Asks which version a point names, or some steps from it lead to. No text is read to answer it, but for
/// steps by paragraph.
public struct VersionRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The point.
  public var at: PointExpression
  /// The number of steps from the point on; back if it is negative.
  public var step: Int
  /// The unit of the steps.
  public var by: StepUnit

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest, step: Int = 0, by: StepUnit = .edit
  ) {
    (self.history, self.at, self.step, self.by) = (history, at, step, by)
  }

  /// The maximum number of steps in a call, in each direction.
  public static let stepMax = 1_000_000_000

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, VersionAnswer>(
    "editlog/version",
    "The number and the time of the version that a point names, or that steps from it lead to.",
    isChange: false,
    params: Codec(
      { VersionRequest($0, at: $1, step: $2, by: $3) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .optional("step", \.step, .integer(in: -stepMax...stepMax), else: 0),
      .optional("by", \.by, .stepUnit, else: .edit)),
    answer: VersionAnswer.codec)
}

/// A version.
public struct VersionAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The time of its last edit. Nil for the empty document, version 0.
  public var time: Timestamp?
  /// The number of steps made, if steps were asked for: fewer if the history ends before.
  public var stepCount: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, time: Timestamp?, stepCount: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.time, self.stepCount) = (sequence, time, stepCount)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { VersionAnswer(sequence: $0, time: $1, stepCount: $2, reservation: $3) },
    .required("sequence", \.sequence, .unsigned),
    .optional("time", \.time, .time),
    .optional("stepCount", \.stepCount, .count),
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
