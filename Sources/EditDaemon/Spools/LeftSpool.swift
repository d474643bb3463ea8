import EditIngest
import EditJSON
import EditModel
import EditProtocol
import EditSpool
import EditorSync

/// The spool of a bridge that has ended. It is locked as long as this value lives.
struct LeftSpool {
  let file: SpoolFile
  let header: SpoolHeader
  private let start: Int
  /// The documents that are open before the first message, and those that the messages name.
  private(set) var documents: Set<DocumentID>

  /// A message, and the ticket that its bridge gave it.
  typealias Message = (message: LSPMessage, ticket: RequestTicket)

  /// The number of messages in a part, and of their bytes. A larger message is a part of its own.
  private static let (partCountMax, partSizeMax) = (256, 4 << 20)

  /// Reads the names of documents. Returns nil if the file has no valid header. O(file).
  init?(_ file: SpoolFile) throws(SpoolError) {
    guard let header = try file.header() else { return nil }
    (self.file, self.header, start) = (file, header.value, header.end)
    documents = Set(header.value.open.map(\.document))
    var place: Place? = firstPlace
    while let current = place {
      let part = try part(at: current)
      for (message, _) in part.messages { documents.formUnion(message.names) }
      place = part.next
    }
  }

  /// Where a part begins.
  struct Place {
    fileprivate var offset: Int
    fileprivate var counters = SpoolCounters()
  }

  /// Where the first part begins.
  var firstPlace: Place { Place(offset: start) }

  /// The next messages, at most a part.
  struct Part {
    var messages: [Message] = []
    /// What cannot be logged of it.
    var faults = SpoolFaults()
    /// Where the next part begins; nil after the last.
    var next: Place?
  }

  /// The part at a place.
  func part(at start: Place) throws(SpoolError) -> Part {
    var (part, place) = (Part(), start)
    while true {
      let reading = try file.read(at: place.offset)
      guard case .record(let payload, let next) = reading else {
        part.faults.isDamaged = reading == .damaged
        return part
      }
      if let message = message(payload) {
        part.faults.missingCount += place.counters.note(message.ticket.counter)
        part.messages.append(message)
      } else {
        part.faults.unreadCount += 1
        place.counters.noteUnread()
      }
      place.offset = next
      if part.messages.count == Self.partCountMax
        || place.offset - start.offset > Self.partSizeMax
      {
        part.next = place
        return part
      }
    }
  }

  /// The message in a record. Nil if it is none that this version knows, or of another session.
  private func message(_ payload: [UInt8]) -> Message? {
    guard let json = try? JSON.parse(payload, limits: .message),
      let request = try? ForwardRequest(json: json), request.ticket.session == header.session,
      let message = try? LSPMessage(request)
    else { return nil }
    return (message, request.ticket)
  }
}

extension LSPMessage {
  /// The documents that it names, also files and folders that it renames.
  fileprivate var names: [DocumentID] {
    if case .didRenameFiles(let params) = self {
      return params.files.flatMap { [$0.oldURI, $0.newURI] }
    }
    return documents ?? []
  }
}
