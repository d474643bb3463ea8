package import EditJSON
public import EditModel

// MARK: editlog/blame

/// The part of a version that a call about its writers asks for.
public struct BlamePart: Hashable, Sendable {
  /// The version.
  public var at: PointExpression
  /// The first and the last line, counted from 1; nil for the whole text.
  public var lines: ClosedRange<Int>?
  /// The location from which pieces are listed, in UTF-16 units of the version. Places before the lines
  /// count as their start.
  public var offset: Int
  /// The maximum number of pieces.
  public var limit: Int

  /// The default of `limit`, and its maximum.
  public static let (limitStandard, limitMax) = (1_000, 10_000)
  /// The maximum length of the texts in an answer, in UTF-16 units. A longer piece comes in several parts.
  public static let textLengthMax = 1 << 20

  /// A part. By default, all of the newest version.
  public init(
    at: PointExpression = .latest, lines: ClosedRange<Int>? = nil, offset: Int = 0,
    limit: Int = limitStandard
  ) {
    (self.at, self.lines, self.offset, self.limit) = (at, lines, offset, limit)
  }

  static let codec = Codec<Self>(
    { BlamePart(at: $0, lines: $1, offset: $2, limit: $3) },
    .optional("at", \.at, .point, else: .latest),
    .optional("lines", \.lines, .lines),
    .optional("offset", \.offset, .count, else: 0),
    .optional("limit", \.limit, .integer(in: 1...limitMax), else: limitStandard))
}

/// Asks which edit wrote each piece of a version.
public struct BlameRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The part of the version.
  public var part: BlamePart
  /// True for the edit that inserted each unit last: the paste, or the edit of an undo or a redo. By
  /// default, text that is cut and pasted and text that an undo or a redo brings back keep their first
  /// writer.
  public var last: Bool
  /// As `last`: without moves, the writer of a unit is the edit that inserted it.
  public var noMoves: Bool

  /// A call.
  public init(
    _ history: HistoryReference, _ part: BlamePart = BlamePart(), last: Bool = false,
    noMoves: Bool = false
  ) {
    (self.history, self.part, self.last, self.noMoves) = (history, part, last, noMoves)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, BlameAnswer>(
    "editlog/blame",
    "The edit that wrote each piece of a version.",
    isChange: false,
    params: Codec(
      { BlameRequest($0, $1, last: $2, noMoves: $3) },
      .group(\.history, HistoryReference.codec), .group(\.part, BlamePart.codec),
      .optional("last", \.last, .bool, else: false),
      .optional("noMoves", \.noMoves, .bool, else: false)),
    answer: BlameAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in try !params.flag("reverse") })
}

/// The writers of a version, or of a part of it.
public struct BlameAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The length of the text in UTF-16 units.
  public var length: Int
  /// The pieces in order. They cover the part of the text.
  public var pieces: [ShownBlamePiece]
  /// The `offset` of the next part. Nil after the last.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, length: Int, pieces: [ShownBlamePiece], next: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.length, self.pieces) = (sequence, length, pieces)
    (self.next, self.reservation) = (next, reservation)
  }

  package static let codec = Codec<Self>(
    { BlameAnswer(sequence: $0, length: $1, pieces: $2, next: $3, reservation: $4) },
    .required("sequence", \.sequence, .unsigned), .required("length", \.length, .count),
    .required("pieces", \.pieces, .array(ShownBlamePiece.codec)),
    .optional("next", \.next, .count), .group(\.reservation, Reservation.codec))
}

/// Neighbouring units that one edit wrote. The units before and after have other writers.
public struct ShownBlamePiece: Hashable, Sendable {
  /// The range in UTF-16 units.
  public var range: UTF16Range
  /// The text.
  public var text: UTF16Text
  /// The edit.
  public var stamp: ShownStamp
  /// The client's run that sent the edit, if known.
  public var session: SessionID?
  /// The name of the client, if the history has a description of the session.
  public var client: String?

