import EditIngest
import EditModel
import EditProtocol
import EditSpool
import EditorSync
import Logging

/// The delivery of one spool, whose documents are held.
struct SpoolDelivery {
  private let spool: LeftSpool
  private let ingest: Ingest
  private let logger: Logger
  private let key: EditorKey
  /// The number of messages that are logged.
  private(set) var count = 0
  /// What is not logged of the spool, as far as it was read.
  private var faults = SpoolFaults()

  /// Why a spool is not delivered now.
  enum Failure: Error, CustomStringConvertible {
    case refused(ProtocolError.Code)
    case stopping

    var description: String {
      switch self {
      case .refused(let code): code.name
      case .stopping: "editlogd is stopping"
      }
    }
  }

  init(_ spool: LeftSpool, _ ingest: Ingest, _ logger: Logger) {
    (self.spool, self.ingest, self.logger) = (spool, ingest, logger)
    key = .bridge(spool.header.session)
  }

  /// Logs the messages, and closes the documents that are still open after the last. Messages that are
  /// logged already are recognised by their tickets. Returns what was not logged.
  ///
  /// If an editor that runs has one of the documents open, the last edits lead back to the text of its
  /// buffer: its next changes refer to that text.
  mutating func run(
    isEnding: @Sendable () async -> Bool
  ) async throws -> SpoolFaults {
    await ingest.connected(key)
    do {
      try await deliver(isEnding: isEnding)
      await ingest.disconnected(key)
      return faults
    } catch {
      await ingest.disconnected(key)
      throw error
    }
  }

  private mutating func deliver(isEnding: @Sendable () async -> Bool) async throws {
    var others = try await ingest.openElsewhere(spool.documents, except: key)
    while others == nil {
      guard await !isEnding() else { throw Failure.stopping }
      try await WorkerThreads.sleep(for: .milliseconds(10))
      others = try await ingest.openElsewhere(spool.documents, except: key)
    }
    let params = spool.header.initializeParams
    let initialize = LSPMessage.initialize(
      LSPClient(InitializeParams(json: params)), open: EditorAttachment(initialize: params).open)
    try await submit([(key, initialize, nil)])
    var place: LeftSpool.Place? = spool.firstPlace
    while let current = place {
      guard await !isEnding() else { throw Failure.stopping }
      let part = try spool.part(at: current)
      let refusedCount = try await submit(part.messages.map { (key, $0.message, $0.ticket) })
      count += part.messages.count - refusedCount
      faults += part.faults
      faults.refusedCount += refusedCount
      place = part.next
    }
    try await submit([(key, .end, nil)])
    try await submit((others ?? []).map { ($0.editor, .didOpen($0.text), nil) })
  }

  /// Returns when all messages are logged, or refused for a reason of their own: the number of those.
  ///
  /// - Throws: `Failure` for the first that is refused for another reason. The later ones of the session
  ///   are refused too.
  @discardableResult
  private func submit(
    _ messages: [(EditorKey, LSPMessage, RequestTicket?)]
  ) async throws -> Int {
    guard !messages.isEmpty else { return 0 }
    let (results, feed) = AsyncStream.makeStream(of: Result<Void, ProtocolError>.self)
    ingest.submit(
      messages.map { key, message, ticket in
        .editor(key, message, ticket: ticket) { feed.yield($0) }
      }, from: Ingest.spoolSource)
    var (left, refusedCount, failure): (Int, Int, ProtocolError.Code?) = (messages.count, 0, nil)
    for await result in results {
      if case .failure(let error) = result {
        if error.code.isFaultOfRequest {
          refusedCount += 1
          // The error's message may name the document.
          logger.error("a message of \(spool.file.path) is not logged (\(error.code.name))")
        } else if failure == nil {
          failure = error.code
        }
      }
      left -= 1
      if left == 0 { break }
    }
    if let failure { throw Failure.refused(failure) }
    return refusedCount
  }
}
