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
    var offset: Int? = start
    while let current = offset {
      let part = try part(at: current)
      for (message, _) in part.messages { documents.formUnion(message.names) }
      offset = part.next
    }
  }

  /// The next messages, at most a part.
  struct Part {
    var messages: [Message] = []
    /// The number of records that are not messages that the daemon knows.
    var unreadCount = 0
    /// Where the next part begins; nil after the last.
    var next: Int?
    /// True if bytes after the last message have changed since they were written.
    var isDamaged = false
  }

  /// The first part.
  func firstPart() throws(SpoolError) -> Part { try part(at: start) }

  /// The part at an offset.
  func part(at start: Int) throws(SpoolError) -> Part {
    var (part, offset) = (Part(), start)
    while true {
      let reading = try file.read(at: offset)
      guard case .record(let payload, let next) = reading else {
        part.isDamaged = reading == .damaged
        return part
      }
      if let message = Self.message(payload) {
        part.messages.append(message)
      } else {
        part.unreadCount += 1
      }
      offset = next
      if part.messages.count == Self.partCountMax || offset - start > Self.partSizeMax {
        part.next = offset
        return part
      }
    }
  }

  private static func message(_ payload: [UInt8]) -> Message? {
    guard let json = try? JSON.parse(payload, limits: .message),
      let request = try? ForwardRequest(json: json), let message = try? LSPMessage(request)
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
