import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import TestSupport
import Testing

/// Every error about damage names the document, the file and the edit, both from files and over the
/// socket. The daemon's log has the file, and no document name.
@Suite(.timeLimit(.minutes(10))) struct DamageWordsTests {
  /// What befalls a store of two documents, and what must be said of it.
  enum Damage: String, CaseIterable, Sendable {
    /// A journal's batch with the fourth edit.
    case batch
    /// The same, after a daemon has quarantined the journal.
    case quarantined
    /// A segment, from its first block to its end.
    case segment
    /// A sealed edit that fits no text.
    case unfitSealed
    /// An edit in the journal that fits no text.
    case unfit

    var file: String {
      switch self {
      case .batch: "journal/00000000000000000001.journal"
      case .quarantined: "quarantine/00000000000000000001.journal"
      case .segment, .unfitSealed:
        "documents/00000000000000000001.segment"
      case .unfit: "journal/00000000000000000001.journal"
      }
    }
    /// The words that name the edit, if it can be known.
    var edit: String? {
      switch self {
      case .batch, .quarantined: "edit 3"
      case .unfitSealed, .unfit: "edit 4"
      case .segment: nil
      }
    }
  }

  /// A name that needs quotes, so that it is seen to be in no log.
  private static let name = "my\u{1B}\"doc"
  private let document = DocumentID(name) ?? { preconditionFailure("a name") }()
  private static let methods = [
    "editlog/state", "editlog/paragraphs", "editlog/log", "editlog/diff", "editlog/undo",
    "editlog/outline", "editlog/paragraphDiff",
    "editlog/trace",
  ]

  @Test(arguments: Damage.allCases)
  func `the files say which`(damage: Damage) async throws {
    let folder = TemporaryFolder()
    let store = RunningDaemon.store(in: folder)
    try await make(damage, in: folder)
    let engine = QueryEngine(try StoreFiles(at: store))
    try await check(damage) { try await engine.answer($0, $1) }
    try await checkWhole(damage) { try await engine.answer($0, $1) }
  }

  @Test(arguments: Damage.allCases)
  func `the daemon says which, and its log no name`(damage: Damage) async throws {
    let folder = TemporaryFolder()
    try await make(damage, in: folder)
    let daemon = try await RunningDaemon(in: folder) {
      // Nothing seals what the journal has: the messages name it.
      ($0.ingest.idleMilliseconds, $0.ingest.jobPauseMilliseconds) = (600_000, 600_000)
    }
    let client = try await daemon.connect()
    // A daemon quarantines a damaged journal when it starts.
    let damage = damage == .batch ? Damage.quarantined : damage
    try await check(damage) { try await client.call($0, $1) }
    try await checkWhole(damage) { try await client.call($0, $1) }
    let edit: JSON = ["document": JSON(Self.name), "edits": [put("x").json]]
    try await check(damage, ["editlog/append": edit]) { try await client.call($0, $1) }
    if damage != .quarantined {
      let mark: JSON = ["document": JSON(Self.name), "label": "m", "at": 1]
      try await check(damage, ["editlog/mark": mark]) { try await client.call($0, $1) }
    }
    // An editor gets no answer. The log has the error, without the name.
    try await client.notify(
      "textDocument/didOpen", DidOpenParams(uri: document, text: "text").json)
    _ = try await client.call("editlog/status")
    await client.close()
    try? await daemon.stop()
    for line in daemon.log.everything {
      #expect(!line.contains("doc\\\"") && !line.contains(Self.name), "\(line)")
    }
  }

  /// Every method about the document fails with its name, the file and the edit.
  private func check(
    _ damage: Damage, _ calls: [String: JSON]? = nil,
    _ call: (String, JSON) async throws -> JSON
  ) async throws {
    var calls = calls ?? [:]
    if calls.isEmpty {
      for method in Self.methods {
        calls[method] = ["document": JSON(Self.name), "from": 0, "list": true, "minLength": 1]
      }
    }
    for (method, params) in calls {
      // Without what is lost the history can be folded.
      let folds = ["editlog/undo", "editlog/trace"].contains(method)
      if folds, damage == .batch || damage == .quarantined { continue }
      // Listed without being replayed.
      if method == "editlog/log", damage == .unfit || damage == .unfitSealed { continue }
      // The sequence of the point is known without reading the text.
      if method == "editlog/mark", damage == .unfit || damage == .unfitSealed { continue }
      let error = await #expect(throws: ProtocolError.self, "\(method)") {
        try await call(method, params)
      }
      #expect(error?.code == .damagedLog, "\(method)")
      let message = error?.message ?? ""
      #expect(message.contains(document.name.debugName), "\(method): \(message)")
      #expect(message.contains(damage.file), "\(method): \(message)")
      if let edit = damage.edit { #expect(message.contains(edit), "\(method): \(message)") }
      #expect(error?.details["document"] == JSON(Self.name), "\(method)")
      let file = try error?.details["file"]?.asString() ?? ""
      #expect(file.hasSuffix(damage.file), "\(method): \(file)")
    }
  }

  /// Answers about the whole store report the damage too.
  private func checkWhole(
    _ damage: Damage, _ call: (String, JSON) async throws -> JSON
  ) async throws {
    let head = document.name.debugName + "@4:" + String(repeating: "0a", count: 32)
    let verified = try await call("editlog/verify", ["heads": [JSON(head)]])
    let findings = try #require(try verified["findings"]?.asArray())
    let confirmed = try #require(findings.last { $0["document"] == JSON(Self.name) })
    let file = try confirmed["file"]?.asString() ?? ""
    #expect(file.hasPrefix("documents/") || file.hasPrefix("journal/"), "\(confirmed)")
    #expect(try confirmed["what"]?.asString().contains("edit 4") == true)
    if damage == .batch || damage == .quarantined {
      #expect(
        findings.contains { $0["file"] == JSON(damage.file) && $0["document"] == JSON(Self.name) })
    }
    guard damage != .unfit, damage != .unfitSealed else { return }
    let status = try await call("editlog/status", [:])
    let lines = try #require(try status["damage"]?.asArray()).map(\.description)
    #expect(lines.contains { $0.contains(damage.file) && $0.contains("doc") }, "\(lines)")
  }

  // MARK: Damaging

  /// Five edits of the document, one a batch, and one of another.
  private func make(_ damage: Damage, in folder: TemporaryFolder) async throws {
    let store = RunningDaemon.store(in: folder)
    let other = try #require(DocumentID("other"))
    var ends: [Int] = []
    do {
      let writer = try StoreWriter(
        at: store, fileSystem: PosixFileSystem(), clock: SystemClock(),
        random: SystemRandomBytes())
      for number in 1...5 {
        let isUnfit = number == 4 && (damage == .unfit || damage == .unfitSealed)
        let location = isUnfit ? 1_000 : 0
        let edit = Edit(
          sequence: SequenceNumber(number),
          action: EditAction(replacing: UTF16Range(location..<location), with: "x"))
        _ = try writer.append([(document, [.edit(edit)])])
        ends.append(try writer.status().journals.values.reduce(0, +))
      }
      let edit = Edit(
        sequence: 1, action: EditAction(replacing: UTF16Range(0..<0), with: "x"))
      _ = try writer.append([(other, [.edit(edit)])])
      if [.segment, .unfitSealed].contains(damage) { try writer.seal(document) }
      if damage != .batch, damage != .quarantined { try writer.close() }
    }
    let segment = store + "/documents/00000000000000000001.segment"
    switch damage {
    case .batch, .quarantined:
      try overwrite(store + "/journal/00000000000000000001.journal", from: ends[2] + 70, count: 1)
    case .segment: try overwrite(segment, from: 64, count: nil)
    case .unfit, .unfitSealed: break
    }
    if damage == .quarantined {
      try await RunningDaemon(in: folder).stop()
    }
  }

  private func overwrite(_ path: String, from offset: Int, count: Int?) throws {
    let file = open(path, O_RDWR)
    try #require(file >= 0)
    defer { close(file) }
    var status = stat()
    try #require(fstat(file, &status) == 0)
    let size = count ?? Int(status.st_size) - offset
    let bytes = [UInt8](repeating: 0xA5, count: size)
    try #require(pwrite(file, bytes, size, offset) == size)
  }
}

extension String {
  /// The name as messages quote it.
  fileprivate var debugName: String { "\"my\\033\\\"doc\"" }
}
