import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import EditIngest

/// What the ingest writes when nothing is asked of it, on a loop whose time is the test's.
@Suite struct RestTests {
  /// Counts the flushes and writes of a disk.
  private final class Counts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func disk() -> FaultyFileSystem {
      FaultyFileSystem(SimulatedFileSystem()) { operation in
        self.counts.withLock { $0[operation.name, default: 0] += 1 }
      }
    }

    /// The flushes and writes since the last call.
    func take() -> (syncs: Int, writes: Int) {
      counts.withLock { counts in
        defer { counts = [:] }
        return (counts["sync", default: 0], counts["write", default: 0])
      }
    }
  }

  private struct Harness {
    let loop = NIOAsyncTestingEventLoop()
    let ingest: Ingest
    private let log = RecordedLog()

    init(_ disk: any FileSystem) async throws {
      let (loop, logger) = (loop, log.logger)
      ingest = try await loop.executeInContext {
        try Ingest(
          on: loop, options: IngestOptions(store: "/store"), fileSystem: disk, clock: FixedClock(),
          random: SeededBytes(seed: 3), logger: logger
        ) { error in Issue.record("the writer failed: \(error)") }
      }
    }

    func type(_ key: String) async throws {
      let answers = AsyncStream<Result<AppendResult, ProtocolError>>.limited()
      let request = AppendRequest(document: document("a"), edits: [put(key)])
      ingest.submit(.append(request) { answers.continuation.yield($0) })
      for await answer in answers.stream {
        _ = try answer.get()
        return
      }
    }

    /// True if the durable mark names the last batch.
    var isMarked: Bool {
      get async { await ingest.look { !$0.writer.hasUnmarkedBatches } }
    }

    func end() async {
      await ingest.close()
      await loop.shutdownGracefully()
    }
  }

  /// Ten keys a second cost one flush and one write each. The confirmation and the mark follow when the
  /// typist rests, and once in 16 batches.
  @Test func `a key of a typist costs one flush`() async throws {
    let counts = Counts()
    let harness = try await Harness(counts.disk())
    try await harness.type("0")
    await harness.loop.advanceTime(by: .seconds(10))
    #expect(await harness.isMarked)
    _ = counts.take()
    for key in 1...10 {
      try await harness.type("\(key)")
      await harness.loop.advanceTime(by: .milliseconds(100))
    }
    let typing = counts.take()
    #expect(typing.syncs == 10 && typing.writes == 10)
    #expect(await !harness.isMarked)
    await harness.loop.advanceTime(by: .seconds(2))
    #expect(await harness.isMarked)
    // The mark of the first key, the confirmation, and its mark.
    #expect(counts.take() == (3, 3))
    // Then nothing is written any more.
    await harness.loop.advanceTime(by: .seconds(60))
    #expect(counts.take() == (0, 0))
    await harness.end()
  }

  /// The writer writes a mark itself after 16 batches, and no other one follows before it is two seconds old.
  @Test func `sixteen keys of a typist cost one mark`() async throws {
    let counts = Counts()
    let harness = try await Harness(counts.disk())
    try await harness.type("0")
    await harness.loop.advanceTime(by: .seconds(10))
    _ = counts.take()
    for key in 1...80 {
      try await harness.type("\(key % 10)")
      await harness.loop.advanceTime(by: .milliseconds(100))
    }
    // Before the keys 17, 33, 49 and 65.
    #expect(counts.take().syncs == 80 + 4)
    await harness.end()
  }

  /// The jobs that wait for a rest begin between two keys, not only when the typist rests.
  @Test func `jobs of a rest begin while someone types`() async throws {
    let harness = try await Harness(Counts().disk())
    try await harness.type("0")
    await harness.loop.advanceTime(by: .seconds(10))
    try await harness.type("1")
    await harness.ingest.look { $0.seal(from: 1) }
    while await harness.ingest.look({ $0.upkeep.isBusy }) { await harness.loop.run() }
    #expect(await harness.ingest.look { $0.upkeep.awaitsRest })
    // The timer was set before there were such jobs.
    var hasBegun = false
    for key in 0..<25 where !hasBegun {
      try await harness.type("\(key % 10)")
      await harness.loop.advanceTime(by: .milliseconds(100))
      hasBegun = await harness.ingest.look { !$0.upkeep.awaitsRest }
    }
    #expect(hasBegun)
    await harness.end()
  }

  /// With a key a second there is no rest: the mark follows each batch within two seconds.
  @Test func `a mark is at most two seconds old`() async throws {
    let counts = Counts()
    let harness = try await Harness(counts.disk())
    for key in 1...30 {
      try await harness.type("\(key % 10)")
      #expect(await !harness.isMarked)
      _ = counts.take()
      await harness.loop.advanceTime(by: .seconds(1))
      #expect(await harness.isMarked == key.isMultiple(of: 2), "key \(key)")
      #expect(counts.take().syncs == (key.isMultiple(of: 2) ? 1 : 0), "key \(key)")
    }
    await harness.end()
  }
}
