package import EditJSON
public import EditModel

// MARK: editlog/log

/// The entries of a history that a call asks for.
public struct HistoryPart: Hashable, Sendable {
  /// Entries after this edit are asked for.
  public var after: SequenceNumber
  /// Entries up to this edit are asked for; up to the last if nil.
  public var through: SequenceNumber?
  /// The maximum number of edits in the answer.
  public var limit: Int
  /// True if the newest entries are asked for, newest first.
  public var newestFirst: Bool

  /// The default of `limit`, and its maximum.
  public static let (limitStandard, limitMax) = (1_000, 10_000)
  /// The text of an answer, in UTF-16 units, at which it ends before `limit` is reached. An edit is
  /// never split.
  package static let textLengthMax = 1 << 20

  /// A part; without arguments, the first entries.
  public init(
    after: SequenceNumber = 0, through: SequenceNumber? = nil, limit: Int = limitStandard,
    newestFirst: Bool = false
  ) {
    (self.after, self.through) = (after, through)
    (self.limit, self.newestFirst) = (limit, newestFirst)
  }

  static let codec = Codec<Self>(
    { HistoryPart(after: $0, through: $1, limit: $2, newestFirst: $3) },
    .optional("after", \.after, .unsigned, else: SequenceNumber(0)),
    .optional("through", \.through, .unsigned),
    .optional("limit", \.limit, .integer(in: 1...limitMax), else: limitStandard),
    .optional("newestFirst", \.newestFirst, .bool, else: false))
}

/// Asks for entries of a history.
public struct LogRequest: HistoryRequest {
  /// The history, and how much of it must be proven.
  public var history: HistoryReference
  /// Which entries.
  public var part: HistoryPart

  /// A call.
  public init(_ history: HistoryReference, _ part: HistoryPart = HistoryPart()) {
    (self.history, self.part) = (history, part)
  }

  /// How the call is written.
  public static let definition = MethodDefinition<Self, LogAnswer>(
    "editlog/log",
    "The entries of a history.",
    isChange: false,
    params: Codec(
      { LogRequest($0, $1) },
      .group(\.history, HistoryReference.codec), .group(\.part, HistoryPart.codec)),
    answer: LogAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in !params.asksForPreviews })
}

/// A part of the entries of a history.
public protocol HistoryPartAnswer: HistoryAnswer {
  /// An entry as this answer has it.
  associatedtype Entry: Sendable
  /// The entries, in the order asked for.
  var entries: [Entry] { get }
  /// The `after` (with `newestFirst` the `through`) of the next call. Nil if no entries follow.
  var next: SequenceNumber? { get }
}

/// Entries of a history.
public struct LogAnswer: HistoryPartAnswer {
  /// The entries, in the order asked for.
  public var entries: [HistoryEntry]
  /// The `after` (with `newestFirst` the `through`) of the next call. Nil if no entries follow.
  public var next: SequenceNumber?
  /// What the answer may lack.
  public var reservation: Reservation

  /// An answer.
  public init(
    entries: [HistoryEntry], next: SequenceNumber? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.entries, self.next, self.reservation) = (entries, next, reservation)
  }

  package static let codec = Codec<Self>(
    { LogAnswer(entries: $0, next: $1, reservation: $2) },
    .required("entries", \.entries, .array(.entry)),
    .optional("next", \.next, .unsigned),
    .group(\.reservation, Reservation.codec))
}

/// Asks for previews of the entries of a history: texts are cut, and removed texts are there.
public struct LogPreviewRequest: HistoryRequest {
  /// The history, and how much of it must be proven.
  public var history: HistoryReference
  /// Which entries.
  public var part: HistoryPart
  /// The maximum length of each text, in UTF-16 units: 0 to `textMaxLimit`.
  public var textMax: Int

  /// The maximum of `textMax`.
  public static let textMaxLimit = 4_096

  /// A call.
  public init(_ history: HistoryReference, _ part: HistoryPart = HistoryPart(), textMax: Int) {
    (self.history, self.part, self.textMax) = (history, part, textMax)
  }

  /// How the call is written.
  public static let definition = MethodDefinition<Self, LogPreviewAnswer>(
    "editlog/log",
    "Previews of the entries, with the text that each edit removed.",
    isChange: false,
    params: Codec(
      { LogPreviewRequest($0, $1, textMax: $2) },
      .group(\.history, HistoryReference.codec), .group(\.part, HistoryPart.codec),
      .required("textMax", \.textMax, .integer(in: 0...textMaxLimit))),
    answer: LogPreviewAnswer.codec,
    isMeant: { (params) throws(ProtocolError) in params.asksForPreviews })
}

extension JSON {
  fileprivate var asksForPreviews: Bool { self["textMax"] ?? .null != .null }
}

/// Previews of entries of a history.
public struct LogPreviewAnswer: HistoryPartAnswer {
  /// The entries, in the order asked for.
  public var entries: [EntryPreview]
  /// The `after` (with `newestFirst` the `through`) of the next call. Nil if no entries follow.
  public var next: SequenceNumber?
  /// What the answer may lack.
  public var reservation: Reservation

