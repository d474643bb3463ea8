import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import NIOCore
import NIOPosix
import Replay
import Synchronization
import TestSupport
import Testing
import TextState

@testable import EditIngest

/// An ingest on a loop of its own, over any disk.
struct IngestHarness {
  let ingest: Ingest
  let failures = FailureLog()
  let log = RecordedLog()
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  init(
    on disk: any FileSystem, _ change: (inout IngestOptions) -> Void = { _ in },
    clock: any WallClock = FixedClock()
  ) async throws {
    var options = IngestOptions(store: "/store")
    change(&options)
    let loop = group.next()
    let (options_, failures, logger) = (options, failures, log.logger)
    ingest = try await loop.submit {
      try Ingest(
        on: loop, options: options_, fileSystem: disk, clock: clock,
        random: SeededBytes(seed: 3), logger: logger
      ) { failures.note($0) }
    }.get()
  }

  func append(
    _ text: String, to name: String = "a", from source: Int = 0
  ) async throws -> SequenceNumber {
    try await append([put(text)], to: name, from: source)
  }

  func append(
    _ edits: [AppendEdit], to name: String = "a", from source: Int = 0
  ) async throws -> SequenceNumber {
    let answers = AsyncStream<Result<AppendResult, ProtocolError>>.limited()
    let request = AppendRequest(document: document(name), edits: edits)
    ingest.submit(.append(request) { answers.continuation.yield($0) }, from: source)
    for await answer in answers.stream { return try answer.get().sequence }
    throw CancellationError()
  }

  func history(of name: String = "a") async throws -> History {
    let logged = try await ingest.reading { (ingest) throws(LogError) in
      try ingest.writer.history(of: document(name))
    }
    return try #require(logged)
  }

  /// The newest version, by the log; and none in memory is ahead of it.
  func check(_ name: String = "a", text: String) async throws {
    let state = try Replay(await history(of: name)).state(at: .latest)
    #expect(String(state.text) == text)
    if let newest = await ingest.newestState(of: document(name)) {
      #expect(newest == state)
    }
  }

  func end() async throws {
    await ingest.close()
    try await group.shutdownGracefully()
  }

  /// The process is gone: nothing is confirmed, sealed or closed.
  func drop() async throws { try await group.shutdownGracefully() }
}

extension Ingest {
  /// Runs `body` on the loop after some turns of it, so that work that is put off each time comes before.
  nonisolated func after(turns: Int, _ body: @escaping @Sendable () -> Void) {
    later { ingest in
      if turns == 0 { body() } else { ingest.after(turns: turns - 1, body) }
    }
  }
}

final class FailureLog: Sendable {
  private let all = Mutex<[LogError]>([])
  func note(_ error: LogError) { all.withLock { $0.append(error) } }
  var errors: [LogError] { all.withLock { $0 } }
}
