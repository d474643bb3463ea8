package import EditJSON
public import EditModel

extension Methods {
  /// Methods that read one document's history.
  static let reading: [any MethodRequest.Type] = [
    StateRequest.self, ParagraphsRequest.self, InspectRequest.self, ParagraphHistoryRequest.self,
    LogRequest.self, LogPreviewRequest.self, OutlineRequest.self, DiffRequest.self,
    ParagraphDiffRequest.self, TraceRequest.self, BlameRequest.self, BlameReverseRequest.self,
    GrepRequest.self, GrepManyRequest.self, ActivityRequest.self, ActivityManyRequest.self,
    AgentsRequest.self, RenderRequest.self, ExportRequest.self,
  ]
}

// MARK: editlog/state

/// Asks for the text and attributes of a version.
public struct StateRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version, and the part of it in UTF-16 units.
  public var part: VersionPart

  /// A call.
  public init(_ history: HistoryReference, _ part: VersionPart = VersionPart()) {
    (self.history, self.part) = (history, part)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, StateAnswer>(
    "editlog/state",
    "The text and the attributes of a version.",
    isChange: false,
    params: Codec(
      { StateRequest($0, $1) },
      .group(\.history, HistoryReference.codec), .group(\.part, VersionPart.codec)),
    answer: StateAnswer.codec)
}

/// The text and attributes of a version, or a part of them.
public struct StateAnswer: HistoryAnswer {
  /// The document.
  public var document: DocumentID
  /// The version's number.
  public var sequence: SequenceNumber
  /// The time of its last edit. Nil for the empty document, version 0, and in parts after the
  /// first.
  public var time: Timestamp?
  /// The length of the whole text in UTF-16 units.
  public var length: Int
  /// The number of paragraphs of the whole text.
  public var paragraphCount: Int
  /// The text from `offset` on.
  public var text: UTF16Text
  /// The attributes of `text`, as runs that cover it.
  public var attributeRuns: [AttributeRun]
  /// The offset of the next part. Nil at the end of the text.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    document: DocumentID, sequence: SequenceNumber, time: Timestamp?, length: Int,
    paragraphCount: Int, text: UTF16Text, attributeRuns: [AttributeRun], next: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.document, self.sequence, self.time) = (document, sequence, time)
    (self.length, self.paragraphCount, self.text) = (length, paragraphCount, text)
    (self.attributeRuns, self.next, self.reservation) = (attributeRuns, next, reservation)
  }

  package static let codec = Codec<Self>(
    {
      StateAnswer(
        document: $0, sequence: $1, time: $2, length: $3, paragraphCount: $4, text: $5,
        attributeRuns: $6, next: $7, reservation: $8)
    },
    .required("document", \.document, .document),
    .required("sequence", \.sequence, .unsigned),
    .optional("time", \.time, .time),
    .required("length", \.length, .count),
    .required("paragraphCount", \.paragraphCount, .count),
    .required("text", \.text, .text),
    .required("attributeRuns", \.attributeRuns, .array(.run)),
    .optional("next", \.next, .count),
    .group(\.reservation, Reservation.codec))
}

// MARK: editlog/diff

/// Asks for the lines that differ between two versions.
public struct DiffRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The older version.
  public var from: PointExpression
  /// The newer version.
  public var to: PointExpression
  /// Equal lines around each hunk.
  public var context: Int
  /// The number of a part of the unified diff, from 0. The answer then has no `hunks`. If nil, the
  /// answer has the whole diff.
  public var part: Int?

  /// The maximum of `context`.
  public static let contextMax = 1_000_000

  /// A call.
  public init(
    _ history: HistoryReference, from: PointExpression, to: PointExpression = .latest,
    context: Int = 3, part: Int? = nil
  ) {
    (self.history, self.from, self.to) = (history, from, to)
    (self.context, self.part) = (context, part)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, DiffAnswer>(
    "editlog/diff",
    "The lines that differ between two versions.",
    isChange: false,
    params: Codec(
      { DiffRequest($0, from: $1, to: $2, context: $3, part: $4) },
      .group(\.history, HistoryReference.codec),
      .optional("from", \.from, .point, else: .latest),
      .optional("to", \.to, .point, else: .latest),
      .optional("context", \.context, .integer(in: 0...contextMax), else: 3),
      .optional("part", \.part, .count)),
    answer: DiffAnswer.codec)
}

