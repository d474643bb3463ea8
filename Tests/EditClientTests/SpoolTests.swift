@testable import EditClient
@testable import EditSpool
import EditJSON
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@Suite struct SpoolTests {
  private let header = SpoolHeader(
    session: session("lsp-1"), initialize: ["a": 1],
    open: [ReopenedDocument(document("file:///x"), at: 3)])

  /// All records of a file, and what the reading ended with.
  private func contents(_ file: SpoolFile) throws -> ([[UInt8]], SpoolRecord.Reading) {
    var (payloads, offset) = ([[UInt8]](), SpoolRecord.magic.count)
    while true {
      switch try file.read(at: offset) {
      case .record(let payload, let next):
        payloads.append(payload)
        offset = next
      case let other: return (payloads, other)
      }
    }
  }

  private func rewrite(_ path: String, _ bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  private func bytes(_ path: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let descriptor = open(path, O_RDONLY)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return Array(bytes.prefix(max(0, count)))
  }

  /// A dead bridge's file with three messages, its bytes, and where its records end.
  private func deadFile(_ harness: BridgeHarness) throws -> (
    path: String, bytes: [UInt8], ends: [Int]
  ) {
    try SpoolFolder(path: harness.spool).prepare()
    let file = try SpoolFile.create(in: harness.spool, header)
    var ends = [file.size]
    for counter in 1...3 {
      _ = try file.append(message(counter))
      ends.append(file.size)
    }
    return (file.path, bytes(file.path), ends)
  }

  private func message(_ counter: Int) -> [UInt8] {
    let params = TextDocumentParams(uri: document("file:///\(counter)")).json
    return ForwardRequest(
      ticket: RequestTicket(session: header.session, counter: UInt64(counter)),
      method: "textDocument/didSave", params: params
    ).json.serialized()
  }

  @Test func checksumIsCRC32C() {
    #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
  }

  @Test func headerReadsBack() throws {
    #expect(try SpoolHeader(json: header.json) == header)
    var named = header
    (named.socket, named.store) = ("/s", "/store")
    #expect(try SpoolHeader(json: named.json) == named)
  }

  @Test func initializeKeepsTheEditorsParams() {
    let header = SpoolHeader(
      session: header.session,
      initialize: ["processId": 1, "initializationOptions": ["own": true]], open: [])
    #expect(
      header.initializeParams == [
        "processId": 1,
        "initializationOptions": ["own": true, "editlog": ["session": "lsp-1", "open": []]],
      ])
  }

  @Test func everyCutIsTorn() throws {
    let harness = BridgeHarness()
    let (path, whole, ends) = try deadFile(harness)
    for cut in ends[0]...whole.count {
      rewrite(path, Array(whole[..<cut]))
      let file = try #require(try SpoolFile.takeDead(at: path))
      let (payloads, ending) = try contents(file)
      #expect(payloads.count == ends.filter { $0 <= cut }.count)
      #expect(ending == (ends.contains(cut) ? .end : .torn), "cut at \(cut)")
    }
  }

  @Test func everyFlippedBitIsDamage() throws {
    let harness = BridgeHarness()
    let (path, whole, ends) = try deadFile(harness)
    for index in ends[0]..<whole.count {
      var bytes = whole
      bytes[index] ^= 1 << UInt8(index % 8)
      rewrite(path, bytes)
      let file = try #require(try SpoolFile.takeDead(at: path))
      let (payloads, ending) = try contents(file)
      #expect(payloads.count == ends.filter { $0 <= index }.count)
      #expect(ending == .damaged, "byte \(index)")
    }
  }

  @Test func zerosAfterTheLastRecordAreTorn() throws {
    let harness = BridgeHarness()
    let (path, whole, _) = try deadFile(harness)
    rewrite(path, whole + [UInt8](repeating: 0, count: 5000))
    let file = try #require(try SpoolFile.takeDead(at: path))
    #expect(try contents(file).1 == .torn)
  }

  @Test func aLockedSpoolIsNotTaken() throws {
    let harness = BridgeHarness()
    let folder = SpoolFolder(path: harness.spool)
    let other = try #require(SessionID("other"))
    try folder.prepare()
    var living: SpoolFile? = try SpoolFile.create(in: harness.spool, header)
    #expect(folder.takeDead(except: other, limit: 9).isEmpty)
    #expect(living != nil)
    living = nil
    let dead = folder.takeDead(except: other, limit: 9)
    #expect(dead.count == 1)
    // It is locked now.
    #expect(folder.takeDead(except: other, limit: 9).isEmpty)
    dead.first?.remove()
    #expect(harness.spoolNames == [])
  }

  /// A process that another thread starts shares every open file until it runs its program. The
  /// lock still ends with the object.
  @Test func aStartingProcessDoesNotKeepTheLock() throws {
    let harness = BridgeHarness()
    try SpoolFolder(path: harness.spool).prepare()
    var file: SpoolFile? = try SpoolFile.create(in: harness.spool, header)
    let path = try #require(file?.path)
    let shared = try #require(DiskFile.duplicate(ofOpenFileAt: path))
    defer { close(shared) }
    file = nil
    #expect(try SpoolFile.takeDead(at: path) != nil)
  }

  @Test func unfinishedFilesAreRemoved() throws {
    let harness = BridgeHarness()
    let folder = SpoolFolder(path: harness.spool)
    try folder.prepare()
    rewrite(harness.spool + "/lsp-2.spool.new", [1])
    rewrite(harness.spool + "/notes.txt", [1])
    #expect(folder.takeDead(except: header.session, limit: 9).isEmpty)
    #expect(harness.spoolNames == ["notes.txt"])
  }

  @Test func folderOfOthersIsRefused() throws {
    let harness = BridgeHarness()
    mkdir(harness.spool, 0o755)
    chmod(harness.spool, 0o755)
    #expect(throws: SpoolError.folderRefused(path: harness.spool)) {
      try SpoolFolder(path: harness.spool).prepare()
    }
    let deep = SpoolFolder(path: harness.spool + "/a/b")
    try deep.prepare()
    var info = stat()
    #expect(stat(deep.path, &info) == 0 && info.st_mode & 0o777 == 0o700)
    rmdir(deep.path)
    rmdir(harness.spool + "/a")
  }

  @Test func waitingSpoolsAreListed() throws {
    let harness = BridgeHarness()
    #expect(WaitingSpool.all(in: harness.spool) == [])
    let (path, whole, ends) = try deadFile(harness)
    let waiting = try #require(WaitingSpool.all(in: harness.spool).first)
    #expect(waiting.path == path)
    #expect(waiting.requestCount == 3 && waiting.size == whole.count && !waiting.isHeld)
    #expect(abs(waiting.lastWrite.nanoseconds / 1_000_000_000 - Int64(time(nil))) < 600)
    #expect(
      WaitingSpool.codec.encode(waiting) == [
        "path": JSON(path), "requests": 3, "bytes": JSON(whole.count),
        "lastWrite": JSON(waiting.lastWrite.rfc3339), "held": false,
      ])
    // Listing locks nothing: a bridge can take the file, and it is listed then as well.
    let taken = try #require(try SpoolFile.takeDead(at: path))
    #expect(WaitingSpool.all(in: harness.spool).map(\.isHeld) == [true])
    taken.remove()
    #expect(WaitingSpool.all(in: harness.spool) == [])
    // A torn end and damage are no messages, and neither is a file without a header.
    rewrite(path, Array(whole.dropLast(1)))
    #expect(WaitingSpool.all(in: harness.spool).map(\.requestCount) == [2])
    var damaged = whole
    damaged[ends[0]] ^= 1
    rewrite(path, damaged)
    rewrite(harness.spool + "/lsp-0.spool", Array("ELSPOOL1 and more".utf8))
    #expect(WaitingSpool.all(in: harness.spool) == [])
    chmod(harness.spool, 0o755)
    rewrite(path, whole)
    #expect(WaitingSpool.all(in: harness.spool) == [])
    chmod(harness.spool, 0o700)
  }

  @Test func tornSpoolIsDeliveredAsFarAsItGoes() async throws {
    let harness = BridgeHarness()
    let (path, whole, _) = try deadFile(harness)
    rewrite(path, Array(whole.dropLast(3)))
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    await eventually { harness.spoolNames.isEmpty }
    _ = try await bridge.leave()
    #expect(daemon.handled.map(\.counter) == [1, 2])
    #expect(harness.notes == [])
    await daemon.kill()
  }

  /// What a bridge of another daemon, or of another store, left in the same folder is not sent to this one.
  @Test func aSpoolOfAnotherDaemonIsLeft() async throws {
    let harness = BridgeHarness()
    try SpoolFolder(path: harness.spool).prepare()
    for (name, socket, store) in [
      ("lsp-1", "/other", nil), ("lsp-2", harness.socket, "/other"),
    ] as [(String, String, String?)] {
      let file = try SpoolFile.create(
        in: harness.spool,
        SpoolHeader(
          session: session(name), socket: SpoolHeader.name(ofSocket: socket), store: store,
          initialize: .null, open: []))
      _ = try file.append(message(1))
    }
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///own")
    await eventually { daemon.handled.contains { $0.method == "textDocument/didOpen" } }
    _ = try await bridge.leave()
    #expect(harness.spoolNames == ["lsp-1.spool", "lsp-2.spool"])
    #expect(Set(daemon.handled.map(\.session)).count == 1)
    await daemon.kill()
  }

  /// An editor is started again before the bridge of the one before has given up.
  @Test func aSpoolThatIsGivenUpSoonIsDeliveredFirst() async throws {
    let harness = BridgeHarness()
    let (path, _, _) = try deadFile(harness)
    var held = try SpoolFile.takeDead(at: path)
    #expect(held != nil)
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start(seed: 2)
    _ = await bridge.initialize()
    bridge.open("file:///own")
    await eventually { daemon.connectionCount > 0 }
    try await Task.sleep(for: .milliseconds(100))
    held = nil
    await eventually { daemon.handled.contains { $0.method == "textDocument/didOpen" } }
    _ = try await bridge.leave()
    #expect(harness.spoolNames == [])
    #expect(daemon.initialized.map(\.session).first == "lsp-1")
    await daemon.kill()
  }

  @Test func damagedSpoolIsKept() async throws {
    let harness = BridgeHarness()
    let (path, whole, ends) = try deadFile(harness)
    var bytes = whole
    bytes[ends[1] + 20] ^= 4
    rewrite(path, bytes)
    rewrite(harness.spool + "/lsp-0.spool", Array("ELSPOOL1 and more".utf8))
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    await eventually { harness.notes.count == 2 }
    _ = try await bridge.leave()
    #expect(daemon.handled.map(\.counter) == [1])
    #expect(harness.spoolNames == ["lsp-0.spool.damaged", "lsp-1.spool.damaged"])
    await daemon.kill()
  }
}