  /// A piece.
  public init(
    range: UTF16Range, text: UTF16Text, stamp: ShownStamp, session: SessionID? = nil,
    client: String? = nil
  ) {
    (self.range, self.text, self.stamp) = (range, text, stamp)
    (self.session, self.client) = (session, client)
  }

  package static let codec = Codec<Self>(
    { (location, length, text, stamp, session, client) in
      ShownBlamePiece(
        range: UTF16Range(location..<location + length), text: text, stamp: stamp,
        session: session, client: client)
    },
    .required("location", \.range.location, .length),
    .required("length", \.range.length, .length), .required("text", \.text, .text),
    .group(\.stamp, ShownStamp.codec), .optional("session", \.session, .session),
    .optional("client", \.client, .string))
}

/// Asks what became of each piece of a version in a later one.
public struct BlameReverseRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The part of the older version.
  public var part: BlamePart
  /// The later version. It must not be before the older one.
  public var to: PointExpression

  /// A call.
  public init(
    _ history: HistoryReference, _ part: BlamePart, to: PointExpression = .latest
  ) {
    (self.history, self.part, self.to) = (history, part, to)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, BlameReverseAnswer>(
    "editlog/blame",
    "What became of each piece of a version.",
    isChange: false,
    params: Codec(
      { (history, part, to, _: Bool) in BlameReverseRequest(history, part, to: to) },
      .group(\.history, HistoryReference.codec), .group(\.part, BlamePart.codec),
      .optional("to", \.to, .point, else: .latest), .flag("reverse", true)),
    answer: BlameReverseAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in try params.flag("reverse") })
}

/// What became of the pieces of a version, or of a part of it.
public struct BlameReverseAnswer: HistoryAnswer {
  /// The older version's number.
  public var sequence: SequenceNumber
  /// The later version's number.
  public var to: SequenceNumber
  /// The length of the older text in UTF-16 units.
  public var length: Int
  /// The pieces in order. They cover the part of the text.
  public var pieces: [ShownPieceFate]
  /// The `offset` of the next part. Nil after the last.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, to: SequenceNumber, length: Int, pieces: [ShownPieceFate],
    next: Int? = nil, reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.to, self.length, self.pieces) = (sequence, to, length, pieces)
    (self.next, self.reservation) = (next, reservation)
  }

  package static let codec = Codec<Self>(
    {
      BlameReverseAnswer(
        sequence: $0, to: $1, length: $2, pieces: $3, next: $4, reservation: $5)
    },
    .required("sequence", \.sequence, .unsigned), .required("to", \.to, .unsigned),
    .required("length", \.length, .count),
    .required("pieces", \.pieces, .array(ShownPieceFate.codec)),
    .optional("next", \.next, .count), .group(\.reservation, Reservation.codec))
}

/// What became of neighbouring units of an older version. Either `now` or `vanished` is set.
public struct ShownPieceFate: Hashable, Sendable {
  /// The range in UTF-16 units of the older version.
  public var range: UTF16Range
  /// The text.
  public var text: UTF16Text
  /// The location in UTF-16 units of the later version, if the units are there.
  public var now: Int?
  /// The edit that took the units away last: a deletion, or the first edit of an undo or a redo.
  public var vanished: ShownStamp?

  /// A piece.
  public init(
    range: UTF16Range, text: UTF16Text, now: Int? = nil, vanished: ShownStamp? = nil
  ) {
    (self.range, self.text, self.now, self.vanished) = (range, text, now, vanished)
  }

  package static let codec = Codec<Self>(
    { (location, length, text, now, vanished) in
      ShownPieceFate(
        range: UTF16Range(location..<location + length), text: text, now: now,
        vanished: vanished)
    },
    .required("location", \.range.location, .length),
    .required("length", \.range.length, .length), .required("text", \.text, .text),
    .optional("now", \.now, .length), .optional("vanished", \.vanished, ShownStamp.codec))
}