/// The difference of two versions.
public struct DiffAnswer: HistoryAnswer {
  /// The number of the older version.
  public var from: SequenceNumber
  /// The number of the newer version.
  public var to: SequenceNumber
  /// The lines that differ, with equal lines around them.
  public var hunks: [DiffHunk]
  /// The hunks as a unified diff. Empty if the texts are equal.
  public var unified: UTF16Text
  /// The ranges of the newer text, in UTF-16 units, that have the same text but other attributes.
  public var attributeChanges: [UTF16Range]
  /// The time of the older version's last edit. Nil for the empty document, version 0.
  public var fromTime: Timestamp?
  /// The time of the newer version's last edit. Nil for the empty document, version 0.
  public var toTime: Timestamp?
  /// The number of the next part. Nil if none follows.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    from: SequenceNumber, to: SequenceNumber, hunks: [DiffHunk], unified: UTF16Text,
    attributeChanges: [UTF16Range], fromTime: Timestamp? = nil, toTime: Timestamp? = nil,
    next: Int? = nil, reservation: Reservation = Reservation()
  ) {
    (self.from, self.to, self.hunks, self.unified) = (from, to, hunks, unified)
    (self.attributeChanges, self.reservation) = (attributeChanges, reservation)
    (self.fromTime, self.toTime, self.next) = (fromTime, toTime, next)
  }

  package static let codec = Codec<Self>(
    {
      DiffAnswer(
        from: $0, to: $1, hunks: $2, unified: $3, attributeChanges: $4, fromTime: $5,
        toTime: $6, next: $7, reservation: $8)
    },
    .required("from", \.from, .unsigned),
    .required("to", \.to, .unsigned),
    .optional("hunks", \.hunks, .array(DiffHunk.codec), else: [], isAlwaysWritten: true),
    .required("unified", \.unified, .text),
    .optional(
      "attributeChanges", \.attributeChanges, .array(.range), else: [], isAlwaysWritten: true),
    .optional("fromTime", \.fromTime, .time),
    .optional("toTime", \.toTime, .time),
    .optional("next", \.next, .count),
    .group(\.reservation, Reservation.codec))
}

/// Lines that differ, with equal lines around them.
public struct DiffHunk: Hashable, Sendable {
  /// The first line in the older version, from 1; 0 if `fromCount` is 0 at the beginning.
  public var fromLine: Int
  /// Lines of the older version.
  public var fromCount: Int
  /// The first line in the newer version, from 1; 0 if `toCount` is 0 at the beginning.
  public var toLine: Int
  /// Lines of the newer version.
  public var toCount: Int
  /// The lines without LF, after a space, `-` or `+`.
  public var lines: [UTF16Text]

  /// A hunk.
  public init(fromLine: Int, fromCount: Int, toLine: Int, toCount: Int, lines: [UTF16Text]) {
    (self.fromLine, self.fromCount) = (fromLine, fromCount)
    (self.toLine, self.toCount, self.lines) = (toLine, toCount, lines)
  }

  package static let codec = Codec<Self>(
    { DiffHunk(fromLine: $0, fromCount: $1, toLine: $2, toCount: $3, lines: $4) },
    .required("fromLine", \.fromLine, .count),
    .required("fromCount", \.fromCount, .count),
    .required("toLine", \.toLine, .count),
    .required("toCount", \.toCount, .count),
    .required("lines", \.lines, .array(.text)))
}

// MARK: editlog/trace

