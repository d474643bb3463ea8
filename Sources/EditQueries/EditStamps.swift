import EditLog
import EditModel
import EditProtocol

/// Time, author, origin and client of some edits of a history.
struct EditStamps: Sendable {
  /// What is known about an edit besides its change.
  struct Stamp: Sendable {
    var shown: ShownStamp
    /// The client's run that sent it.
    var session: SessionID?
    /// The name of the client that the session belongs to.
    var client: String?
  }

  private var stamps: [Stamp] = []

  /// Reads the stamps of the edits of these numbers, in any order and possibly repeated. Edits that the
  /// history does not have are left out. O(n log n + blocks) and the decoding of the blocks concerned.
  ///
  /// - Throws: `LogError`; what `isGoingOn` throws, which is called now and then.
  init(
    of sequences: [SequenceNumber], in history: History, _ isGoingOn: () throws -> Void
  ) throws {
    var numbers: [SequenceNumber] = []
    for sequence in sequences.sorted() where numbers.last != sequence { numbers.append(sequence) }
    var clients = SessionClients(try history.events())
    stamps.reserveCapacity(numbers.count)
    try history.forEachEdit(of: numbers) { edit in
      if stamps.count % Self.passCount == 0 { try isGoingOn() }
      stamps.append(
        Stamp(
          shown: ShownStamp(
            sequence: edit.sequence, time: edit.time, author: edit.author, origin: edit.origin),
          session: edit.session, client: clients.client(ofEdit: edit.sequence, in: edit.session)))
    }
  }

  private static let passCount = 512

  /// The stamp of an edit. Only the number is known if the edit was left out. O(log n).
  subscript(sequence: SequenceNumber) -> Stamp {
    let index = stamps.partitionPoint { $0.shown.sequence < sequence }
    guard index < stamps.count, stamps[index].shown.sequence == sequence else {
      return Stamp(shown: ShownStamp(sequence: sequence))
    }
    return stamps[index]
  }
}

/// The clients of a history's sessions.
struct SessionClients {
  /// The clients of each session, ascending by the edit after which they begin.
  private var clients: [SessionID: [(after: SequenceNumber, client: String)]] = [:]
  /// The last answer. Edits of one session follow one another.
  private var recent:
    (session: SessionID, from: SequenceNumber, end: SequenceNumber, client: String)?

  init(_ events: [HistoryEvent]) {
    for event in events {
      guard case .session(let description) = event.kind, let session = event.session else {
        continue
      }
      clients[session, default: []].append((event.after, description.client))
    }
  }

  /// The client that made an edit; nil if no event says. Amortised O(1) for edits in order.
  mutating func client(ofEdit sequence: SequenceNumber, in session: SessionID?) -> String? {
    guard let session, !clients.isEmpty else { return nil }
    if let recent, recent.session == session, recent.from < sequence, sequence <= recent.end {
      return recent.client
    }
    guard let known = clients[session] else { return nil }
    let index = known.partitionPoint { $0.after < sequence } - 1
    guard index >= 0 else { return nil }
    let end = index + 1 < known.count ? known[index + 1].after : .max
    recent = (session, known[index].after, end, known[index].client)
    return known[index].client
  }
}
