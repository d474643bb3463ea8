/// SHA-256 of a text's UTF-8 form (lone surrogates as U+FFFD): what two parties compare to know
/// that they hold the same text.
public struct ContentDigest: Hashable, Sendable {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// A digest; nil where there are not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }
}

/// Something besides edits that a history remembers.
public struct HistoryEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// A version was given a name; the last mark of a name counts.
    case mark(label: String, at: SequenceNumber)
    /// The edits up to here are the text found when the document was first opened.
    case baseline(ContentDigest)
    /// An editor saved the text with this digest.
    case saved(ContentDigest)
    /// The editor closed the document; `unsaved` where its last text was not the last saved.
    case closed(unsaved: Bool)
    /// The editor's text was not ours. The edits that follow bring ours to theirs.
    case divergence(ours: ContentDigest, theirs: ContentDigest)
    /// The document was known under another name until here.
    case renamed(from: DocumentID)
  }

  /// What happened.
  public var kind: Kind
  /// The version it happened at: after this edit, before the next.
  public var after: SequenceNumber
  /// When; never before the edit or event before it.
  public var time: Timestamp
  /// Who, where known.
  public var author: String? {
    get { exactAuthor?.string }
    set { exactAuthor = newValue.map(ExactString.init) }
  }
  private var exactAuthor: ExactString?
  /// The client's run that sent it, where known.
  public var session: SessionID?
  /// The number of the client's request within its session.
  public var counter: UInt64

  /// An event with everything known about it.
  public init(
    kind: Kind, after: SequenceNumber, time: Timestamp, author: String? = nil,
    session: SessionID? = nil, counter: UInt64 = 0
  ) {
    (self.kind, self.after, self.time) = (kind, after, time)
    exactAuthor = author.map(ExactString.init)
    (self.session, self.counter) = (session, counter)
  }

  /// Bytes in the longest mark label.
  public static let labelSizeMax = 256
}

/// One entry of a document's history.
public enum HistoryEntry: Hashable, Sendable {
  case edit(Edit)
  case event(HistoryEvent)
}

extension HistoryEvent.Kind: Hashable {
  /// True where the same happened; labels are compared by the bytes of their UTF-8 forms.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.mark(let a, let atA), .mark(let b, let atB)): a.isExactly(b) && atA == atB
    case (.baseline(let a), .baseline(let b)), (.saved(let a), .saved(let b)): a == b
    case (.closed(let a), .closed(let b)): a == b
    case (.divergence(let oursA, let theirsA), .divergence(let oursB, let theirsB)):
      oursA == oursB && theirsA == theirsB
    case (.renamed(let a), .renamed(let b)): a == b
    default: false
    }
  }

  /// Feeds what happened to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .mark(let label, let sequence):
      hasher.combine(0)
      label.hashBytes(into: &hasher)
      hasher.combine(sequence)
    case .baseline(let digest):
      hasher.combine(1)
      hasher.combine(digest)
    case .saved(let digest):
      hasher.combine(2)
      hasher.combine(digest)
    case .closed(let unsaved):
      hasher.combine(3)
      hasher.combine(unsaved)
    case .divergence(let ours, let theirs):
      hasher.combine(4)
      hasher.combine(ours)
      hasher.combine(theirs)
    case .renamed(let document):
      hasher.combine(5)
      hasher.combine(document)
    }
  }
}