/// Asks for the measured cost of the large deletions of a history.
public struct TraceRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The minimum length of a deletion in UTF-16 units. If nil, the default of
  /// `DeletionTraceSettings`.
  public var lengthMin: Int?
  /// If not nil, edits of any kind are listed that take this time or longer, in nanoseconds.
  public var slowerThan: Int64?
  /// The form of the answer. Both if nil.
  public var format: Format?
  /// The edit after which deletions are listed.
  public var after: SequenceNumber
  /// The maximum number of deletions. All if nil.
  public var limit: Int?

  /// The forms of an answer.
  public enum Format: String, CaseIterable, Hashable, Sendable {
    /// A list of traces.
    case table
    /// A trace that performance viewers read.
    case chrome
  }

  /// A call.
  public init(
    _ history: HistoryReference, lengthMin: Int? = nil, slowerThan: Int64? = nil,
    format: Format? = nil, after: SequenceNumber = 0, limit: Int? = nil
  ) {
    (self.history, self.lengthMin, self.format) = (history, lengthMin, format)
    self.slowerThan = slowerThan
    (self.after, self.limit) = (after, limit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, TraceAnswer>(
    "editlog/trace",
    "What the large deletions of a history cost.",
    isChange: false,
    params: Codec(
      {
        TraceRequest(
          $0, lengthMin: $1, slowerThan: $2, format: $3, after: $4, limit: $5)
      },
      .group(\.history, HistoryReference.codec),
      .optional(
        "minLength", \.lengthMin, .integer(in: 1...EditAction.textLengthMax)),
      .optional("slowerThan", \.slowerThan, .natural),
      .optional("format", \.format, .name()),
      .optional("after", \.after, .unsigned, else: SequenceNumber(0)),
      .optional("limit", \.limit, .integer(in: 1...Int.max))),
    answer: TraceAnswer.codec)
}

/// The measured cost of the large deletions of a history.
public struct TraceAnswer: HistoryAnswer {
  /// The deletions in order. Empty if only the Chrome trace was asked for.
  public var traces: [ShownTrace]
  /// The JSON text of a Chrome trace. Nil if only the table was asked for.
  public var chrome: String?
  /// The `after` of the next call. Nil if no edits follow.
  public var next: SequenceNumber?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    traces: [ShownTrace], chrome: String?, next: SequenceNumber? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.traces, self.chrome, self.next) = (traces, chrome, next)
    self.reservation = reservation
  }

  package static let codec = Codec<Self>(
    { TraceAnswer(traces: $0, chrome: $1, next: $2, reservation: $3) },
    .optional("traces", \.traces, .array(ShownTrace.codec), else: [], isAlwaysWritten: true),
    .optional("chrome", \.chrome, .embedded),
    .optional("next", \.next, .unsigned),
    .group(\.reservation, Reservation.codec))
}

/// The measured cost of one large deletion. Durations are in nanoseconds.
public struct ShownTrace: Hashable, Sendable {
  /// The edit's sequence number.
  public var sequence: SequenceNumber
  /// The edit's time.
  public var time: Timestamp
  /// The edit's origin.
  public var origin: Origin
  /// The edit's author, if known.
  public var author: String?
  /// UTF-16 units that it removed.
  public var units: Int
  /// Paragraphs that it removed.
  public var paragraphs: Int
  /// UTF-16 units of the text before it.
  public var unitsBefore: Int
  /// Paragraphs of the text before it.
  public var paragraphsBefore: Int
  /// The duration of each phase.
  public var phases: Phases
  /// The duration of all phases.
  public var total: Int64
  /// The duration of the linear algorithm, if it was measured.
  public var linear: Int64?
  /// What the edit cost as it happened in the daemon, if it was measured and is still known.
  public var live: ShownLiveTrace?

  /// The durations of the phases, in the order of the phases.
  public struct Phases: Hashable, Sendable {
    /// The durations of `locate`, `text`, `attributes`, `paragraphs` and `notify`.
    public var (locate, text, attributes, paragraphs, notify): (Int64, Int64, Int64, Int64, Int64)

    /// Durations.
    public init(
      locate: Int64, text: Int64, attributes: Int64, paragraphs: Int64, notify: Int64
    ) {
      (self.locate, self.text, self.attributes) = (locate, text, attributes)
      (self.paragraphs, self.notify) = (paragraphs, notify)
    }

    static let codec = Codec<Self>(
      { Phases(locate: $0, text: $1, attributes: $2, paragraphs: $3, notify: $4) },
      .optional("locate", \.locate, .natural, else: Int64(0), isAlwaysWritten: true),
      .optional("text", \.text, .natural, else: Int64(0), isAlwaysWritten: true),
      .optional("attributes", \.attributes, .natural, else: Int64(0), isAlwaysWritten: true),
      .optional("paragraphs", \.paragraphs, .natural, else: Int64(0), isAlwaysWritten: true),
      .optional("notify", \.notify, .natural, else: Int64(0), isAlwaysWritten: true))
  }

