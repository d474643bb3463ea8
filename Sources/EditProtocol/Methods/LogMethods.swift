package import EditJSON
public import EditModel

// MARK: editlog/log

/// The entries of a history that a call asks for.
public struct HistoryPart: Hashable, Sendable {
  /// The edit before the first entry.
  public var after: SequenceNumber
  /// The edit of the last entry. If nil, the last of the history.
  public var through: SequenceNumber?
  /// The maximum number of edits in the answer.
  public var limit: Int
  /// True if the newest entries come first.
  public var newestFirst: Bool

  /// The default of `limit`, and its maximum.
  public static let (limitStandard, limitMax) = (1_000, 10_000)
  /// The length of the texts in an answer, in UTF-16 units, at which it ends even if `limit` is not
  /// reached. An edit is never split.
  package static let textLengthMax = 1 << 20

  /// A part. By default, the first entries.
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
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The part of its entries.
  public var part: HistoryPart

  /// A call.
  public init(_ history: HistoryReference, _ part: HistoryPart = HistoryPart()) {
    (self.history, self.part) = (history, part)
  }

  /// The name, the summary and the codecs of the call.
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
  /// Warnings about data that may be missing from the answer.
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

/// Asks for previews of the entries of a history, with cut texts and with the removed texts.
public struct LogPreviewRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The part of its entries.
  public var part: HistoryPart
  /// The maximum length of each text, in UTF-16 units: 0 to `textMaxLimit`.
  public var textMax: Int

  /// The maximum of `textMax`.
  public static let textMaxLimit = 4_096

  /// A call.
  public init(_ history: HistoryReference, _ part: HistoryPart = HistoryPart(), textMax: Int) {
    (self.history, self.part, self.textMax) = (history, part, textMax)
  }

  /// The name, the summary and the codecs of the call.
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
  /// Warnings about data that may be missing from the answer.
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

/// An entry of a history, for a list.
public enum EntryPreview: Hashable, Sendable {
  /// An edit, with cut texts.
  case edit(EditPreview)
  /// An event.
  case event(HistoryEvent)
}

/// An edit with the inserted and the removed text, both cut to a length.
public struct EditPreview: Hashable, Sendable {
  /// Its sequence number.
  public var sequence: SequenceNumber
  /// Its time in the log.
  public var time: Timestamp
  /// Its origin.
  public var origin: Origin
  /// Its author, if known.
  public var author: String?
  /// The range that it replaced or formatted, in the text before it.
  public var range: UTF16Range
  /// The new length minus the old length of the range, in UTF-16 units.
  public var changeInLength: Int
  /// The beginning of the new text. Nil if the edit does not change the text.
  public var text: UTF16Text?
  /// The beginning of the removed text. Nil if it removed no text, or if the text before it is
  /// unknown because of damage.
  public var removed: UTF16Text?
  /// The kind of attribute change. Nil if new text inherits attributes.
  public var attributeChange: AttributeChangeKind?
  /// The first names of the attributes that change.
  public var attributeNames: [String]
  /// True if one undo takes it back together with the edit before it.
  public var isContinuation: Bool

  /// The kinds of attribute changes.
  public enum AttributeChangeKind: String, CaseIterable, Hashable, Sendable {
    case set, merge, remove
  }

  /// The length of the new text in UTF-16 units. 0 if the edit does not change the text.
  public var insertedLength: Int { text == nil ? 0 : max(0, range.length + changeInLength) }
  /// The length of the removed text in UTF-16 units. 0 if the edit does not change the text.
  public var removedLength: Int { text == nil ? 0 : range.length }

  /// The maximum number of attribute names in a preview.
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

  package static let codec = Codec<Self>(
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
