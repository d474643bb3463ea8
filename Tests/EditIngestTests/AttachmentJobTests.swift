import DaemonTestSupport
import EditLog
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditIngest

/// Attachments are written by jobs, while edits are taken.
@Suite(.timeLimit(.minutes(10))) struct AttachmentJobTests {
  private func attach(
    _ content: [UInt8], to name: String = "a", _ harness: IngestHarness
  ) -> Task<AttachmentDigest, any Error> {
    Task { try await harness.ingest.attach(content, to: document(name)).attachment.digest }
  }

  /// While the bytes are written, edits of the same document and of others are acknowledged; the
  /// attachment is acknowledged only after that.
  @Test func typingDoesNotWait() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system))
    #expect(try await harness.append("x") == 1)
    gate.close()
    let tasks = (0..<3 as Range<UInt8>).map { attach([$0], harness) }
    try await until { gate.arrivals > 0 }
    for count in 2...20 {
      #expect(try await harness.append("x") == UInt64(count))
      #expect(try await harness.append("y", to: "b") == UInt64(count - 1))
    }
    #expect(gate.arrivals == 1)
    #expect(!system.files.keys.contains { $0.hasSuffix(".attachment") })
    gate.open()
    for (index, task) in tasks.enumerated() {
      let digest = try await task.value
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try store.attachment(digest, of: document("a")) == [UInt8(index)])
    }
    let again = try await harness.ingest.attach([0], to: document("a"))
    #expect(!again.isNew)
    try await harness.end()
  }

  @Test func whatCannotBeStoredIsRefused() async throws {
    let harness = try await IngestHarness(on: SimulatedFileSystem())
    let unknown = await #expect(throws: ProtocolError.self) {
      try await attach([1], to: "none", harness).value
    }
    #expect(unknown?.code == .unknownDocument)
    _ = try await harness.append("x")
    await #expect(throws: ProtocolError.self) {
      try await attach([UInt8](repeating: 0, count: AttachmentLimits.sizeMax + 1), harness).value
    }
    _ = try await attach([1], harness).value
    #expect(harness.failures.errors.isEmpty)
    await harness.ingest.close()
    await #expect(throws: ProtocolError.self) { try await attach([2], harness).value }
    try await harness.drop()
  }

  /// A full disk refuses the attachment, and edits go on; a failed flush ends the writer.
  @Test(arguments: [ENOSPC, EIO])
  func aFailureIsReported(code: Int32) async throws {
    let system = SimulatedFileSystem()
    let faulty = FaultyFileSystem(system)
    let harness = try await IngestHarness(on: faulty)
    _ = try await harness.append("x")
    try await Task.sleep(for: .milliseconds(200))
    var refusals = 0
    for first in 0..<12 {
      var plan = FaultyFileSystem.Plan()
      (plan.first, plan.code) = (faulty.operationCount + first, code)
      faulty.setPlan(plan)
      do { _ = try await attach([UInt8(first)], harness).value } catch { refusals += 1 }
      faulty.setPlan(FaultyFileSystem.Plan())
      if !harness.failures.errors.isEmpty { break }
    }
    #expect(refusals > 0)
    if code == ENOSPC {
      #expect(harness.failures.errors.isEmpty)
      _ = try await attach([99], harness).value
      _ = try await harness.append("x")
    }
    try await harness.end()
    let store = try Store.open(at: "/store", fileSystem: system)
    #expect(try store.verify().problems == [])
  }

  /// The store closes while attachments wait: each is stored or refused, and none hangs.
  @Test func closingEndsTheWaitingOnes() async throws {
    let (system, gate) = (SimulatedFileSystem(), Gate())
    let harness = try await IngestHarness(on: gate.disk(on: system))
    _ = try await harness.append("x")
    gate.close()
    let tasks = (0..<4 as Range<UInt8>).map { attach([$0], harness) }
    try await until { gate.arrivals > 0 }
    let closing = Task { await harness.ingest.close() }
    try await until { await harness.ingest.look { $0.phase != .running } }
    gate.open()
    await closing.value
    var stored = 0
    for (index, task) in tasks.enumerated() {
      guard let digest = try? await task.value else { continue }
      stored += 1
      let store = try Store.open(at: "/store", fileSystem: system)
      #expect(try store.attachment(digest, of: document("a")) == [UInt8(index)])
    }
    #expect(stored >= 1)
  }
}