  /// A trace.
  public init(
    sequence: SequenceNumber, time: Timestamp, origin: Origin, author: String?, units: Int,
    paragraphs: Int, unitsBefore: Int, paragraphsBefore: Int, phases: Phases, total: Int64,
    linear: Int64?, live: ShownLiveTrace? = nil
  ) {
    (self.sequence, self.time, self.origin, self.author) = (sequence, time, origin, author)
    (self.units, self.paragraphs) = (units, paragraphs)
    (self.unitsBefore, self.paragraphsBefore) = (unitsBefore, paragraphsBefore)
    (self.phases, self.total, self.linear, self.live) = (phases, total, linear, live)
  }

  package static let codec = Codec<Self>(
    {
      ShownTrace(
        sequence: $0, time: $1, origin: $2, author: $3, units: $4, paragraphs: $5,
        unitsBefore: $6, paragraphsBefore: $7, phases: $8, total: $9, linear: $10, live: $11)
    },
    .required("sequence", \.sequence, .unsigned),
    .required("time", \.time, .time),
    .required("origin", \.origin, .origin),
    .optional("author", \.author, .string),
    .required("units", \.units, .count),
    .required("paragraphs", \.paragraphs, .count),
    .required("unitsBefore", \.unitsBefore, .count),
    .required("paragraphsBefore", \.paragraphsBefore, .count),
    .required("phases", \.phases, Phases.codec),
    .required("total", \.total, .natural),
    .optional("linear", \.linear, .natural),
    .optional("live", \.live, ShownLiveTrace.codec))
}

/// What one edit cost as it happened in the daemon. Durations are in nanoseconds.
public struct ShownLiveTrace: Hashable, Sendable {
  /// The duration of each phase; nil if it was not measured.
  public var phases: Phases
  /// The time between the phases, in which the edit waited for others.
  public var waiting: Int64
  /// From the first byte of the request to the reply.
  public var total: Int64

  /// The durations of the phases, in their order.
  public struct Phases: Hashable, Sendable {
    /// Receiving the bytes of the request, and reading the edits from them.
    public var (receive, decode): (Int64?, Int64?)
    /// Applying the edit, as in `ShownTrace.Phases`.
    public var (locate, text, attributes, paragraphs): (Int64?, Int64?, Int64?, Int64?)
    /// Writing the batch to the journal, flushing it to the disk, telling subscribers, and writing the
    /// reply to the socket.
    public var (journal, flush, notify, acknowledge): (Int64?, Int64?, Int64?, Int64?)

    /// Durations.
    public init(
      receive: Int64? = nil, decode: Int64? = nil, locate: Int64? = nil, text: Int64? = nil,
      attributes: Int64? = nil, paragraphs: Int64? = nil, journal: Int64? = nil,
      flush: Int64? = nil, notify: Int64? = nil, acknowledge: Int64? = nil
    ) {
      (self.receive, self.decode) = (receive, decode)
      (self.locate, self.text, self.attributes) = (locate, text, attributes)
      (self.paragraphs, self.journal, self.flush) = (paragraphs, journal, flush)
      (self.notify, self.acknowledge) = (notify, acknowledge)
    }

    static let codec = Codec<Self>(
      {
        Phases(
          receive: $0, decode: $1, locate: $2, text: $3, attributes: $4, paragraphs: $5,
          journal: $6, flush: $7, notify: $8, acknowledge: $9)
      },
      .optional("receive", \.receive, .natural),
      .optional("decode", \.decode, .natural),
      .optional("locate", \.locate, .natural),
      .optional("text", \.text, .natural),
      .optional("attributes", \.attributes, .natural),
      .optional("paragraphs", \.paragraphs, .natural),
      .optional("journal", \.journal, .natural),
      .optional("flush", \.flush, .natural),
      .optional("notify", \.notify, .natural),
      .optional("acknowledge", \.acknowledge, .natural))
  }

  /// A trace.
  public init(phases: Phases, waiting: Int64, total: Int64) {
    (self.phases, self.waiting, self.total) = (phases, waiting, total)
  }

  static let codec = Codec<Self>(
    { ShownLiveTrace(phases: $0, waiting: $1, total: $2) },
    .required("phases", \.phases, Phases.codec),
    .required("waiting", \.waiting, .natural),
    .required("total", \.total, .natural))
}

extension Codec<String> {
  /// JSON text, written as the value it describes; null if it is not JSON.
  fileprivate static let embedded = Codec(
    schema: [:],
    decode: { (json) throws(ShapeError) in String(decoding: json.serialized(), as: UTF8.self) },
    encode: { (try? JSON.parse(Array($0.utf8))) ?? .null })
}
