import EditIngest
import EditModel
import EditProtocol
import EditQueries
import Synchronization
import Testing

@testable import EditLogCommands

/// D22: who waits for a full store is told so.
@Suite struct WaitingTests {
  /// A daemon that acknowledges nothing before it has room.
  private final class FullBackend: Backend {
    let hasRoom = Mutex(false)
    let isReachable: Bool

    init(isReachable: Bool) { self.isReachable = isReachable }

    func ask<Q: Question>(_ question: Q) async throws -> Q.Answer {
      guard isReachable else { throw ProtocolError.unreachable(socket: "/s", "it is off") }
      var status = StatusAnswer(
        version: "0.1.0", store: "00", path: "/s", documentCount: 0, editCount: 0, sealedSize: 0,
        journalSize: 0, damage: [], acceptedLossCount: 0, quarantinedCount: 0)
      status.daemon = DaemonStatus(
        started: Timestamp(nanoseconds: 0), unsealedCount: 0, inMemoryCount: 0, checkedCount: 0,
        shortage: ShownShortage(
          since: Timestamp(nanoseconds: 0), missingSize: 77,
          message: "the store has no room: at least 77 bytes more are needed"))
      guard let answer = status as? Q.Answer else { throw ProtocolError.methodNotFound(Q.method) }
      return answer
    }

    func perform<C: Change>(_ change: C) async throws -> C.Answer {
      while !hasRoom.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
      guard let answer = AppendResult(first: 1, sequence: 1, durable: true) as? C.Answer else {
        throw ProtocolError.methodNotFound(C.method)
      }
      return answer
    }

    func close() async {}
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `a writer that waits says why, once`(isReachable: Bool) async throws {
    let backend = FullBackend(isReachable: isReachable)
    let bench = Bench(backend, watched: true)
    let appender = try await bench.session.appender(pause: .milliseconds(2)) { _, _ in }
    let document = try #require(DocumentID("a"))
    let request = AppendRequest(
      document: document,
      edits: [AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: "x"))])
    async let sent = appender.append(request)
    while bench.noted.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    // Some more pauses: nothing is said twice.
    try await Task.sleep(for: .milliseconds(20))
    let reason =
      isReachable
      ? "the store has no room: at least 77 bytes more are needed"
      : ProtocolError.unreachable(socket: "/s", "it is off").message
    let first = "\r\u{1B}[Keditlog: waiting: \(reason)\n"
    #expect(bench.noted == first)
    backend.hasRoom.withLock { $0 = true }
    #expect(try await sent == 1)
    while bench.noted == first { try await Task.sleep(for: .milliseconds(1)) }
    #expect(bench.noted == first + "\r\u{1B}[Keditlog: continuing\n")
    await appender.close()
  }
}
