import EditModel
package import EditProtocol

/// An append request that waits, or several of one session about one document whose counters follow one
/// another: together they cost much less than one by one.
///
/// It is a class, because a request moves through several queues, and has many parts to copy.
package final class PendingAppend: Sendable {
  /// Replies to the requests from one place to another, both counted from 0.
  package typealias Reply =
    @Sendable (ClosedRange<Int>, Result<AppendResult, ProtocolError>) -> Void

  /// One of several requests.
  struct Part: Sendable {
    let ticket: RequestTicket
    /// The number of edits up to its last one.
    let end: Int
  }

  /// All edits, with the base version and the ticket of the first request.
  let request: AppendRequest
  /// The requests. Empty if there is one.
  let parts: [Part]
  /// The client, if it has described itself.
  let client: ClientIdentity?
  /// False if a result needs no head.
  let needsHead: Bool
  /// The times of the first request, if it may be a large deletion.
  let timing: RequestTiming?
  let reply: Reply

  fileprivate init(
    _ request: AppendRequest, _ parts: [Part], of client: ClientIdentity?, needsHead: Bool,
    timing: RequestTiming?, _ reply: @escaping Reply
  ) {
    (self.request, self.parts, self.client) = (request, parts, client)
    (self.needsHead, self.timing, self.reply) = (needsHead, timing, reply)
  }

  convenience init(
    _ request: AppendRequest, of client: ClientIdentity?, needsHead: Bool,
    timing: RequestTiming? = nil, _ reply: @escaping IngestRequest.Reply<AppendResult>
  ) {
    self.init(request, [], of: client, needsHead: needsHead, timing: timing) { _, result in
      reply(result)
    }
  }

  /// The ticket of the last request.
  var lastTicket: RequestTicket? { parts.last?.ticket ?? request.ticket }

  /// Replies to all requests.
  func reply(_ result: Result<AppendResult, ProtocolError>) {
    reply(0...max(0, parts.count - 1), result)
  }

  /// The requests, one by one. Nil if there is only one.
  func split() -> [IngestRequest]? {
    guard parts.count > 1 else { return nil }
    return parts.indices.map { index in
      let start = index == 0 ? 0 : parts[index - 1].end
      var part = request
      part.edits = Array(request.edits[start..<parts[index].end])
      part.ticket = parts[index].ticket
      if index > 0 { part.base = nil }
      return .append(
        part, of: client, needsHead: needsHead, timing: index == 0 ? timing : nil
      ) { [reply] in reply(index...index, $0) }
    }
  }
}

/// Gathers append requests of the native dialect that are passed on together.
package struct AppendRun {
  /// The maximum number of edits.
  private static let editCountMax = 4_096

  private var request: AppendRequest
  private var parts: [PendingAppend.Part] = []

  /// A run that begins with this request, which has this ticket.
  package init(_ request: AppendRequest, _ ticket: RequestTicket) {
    self.request = request
    parts.append(PendingAppend.Part(ticket: ticket, end: request.edits.count))
  }

  /// Adds a batch of the native dialect of the same client, if it continues the run. Returns false if it
  /// does not, or is refused, or if it may be a large deletion: then it must begin a run of its own, as
  /// it is measured.
  ///
  /// - Parameter body: The body of its frame.
  package mutating func append(batch body: UnsafeRawBufferPointer) -> Bool {
    let count = request.edits.count
    guard request.atRest, !request.isSaved, let last = parts.last?.ticket,
      NativeBatch.read(
        body, to: &request, after: last.counter, editCountMax: Self.editCountMax)
    else { return false }
    guard !request.edits[count...].contains(where: \.mayBeMeasured) else {
      request.edits.removeLast(request.edits.count - count)
      return false
    }
    let ticket = RequestTicket(session: last.session, counter: last.counter + 1)
    parts.append(PendingAppend.Part(ticket: ticket, end: request.edits.count))
    return true
  }

  /// The request of all, of this client if it has described itself. The result needs no head but that of
  /// the last edit. `timing` are the times of the first request.
  package func pending(
    of client: ClientIdentity?, timing: RequestTiming? = nil, _ reply: @escaping PendingAppend.Reply
  ) -> IngestRequest {
    .appended(
      PendingAppend(request, parts, of: client, needsHead: false, timing: timing, reply))
  }
}

extension AppendRequest {
  /// True if it may be a large deletion: if so, the times of the request are taken. O(edits).
  package var mayBeMeasured: Bool { edits.contains(where: \.mayBeMeasured) }
}

extension AppendEdit {
  private static let measuredLengthMin = LiveTracing.Bounds().lengthMin

  /// True if it may be a large deletion.
  fileprivate var mayBeMeasured: Bool { action.range.length >= Self.measuredLengthMin }
}