  /// An answer.
  public init(
    entries: [EntryPreview], next: SequenceNumber? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.entries, self.next, self.reservation) = (entries, next, reservation)
  }

  package static let codec = Codec<Self>(
    { LogPreviewAnswer(entries: $0, next: $1, reservation: $2) },
    .required("entries", \.entries, .array(.preview)),
    .optional("next", \.next, .unsigned),
    .group(\.reservation, Reservation.codec))
}

/// An entry of a history, as a list shows it.
public enum EntryPreview: Hashable, Sendable {
  /// An edit, with cut texts.
  case edit(EditPreview)
  /// An event.
  case event(HistoryEvent)
}

/// An edit with what it put in and what it removed, both cut to a length.
public struct EditPreview: Hashable, Sendable {
  /// Its place in the document's history.
  public var sequence: SequenceNumber
  /// When it happened.
  public var time: Timestamp
  /// Where it comes from.
  public var origin: Origin
  /// Who made it, if known.
  public var author: String?
  /// The units that it replaced or formatted, in the text before it.
  public var range: UTF16Range
  /// The new length minus the old length of the range, in UTF-16 units.
  public var changeInLength: Int
  /// The beginning of the new text. Nil if the edit leaves the characters alone.
  public var text: UTF16Text?
  /// The beginning of the text that it removed. Nil if it removed none, or if the text before it is
  /// not known because of damage.
  public var removed: UTF16Text?
  /// What happens to attributes. Nil if new text inherits them.
  public var attributeChange: AttributeChangeKind?
  /// The first names of the attributes that change.
  public var attributeNames: [String]
  /// True if one undo takes it back together with the edit before it.
  public var isContinuation: Bool

  /// What an edit does to attributes, without their values.
  public enum AttributeChangeKind: String, CaseIterable, Hashable, Sendable {
    case set, merge, remove
  }

  /// The length of the new text in UTF-16 units. 0 if the edit leaves the characters alone.
  public var insertedLength: Int { text == nil ? 0 : max(0, range.length + changeInLength) }
  /// The length of the removed text in UTF-16 units. 0 if the edit leaves the characters alone.
  public var removedLength: Int { text == nil ? 0 : range.length }

  /// Attributes that a preview names.
  private static let nameCountMax = 16

  /// The preview of an edit, with texts of at most `textMax` UTF-16 units.
  public init(
    _ edit: Edit, textMax: Int, removed: UTF16Text? = nil, isContinuation: Bool = false
  ) {
    let action = edit.action
    (sequence, time, origin, author) = (edit.sequence, edit.time, edit.origin, edit.author)
    (range, changeInLength) = (action.range, action.changeInLength)
    (text, self.removed) = (action.replacement?.prefix(textMax), removed?.prefix(textMax))
    let names: [String]
    switch action.attributes {
    case .inherit: (attributeChange, names) = (nil, [])
    case .set(let runs): (attributeChange, names) = (.set, Self.names(runs))
    case .merge(let runs): (attributeChange, names) = (.merge, Self.names(runs))
    case .remove(let removed): (attributeChange, names) = (.remove, removed)
    }
    attributeNames = names.prefix(Self.nameCountMax).map { String(UTF16Text($0).prefix(textMax)) }
    self.isContinuation = isContinuation
  }

  private static func names(_ runs: [AttributeRun]) -> [String] {
    AttributeSet(runs.flatMap(\.attributes)).map(\.name)
  }

  private init(
    _ sequence: SequenceNumber, _ time: Timestamp, _ origin: Origin, _ author: String?,
    _ range: UTF16Range, _ changeInLength: Int, _ text: UTF16Text?, _ removed: UTF16Text?,
    _ attributeChange: AttributeChangeKind?, _ attributeNames: [String], _ isContinuation: Bool
  ) {
    (self.sequence, self.time, self.origin, self.author) = (sequence, time, origin, author)
    (self.range, self.changeInLength, self.text) = (range, changeInLength, text)
    (self.removed, self.attributeChange) = (removed, attributeChange)
    (self.attributeNames, self.isContinuation) = (attributeNames, isContinuation)
  }

  static let codec = Codec<Self>(
    {
      EditPreview(
        $0, $1, $2, $3, UTF16Range($4..<$4 + $5), $6, $7, $8, $9, $10, $11)
    },
    .required("sequence", \.sequence, .unsigned),
    .required("time", \.time, .time),
    .required("origin", \.origin, .origin),
    .optional("author", \.author, .string),
    .required("location", \.range.location, .length),
    .required("length", \.range.length, .length),
    .required("changeInLength", \.changeInLength, .integer(in: -lengthMax...lengthMax)),
    .optional("text", \.text, .text),
    .optional("removed", \.removed, .text),
    .optional("attributeChange", \.attributeChange, .name()),
    .optional("attributeNames", \.attributeNames, .array(.string), else: []),
    .optional("continues", \.isContinuation, .bool, else: false))

  private static let lengthMax = EditAction.textLengthMax
}
