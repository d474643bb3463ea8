public import EditModel

/// An edit's number, time, author and origin. Copies share their memory, so that many paragraphs of one
/// edit take little.
public struct EditStamp: Hashable, Sendable {
  private struct Content: Hashable, Sendable {
    let sequence: SequenceNumber
    let time: Timestamp?
    let author: String?
    let origin: Origin?
  }

  private final class Shared: Sendable {
    let content: Content

    init(_ content: Content) { self.content = content }
  }

  private let shared: Shared

  /// The edit's sequence number; 0 for the empty document, before any edit.
  public var sequence: SequenceNumber { shared.content.sequence }
  /// The edit's time; nil if it is unknown.
  public var time: Timestamp? { shared.content.time }
  /// The edit's author, if known.
  public var author: String? { shared.content.author }
  /// The edit's origin; nil if it is unknown.
  public var origin: Origin? { shared.content.origin }

  /// The stamp of an edit.
  public init(_ edit: Edit) { self.init(edit.sequence, edit.time, edit.author, edit.origin) }

  /// The stamp of an edit of which only the number is known.
  init(unknown sequence: SequenceNumber) { self.init(sequence, nil, nil, nil) }

  init(_ sequence: SequenceNumber, _ time: Timestamp?, _ author: String?, _ origin: Origin?) {
    shared = Shared(Content(sequence: sequence, time: time, author: author, origin: origin))
  }

  /// True if number, time, author and origin are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.shared === right.shared || left.shared.content == right.shared.content
  }

  /// Feeds number, time, author and origin to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(shared.content) }
}

/// The history of one paragraph. Its current range is in the state (`TextState.paragraph(_:)`).
///
/// What most paragraphs do not have is in an object of its own, so that the others take little memory.
public struct ParagraphModel: Hashable, Sendable {
  /// Its identifier.
  public let id: ParagraphID
  /// The edit that created it.
  public let born: EditStamp
  /// The last edit that changed its units or attributes, its birth included.
  public internal(set) var lastEdited: EditStamp
  /// Edits that changed its units or attributes, its birth included.
  public internal(set) var editCount: Int
  /// Authors of those edits, by first appearance; edits of no known author leave no trace.
  public internal(set) var authors: [String] = []
  private var lineage: Lineage?

  init(
    id: ParagraphID, born: EditStamp, splitFrom: ParagraphID?, lastEdited: EditStamp, editCount: Int
  ) {
    (self.id, self.born, self.lastEdited, self.editCount) = (id, born, lastEdited, editCount)
    if splitFrom != nil { self.splitFrom = splitFrom }
  }

  /// The paragraph of which it had a part of the text when it was created. Nil if all of its text
  /// was inserted by the edit.
  public internal(set) var splitFrom: ParagraphID? {
    get { lineage?.parts.splitFrom }
    _modify { yield &ownLineage.parts.splitFrom }
  }
  /// Paragraphs split from it, in order of birth.
  public internal(set) var children: [ParagraphID] {
    get { lineage?.parts.children ?? [] }
    _modify { yield &ownLineage.parts.children }
  }
  /// Paragraphs whose rest it took in when they died, in order of death,
  /// those of one edit from the last to the first.
  public internal(set) var absorbed: [ParagraphID] {
    get { lineage?.parts.absorbed ?? [] }
    _modify { yield &ownLineage.parts.absorbed }
  }
  /// The removed paragraphs whose text was pasted into it, in order of the pastes.
  public internal(set) var moves: [ParagraphMove] {
    get { lineage?.parts.moves ?? [] }
    _modify { yield &ownLineage.parts.moves }
  }
  /// The paragraph into which its text was pasted after its removal; nil if there is none.
  public internal(set) var movedTo: ParagraphID? {
    get { lineage?.parts.movedTo }
    _modify { yield &ownLineage.parts.movedTo }
  }
  /// How it ended; nil while it lives.
  public internal(set) var death: ParagraphDeath? {
    get { lineage?.parts.death }
    _modify { yield &ownLineage.parts.death }
  }
  /// The paragraph of which it had text other than a terminator when it was created.
  var textFrom: ParagraphID? {
    get { lineage?.parts.textFrom }
    _modify { yield &ownLineage.parts.textFrom }
  }

  /// The paragraph that its remaining text became part of when it was removed.
  public var mergedInto: ParagraphID? { death?.mergedInto }

  /// True if all parts are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && left.born == right.born && left.lastEdited == right.lastEdited
      && left.editCount == right.editCount && left.authors == right.authors
      && (left.lineage === right.lineage || left.parts == right.parts)
  }

  /// Feeds all parts to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(born)
    hasher.combine(lastEdited)
    hasher.combine(editCount)
    hasher.combine(authors)
    hasher.combine(parts)
  }
}

extension ParagraphModel {
  private struct Parts: Hashable, Sendable {
    var splitFrom: ParagraphID?
    var children: [ParagraphID] = []
    var absorbed: [ParagraphID] = []
    var moves: [ParagraphMove] = []
    var movedTo: ParagraphID?
    var death: ParagraphDeath?
    var textFrom: ParagraphID?
  }

  private final class Lineage: @unchecked Sendable {
    // Safe to share between threads: changed only by a model that holds the one reference to it.
    var parts: Parts

    init(_ parts: Parts) { self.parts = parts }
  }

  private var parts: Parts { lineage?.parts ?? Parts() }

  /// The lineage, which no other model shares.
  private var ownLineage: Lineage {
    mutating get {
      // Asked before another reference is made.
      let isOwn = isKnownUniquelyReferenced(&lineage)
      if isOwn, let lineage { return lineage }
      let own = Lineage(parts)
      lineage = own
      return own
    }
  }
}

/// The text of a removed paragraph that came back in another paragraph: cut and paste, or the undo of
/// a deletion. Identifiers stay as the log has them.
public struct ParagraphMove: Hashable, Sendable {
  /// The removed paragraph.
  public let paragraph: ParagraphID
  /// The edit that brought its text back.
  public let stamp: EditStamp
}

/// The removal of a paragraph, with its last text.
public struct ParagraphDeath: Hashable, Sendable {
  /// The edit that removed it.
  public let stamp: EditStamp
  /// Its text in the version before that edit, terminator included.
  public let lastText: UTF16Text
  /// Its index in the version before that edit.
  public let index: Int
  /// The paragraph that its remaining text became part of; nil if no text was left.
  public let mergedInto: ParagraphID?
  /// True if text other than its terminator was left.
  let leavesText: Bool
}
