import EditJSON
public import EditModel

// MARK: editlog/import

/// Makes a new document of the entries of another history, which it keeps as they are: numbers, times,
/// authors, sessions and events. A long history is sent in parts, one after the answer to the other.
public struct ImportRequest: MethodRequest {
  /// The document, which is new.
  public var document: DocumentID
  /// The entries, in the order of their history: 1 to `entryCountMax`.
  public var entries: [HistoryEntry]
  /// The number of entries of the parts before this one; 0 for the first part. The daemon takes a part
  /// only if it follows the one before it, and nothing else was logged since.
  public var entriesBefore: Int

  /// The maximum number of entries of a part.
  public static let entryCountMax = 65_536

  /// A call.
  public init(_ document: DocumentID, entries: [HistoryEntry], entriesBefore: Int = 0) {
    (self.document, self.entries, self.entriesBefore) = (document, entries, entriesBefore)
  }

  /// The name, the summary and the codecs of the call.
  public static let definition = MethodDefinition<Self, ImportAnswer>(
    "editlog/import",
    "Makes a new document of the entries of another history, as they are.",
    isChange: true,
    params: Codec(
      { ImportRequest($0, entries: $1, entriesBefore: $2) },
      .required("document", \.document, .document),
      .required("entries", \.entries, .array(.entry)),
      .optional("entriesBefore", \.entriesBefore, .integer(in: 0...Int(Int32.max)), else: 0)),
    answer: Codec(
      { ImportAnswer(sequence: $0, head: $1) },
      .required("sequence", \.sequence, .unsigned),
      .optional("head", \.head, .string)))
}

/// The place that an import has reached. All of its entries up to there are durable.
public struct ImportAnswer: Hashable, Sendable {
  /// The document's newest version.
  public var sequence: SequenceNumber
  /// The head of the last entry, as `verify --head` takes it.
  public var head: String?

  /// An answer.
  public init(sequence: SequenceNumber, head: String? = nil) {
    (self.sequence, self.head) = (sequence, head)
  }
}
