import DequeModule
import EditIngest
import EditModel
import EditProtocol
import EditQueries

/// The documents of a subscription, and the places up to which their entries were sent.
struct Followed {
  /// A document of which entries may follow.
  struct Place {
    var position: HistoryPosition
    /// If not nil, `position` counts all events after its edit, and this number of them, the last ones,
    /// were logged since the start.
    var newEvents: Int?
    /// The undo state that was last sent. Nil if none was sent.
    var undo: FollowedUndo?
    /// Changes when the name means another document, or another place.
    var token: Int
  }

  /// The only document that is followed, by its name at this moment. Nil if all are.
  private(set) var document: DocumentID?
  /// True if every document is followed from its first entry.
  private let isFromStart: Bool
  private var places: [DocumentID: Place] = [:]
  /// Documents whose subscription ended with an error.
  private var ended: Set<DocumentID> = []
  /// Forgotten documents whose end was not sent yet.
  private var forgotten: Set<DocumentID> = []
  /// The documents that may have something to send, in the order of their turns.
  private var waiting: Deque<DocumentID> = []
  private var isWaiting: Set<DocumentID> = []
  private var lastToken = 0

  init(_ document: DocumentID?, isFromStart: Bool) {
    (self.document, self.isFromStart) = (document, isFromStart)
  }

  /// True if something may have to be sent.
  var hasNext: Bool { !waiting.isEmpty }

  /// Begins to follow a document from a place on.
  mutating func begin(
    _ id: DocumentID, at position: HistoryPosition, undo: FollowedUndo? = nil
  ) {
    set(id, position, undo: undo)
    add(id)
  }

  /// Sends the entries of a document when its turn comes.
  mutating func add(_ id: DocumentID) {
    if isWaiting.insert(id).inserted { waiting.append(id) }
  }

  private mutating func set(
    _ id: DocumentID, _ position: HistoryPosition, newEvents: Int? = nil, undo: FollowedUndo?
  ) {
    lastToken += 1
    places[id] = Place(
      position: position, newEvents: newEvents, undo: undo, token: lastToken)
  }

  /// Notes what became durable.
  mutating func note(_ commit: CommitFeed.Commit) {
    // All at once: names may be exchanged.
    let moved = commit.newNames.map { old, new in
      (old, new, places.removeValue(forKey: old), ended.remove(old) != nil)
    }
    var newDocument = document
    for (old, new, place, hasEnded) in moved {
      if document == old { newDocument = new }
      if hasEnded { ended.insert(new) }
      guard let place else { continue }
      set(new, place.position, newEvents: place.newEvents, undo: place.undo)
      add(new)
    }
    document = newDocument
    if let id = commit.forgotten {
      ended.remove(id)
      if places.removeValue(forKey: id) != nil {
        forgotten.insert(id)
        add(id)
      }
    }
    for new in commit.documents { note(new) }
  }

  private mutating func note(_ new: CommitFeed.NewEntries) {
    guard let place = places[new.id] else {
      guard document == nil, !ended.contains(new.id) else { return }
      if isFromStart {
        set(new.id, HistoryPosition(), undo: nil)
      } else {
        set(
          new.id, HistoryPosition(after: new.before), newEvents: new.firstEventCount, undo: nil)
      }
      return add(new.id)
    }
    if let count = place.newEvents, new.before == place.position.after {
      set(
        new.id, place.position, newEvents: count + new.firstEventCount, undo: place.undo)
    }
    add(new.id)
  }

  /// What to send next.
  enum Turn {
    case entries(DocumentID, Place)
    case forgotten(DocumentID)
  }

  /// What to send next. Nil if there is nothing.
  mutating func next() -> Turn? {
    while let id = waiting.popFirst() {
      // Entries that are logged from here on add the document again.
      isWaiting.remove(id)
      if forgotten.remove(id) != nil {
        if places[id] != nil { add(id) }
        return .forgotten(id)
      }
      if let place = places[id] { return .entries(id, place) }
    }
    return nil
  }

  /// Takes over the place after entries that were read, and returns it. Nil if the name means something
  /// else meanwhile: then the entries must not be sent.
  mutating func advance(
    _ id: DocumentID, from place: Place, to next: HistoryPosition, undo: FollowedUndo?,
    isLast: Bool
  ) -> Place? {
    guard places[id]?.token == place.token else { return nil }
    set(id, next, undo: undo)
    if !isLast { add(id) }
    return places[id]
  }

  /// Ends the subscription of one document because of an error. Returns false if the name means something
  /// else meanwhile; or if it is unknown, and nothing was ever sent of it: it was renamed while the
  /// documents were listed.
  mutating func end(_ id: DocumentID, at place: Place, isUnknown: Bool) -> Bool {
    guard places[id]?.token == place.token else { return false }
    places[id] = nil
    if isUnknown, isFromStart, place.position == HistoryPosition() { return false }
    ended.insert(id)
    return true
  }
}
