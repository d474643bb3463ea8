import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditLog
import EditModel
import EditProtocol
import Glibc
import Replay
import TestSupport
import Testing
import TextState

/// What another program wrote into the files of a store before the daemon started.
@Suite(.timeLimit(.minutes(10))) struct CheckTests {
  private let document = DocumentID("doc") ?? { preconditionFailure("a name") }()
  private let folder = TemporaryFolder()
  private var segment: String {
    "/documents/00000000000000000001.segment"
  }

  /// Twenty edits, sealed; one has another text if `forged` names it.
  private func write(to path: String, forged: Int = 0, checkpoint: Bool = false) throws {
    let writer = try StoreWriter(
      at: path, clock: FixedClock(), random: SeededBytes(seed: 1))
    let actions = (1...20).map { number in
      EditAction(
        replacing: UTF16Range(number - 1..<number - 1), with: number == forged ? "f" : "x")
    }
    let entries = actions.enumerated().map {
      HistoryEntry.edit(Edit(sequence: UInt64($0 + 1), action: $1))
    }
    _ = try writer.append([(document, entries)])
    try writer.sealAll()
    if checkpoint {
      var state = TextState()
      try state.apply(EditAction(replacing: UTF16Range(0..<0), with: "forged"))
      while state.sequence < 20 {
        try state.apply(EditAction(replacing: UTF16Range(0..<0), with: ""))
      }
      try writer.writeCheckpoint(document, at: 20, CheckpointCodec.encode(state))
    }
    try writer.close()
  }

  /// Returns when the daemon has checked its one document.
  private func waitForCheck(_ client: EditLogClient) async throws {
    try await until { try await client.call("editlog/status", [:])["checked"] == 1 }
  }

  @Test func `a document that its chain does not hold is refused`() async throws {
    let (store, other) = (RunningDaemon.store(in: folder), folder.path("other"))
    try write(to: store)
    try write(to: other, forged: 7)
    var parts = try #require(SegmentParts(try DiskFile.bytes(store + segment)))
    parts.blocks = try #require(SegmentParts(try DiskFile.bytes(other + segment))).blocks
    try DiskFile.replace(store + segment, with: parts.file)

    let daemon = try await RunningDaemon(in: folder)
    let client = try await daemon.connect()
    try await waitForCheck(client)
    let request = AppendRequest(
      document: document,
      edits: [AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: "y"))])
    let refusals = [
      await #expect(throws: ProtocolError.self) {
        try await client.call("editlog/state", ["document": "doc"])
      },
      await #expect(throws: ProtocolError.self) { try await client.append(request) },
    ]
    for error in refusals {
      #expect(error?.code == .damagedLog)
      #expect(error?.message.contains(segment) == true, "\(error?.message ?? "")")
    }
    await client.close()
    try await daemon.stop()
    #expect(daemon.log.complaints.contains { $0.contains("refused from now on") })
    #expect(!daemon.log.complaints.contains { $0.contains("\"doc\"") })
  }

  @Test func `a forged checkpoint is never shown, and removed`() async throws {
    let store = RunningDaemon.store(in: folder)
    try write(to: store, checkpoint: true)
    let daemon = try await RunningDaemon(in: folder)
    let client = try await daemon.connect()
    let sound = JSON(String(repeating: "x", count: 20))
    #expect(try await client.call("editlog/state", ["document": "doc"])["text"] == sound)
    try await waitForCheck(client)
    #expect(try await client.call("editlog/state", ["document": "doc"])["text"] == sound)
    let verified = try await client.call("editlog/verify", [:])
    #expect(verified["sound"] == true)
    await client.close()
    try await daemon.stop()
    #expect(daemon.log.complaints.count == 1)
    #expect(daemon.log.complaints.first?.contains("0020.checkpoint was removed") == true)
  }
}
