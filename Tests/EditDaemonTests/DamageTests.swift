import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Foundation
import TestSupport
import Testing

/// A journal whose bytes have changed: no text is shown without a warning if it lacks acknowledged
/// edits, and no edits are added to it unless the client names its version.
@Suite(.timeLimit(.minutes(10))) struct DamageTests {
  private let document = DocumentID("doc") ?? { preconditionFailure("a name") }()

  @Test func lostEditsAreSaidOnEveryPath() async throws {
    let folder = TemporaryFolder()
    let store = RunningDaemon.store(in: folder)
    let sound = try writeDamaged(store)
    let files = QueryEngine(try StoreFiles(at: store))

    for method in ["editlog/state", "editlog/paragraphs", "editlog/log"] {
      let error = await #expect(throws: ProtocolError.self) {
        try await files.answer(method, ["document": "doc"])
      }
      #expect(error?.code == .damagedLog, "\(method)")
    }
    let state = try await files.answer("editlog/state", ["document": "doc", "at": JSON(sound)])
    #expect(state["text"] == JSON(String(repeating: "x", count: Int(sound))))
    let verified = try await files.answer("editlog/verify", [:])
    #expect(verified["sound"] == false)
  }

  @Test func editsOnTopOfALossNeedItsVersion() async throws {
    let folder = TemporaryFolder()
    let store = RunningDaemon.store(in: folder)
    let sound = try writeDamaged(store)
    let daemon = try await RunningDaemon(in: folder)
    let client = try await daemon.connect()
    var request = AppendRequest(document: document, edits: [AppendEdit(action: try action(0))])
    let error = await #expect(throws: ProtocolError.self) { try await client.append(request) }
    #expect(error?.code == .damagedLog)
    request.base = sound
    #expect(try await client.append(request).sequence == sound + 1)
    let state = try await client.call("editlog/state", ["document": "doc"])
    #expect(state["text"] == JSON(String(repeating: "x", count: Int(sound) + 1)))
    let verified = try await client.call("editlog/verify", [:])
    #expect(verified["sound"] == false)
    await client.close()
    try await daemon.stop()
  }

  /// A lost journal may have held edits of any document: each one may end too early.
  @Test func editsAfterALostJournalNameAVersion() async throws {
    let folder = TemporaryFolder()
    let store = RunningDaemon.store(in: folder)
    do {
      let writer = try StoreWriter(at: store)
      for number in 1...3 {
        let edit = Edit(sequence: SequenceNumber(number), action: try action(number - 1))
        _ = try writer.append([(document, [.edit(edit)])])
        if number == 2 { try writer.sealAll() }
      }
      try writer.confirm()
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: store + "/journal") {
      try FileManager.default.removeItem(atPath: "\(store)/journal/\(name)")
    }
    for round in 1...2 {
      let daemon = try await RunningDaemon(in: folder)
      let client = try await daemon.connect()
      var request = AppendRequest(document: document, edits: [AppendEdit(action: try action(0))])
      let error = await #expect(throws: ProtocolError.self) { try await client.append(request) }
      #expect(error?.code == .damagedLog)
      #expect(error?.details["after"] == JSON(SequenceNumber(2 * round)))
      // An undo and a restore know the version, but not that edits after it are lost.
      for (method, params) in [
        ("editlog/undo", ["document": "doc"]), ("editlog/restore", ["document": "doc", "at": 1]),
      ] as [(String, JSON)] {
        let error = await #expect(throws: ProtocolError.self) {
          try await client.call(method, params)
        }
        #expect(error?.code == .damagedLog, "\(method)")
      }
      // Another has nothing before its first edit.
      _ = try await client.append("new", put("x"))
      _ = try await client.append("new", put("y"))
      request.base = SequenceNumber(2 * round)
      #expect(try await client.append(request).sequence == SequenceNumber(2 * round + 1))
      request.base = nil
      #expect(try await client.append(request).sequence == SequenceNumber(2 * round + 2))
      _ = try await client.call("editlog/forget", ["document": "new"])
      await client.close()
      try await daemon.stop()
    }
    try await withClient(in: folder) { client, _ in
      let answer = try await client.call("editlog/repair", ["acceptLoss": true])
      #expect(answer["accepted"] != [])
      let request = AppendRequest(document: document, edits: [AppendEdit(action: try action(0))])
      #expect(try await client.append(request).sequence == 7)
    }
  }

  /// Five batches of one edit each, the fourth of them damaged. Returns the last sound edit.
  private func writeDamaged(_ store: String) throws -> SequenceNumber {
    var ends: [Int] = []
    let journal = store + "/journal/00000000000000000001.journal"
    do {
      let writer = try StoreWriter(
        at: store, fileSystem: PosixFileSystem(), clock: SystemClock(),
        random: SystemRandomBytes())
      for number in 1...5 {
        let edit = Edit(sequence: SequenceNumber(number), action: try action(number - 1))
        _ = try writer.append([(document, [.edit(edit)])])
        ends.append(try writer.status().journals.values.reduce(0, +))
      }

    }
    try flip(journal, at: (ends[2] + ends[3]) / 2)
    return 3
  }

  private func action(_ location: Int) throws -> EditAction {
    EditAction(replacing: UTF16Range(location..<location), with: "x")
  }

  private func flip(_ path: String, at offset: Int) throws {
    let descriptor = open(path, O_RDWR)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var byte: UInt8 = 0
    try #require(pread(descriptor, &byte, 1, offset) == 1)
    byte ^= 0x10
    try #require(pwrite(descriptor, &byte, 1, offset) == 1)
  }
}
