package import EditJSON
public import EditModel

// MARK: editlog/contents

/// Asks for a version as a list of contents: its attachments, and the texts between them.
public struct ContentsRequest: HistoryRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The version.
  public var at: PointExpression
  /// The position of the first content, from 0.
  public var offset: Int
  /// The maximum number of contents.
  public var limit: Int

  /// The default of `limit`, and its maximum.
  public static let (limitStandard, limitMax) = (1_000, 10_000)
  /// The maximum length of a text in an answer, in UTF-16 units. Longer ones are cut.
  public static let textLengthMax = 1_000

  /// A call.
  public init(
    _ history: HistoryReference, at: PointExpression = .latest, offset: Int = 0,
    limit: Int = limitStandard
  ) {
    (self.history, self.at, self.offset, self.limit) = (history, at, offset, limit)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ContentsAnswer>(
    "editlog/contents",
    "The attachments of a version, and the texts between them.",
    isChange: false,
    params: Codec(
      { ContentsRequest($0, at: $1, offset: $2, limit: $3) },
      .group(\.history, HistoryReference.codec),
      .optional("at", \.at, .point, else: .latest),
      .optional("offset", \.offset, .count, else: 0),
      .optional("limit", \.limit, .integer(in: 1...limitMax), else: limitStandard)),
    answer: ContentsAnswer.codec)
}

/// The contents of a version, or a part of them. Together, all contents are the text.
public struct ContentsAnswer: HistoryAnswer {
  /// The version's number.
  public var sequence: SequenceNumber
  /// The number of all contents.
  public var count: Int
  /// The contents in order.
  public var contents: [ShownContent]
  /// The `offset` of the next part. Nil if none follows.
  public var next: Int?
  /// Warnings about data that may be missing from the answer.
  public var reservation: Reservation

  /// An answer.
  public init(
    sequence: SequenceNumber, count: Int, contents: [ShownContent], next: Int? = nil,
    reservation: Reservation = Reservation()
  ) {
    (self.sequence, self.count, self.contents) = (sequence, count, contents)
    (self.next, self.reservation) = (next, reservation)
  }

  package static let codec = Codec<Self>(
    { ContentsAnswer(sequence: $0, count: $1, contents: $2, next: $3, reservation: $4) },
    .required("sequence", \.sequence, .unsigned), .required("count", \.count, .count),
    .required("contents", \.contents, .array(ShownContent.codec)),
    .optional("next", \.next, .count), .group(\.reservation, Reservation.codec))
}

/// A part of a version: an attachment, or the text between two.
public struct ShownContent: Hashable, Sendable {
  /// The kinds of contents.
  public enum Kind: String, CaseIterable, Sendable {
    /// Text without attachments; it has a unit or more.
    case text
    /// A character U+FFFC with the attribute `attachment`.
    case attachment
    /// A character U+FFFC without it.
    case placeholder
  }

  /// The kind.
  public var kind: Kind
  /// The units, in the version.
  public var range: UTF16Range
  /// The text, cut. Nil for other kinds.
  public var text: UTF16Text?
  /// The value of the attribute. Nil for other kinds.
  public var attachment: AttributeValue?

  /// A content.
  public init(
    _ kind: Kind, _ range: UTF16Range, text: UTF16Text? = nil, attachment: AttributeValue? = nil
  ) {
    (self.kind, self.range, self.text, self.attachment) = (kind, range, text, attachment)
  }

  static let codec = Codec<Self>(
    { ShownContent($0, $1, text: $2, attachment: $3) },
    .required("kind", \.kind, .name()), .group(\.range, .range),
    .optional("text", \.text, .text), .optional("attachment", \.attachment, .attributeValue))
}

// MARK: editlog/insertAttachment

/// Where an attachment is put among the contents of a version.
public enum InsertScope: Hashable, Sendable {
  /// Before all of them.
  case first
  /// After all of them.
  case last
  /// Before the content at this index, counted from 0; after all of them at their number.
  case index(Int)
  /// At a caret, given in UTF-16 units: before the text that begins there, else between the two parts of the
  /// text that has the caret. Without a caret, after all contents.
  case automatic(caret: Int?)

  /// The name, as `scope` has it, and the members beside it.
  private enum Name: String, CaseIterable { case first, last, index, automatic }

  private var name: Name {
    switch self {
    case .first: .first
    case .last: .last
    case .index: .index
    case .automatic: .automatic
    }
  }
  private var index: Int? { if case .index(let index) = self { index } else { nil } }
  private var caret: Int? { if case .automatic(let caret) = self { caret } else { nil } }

  fileprivate static let codec = Codec<Self>(
    { name, index, caret in
      switch name {
      case .first: .first
      case .last: .last
      case .index: .index(index ?? 0)
      case .automatic: .automatic(caret: caret)
      }
    },
    .optional("scope", \.name, .name(), else: .automatic),
    .optional("index", \.index, .count), .optional("caret", \.caret, .length))
}

/// Appends an edit that inserts the character of an attachment.
public struct InsertAttachmentRequest: MethodRequest {
  /// The history, and the checks that the call asks for.
  public var history: HistoryReference
  /// The attachment, whose bytes `editlog/attach` has stored, if it has any.
  public var attachment: AttributeValue
  /// Where it is put in the newest version.
  public var scope: InsertScope
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
  ///   - attachment: The value of the attribute `attachment`.
  ///   - scope: Where it is put in the newest version.
  ///   - base: The version that the document must be at, if not nil.
  ///   - author: The author of the edit.
  ///   - atRest: As in `AppendRequest`.
  public init(
    _ history: HistoryReference, _ attachment: AttributeValue,
    scope: InsertScope = .automatic(caret: nil), base: SequenceNumber? = nil,
    author: String? = nil, atRest: Bool = false
  ) {
    (self.history, self.attachment, self.scope) = (history, attachment, scope)
    (self.base, self.author, self.atRest) = (base, author, atRest)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, InsertAttachmentAnswer>(
    "editlog/insertAttachment",
    "Inserts an attachment among the contents of a document.",
    isChange: true,
    params: Codec(
      { InsertAttachmentRequest($0, $1, scope: $2, base: $3, author: $4, atRest: $5) },
      .group(\.history, HistoryReference.codec),
      .required("attachment", \.attachment, .attributeValue),
      .group(\.scope, InsertScope.codec),
      .optional("base", \.base, .unsigned),
      .optional("author", \.author, .author),
      .optional("atRest", \.atRest, .bool, else: false)),
    answer: InsertAttachmentAnswer.codec)
}

/// Where an attachment was inserted.
public struct InsertAttachmentAnswer: Hashable, Sendable {
  /// The number of the edit that was appended.
  public var sequence: SequenceNumber
  /// The place of the attachment, in UTF-16 units.
  public var offset: Int
  /// The number of contents after the edit.
  public var count: Int

  /// An answer.
  public init(sequence: SequenceNumber, offset: Int, count: Int) {
    (self.sequence, self.offset, self.count) = (sequence, offset, count)
  }

  package static let codec = Codec<Self>(
    { InsertAttachmentAnswer(sequence: $0, offset: $1, count: $2) },
    .required("sequence", \.sequence, .unsigned), .required("offset", \.offset, .length),
    .required("count", \.count, .count))
}
