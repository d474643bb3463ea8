/// SHA-256 of a text's UTF-8 form (lone surrogates as U+FFFD). Two parties compare it to find out
/// whether they have the same text.
public struct ContentDigest: Hashable, Sendable {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// A digest; nil if `bytes` are not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }
}

/// An entry of a history that is not an edit.
public struct HistoryEvent: Hashable, Sendable {
  /// The kinds of events.
  public enum Kind: Sendable {
    /// A version got a label. If several marks have the same label, the last one counts.
    case mark(label: String, at: SequenceNumber)
    /// The edits up to this event make the text that was found when the document was first opened.
    case baseline(ContentDigest)
    /// An editor saved the text with this digest.
    case saved(ContentDigest)
    /// The editor closed the document. `unsaved` is true if its last text differs from the last
    /// saved one.
    case closed(unsaved: Bool)
    /// The editor's text (`theirs`) differed from the log's (`ours`). The next edits turn the log's
    /// text into the editor's.
    case divergence(ours: ContentDigest, theirs: ContentDigest)
    /// The document had another name up to this event.
    case renamed(from: DocumentID)
    /// The client that made the next entries of the event's session. It precedes the first of them.
    case session(SessionDescription)
    /// The next edits turn the text into that of the version `at` of the document `from`: an editor
    /// saved it under this name and went on here.
    case copied(from: DocumentID, at: SequenceNumber)
    /// The next transaction takes edits back, or brings them back. If `to` is given, the text is then
    /// that of the version `to`.
    case undo(UndoneChange, to: SequenceNumber?)
  }

  /// The kind, with its data.
  public var kind: Kind
  /// The number of the edit before the event; 0 if there is none.
  public var after: SequenceNumber
  /// The time; never before that of the entry before it.
  public var time: Timestamp
  /// The author, if known.
  public var author: String? {
    get { exactAuthor?.string }
    set { exactAuthor = newValue.map(ExactString.init) }
  }
  private var exactAuthor: ExactString?
  /// The client's run that sent it, if known.
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

  /// The maximum size of a mark's label, in bytes of UTF-8.
  public static let labelSizeMax = 256
}

/// One entry of a document's history.
public enum HistoryEntry: Hashable, Sendable {
  case edit(Edit)
  case event(HistoryEvent)
}

extension HistoryEvent.Kind {
  /// The name of a document in the event: its former name, or that of the one it was copied from.
  package var formerName: DocumentID? {
    switch self {
    case .renamed(let name), .copied(let name, _): name
    default: nil
    }
  }
}

extension HistoryEvent.Kind: Hashable {
  /// True if kind and data are equal. Labels are compared by the bytes of their UTF-8 forms.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.mark(let a, let atA), .mark(let b, let atB)): a.isExactly(b) && atA == atB
    case (.baseline(let a), .baseline(let b)), (.saved(let a), .saved(let b)): a == b
    case (.closed(let a), .closed(let b)): a == b
    case (.divergence(let oursA, let theirsA), .divergence(let oursB, let theirsB)):
      oursA == oursB && theirsA == theirsB
    case (.renamed(let a), .renamed(let b)): a == b
    case (.session(let a), .session(let b)): a == b
    case (.copied(let a, let atA), .copied(let b, let atB)): a == b && atA == atB
    case (.undo(let a, let toA), .undo(let b, let toB)): a == b && toA == toB
    default: false
    }
  }

  /// Feeds kind and data to `hasher`.
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
    case .session(let description):
      hasher.combine(6)
      hasher.combine(description)
    case .copied(let document, let sequence):
      hasher.combine(7)
      hasher.combine(document)
      hasher.combine(sequence)
    case .undo(let change, let sequence):
      hasher.combine(8)
      hasher.combine(change)
      hasher.combine(sequence)
    }
  }
}
