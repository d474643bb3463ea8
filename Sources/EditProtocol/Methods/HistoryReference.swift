import EditJSON
public import EditModel

/// The history that a call is about, and the checks that it asks for.
public struct HistoryReference: Hashable, Sendable {
  /// The document.
  public var document: DocumentID
  /// True if the links of the hash chain are checked for the entries that are read, and no
  /// checkpoint is used.
  public var isVerified: Bool
  /// The head that the history must confirm. It implies `isVerified`.
  public var head: AcknowledgedHead?

  /// A reference to a document's history.
  public init(_ document: DocumentID, isVerified: Bool = false, head: AcknowledgedHead? = nil) {
    (self.document, self.isVerified, self.head) = (document, isVerified, head)
  }

  static let codec = Codec<Self>(
    { HistoryReference($0, isVerified: $1, head: $2) },
    .required("document", \.document, .document),
    .optional("verified", \.isVerified, .bool, else: false),
    .optional("head", \.head, .head))
}

/// A call about one document's history.
public protocol HistoryRequest: MethodRequest where Answer: HistoryAnswer {
  /// The history, and the checks that the call asks for.
  var history: HistoryReference { get set }
}

/// An answer about one document's history.
public protocol HistoryAnswer: Hashable, Sendable {
  /// Warnings about data that may be missing from the answer.
  var reservation: Reservation { get set }
}

/// Warnings of an answer about a store that has lost data.
public struct Reservation: Hashable, Sendable {
  /// Sentences for people.
  public var warnings: [String]
  /// True if acknowledged edits may be missing from the answer.
  public var isIncomplete: Bool

  /// A reservation. By default, nothing is missing.
  public init(warnings: [String] = [], isIncomplete: Bool = false) {
    (self.warnings, self.isIncomplete) = (warnings, isIncomplete)
  }

  static let codec = Codec<Self>(
    { Reservation(warnings: $0, isIncomplete: $1) },
    .optional("warnings", \.warnings, .array(.string), else: []),
    .optional("incomplete", \.isIncomplete, .bool, else: false))
}
