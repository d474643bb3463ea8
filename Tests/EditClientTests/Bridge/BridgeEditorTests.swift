import EditClient
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import TestSupport
import Testing

@Suite struct BridgeEditorTests {
  @Test func initializeIsAnsweredWithoutADaemon() async throws {
    let harness = BridgeHarness()
    let bridge = harness.startHasty()
    let params: JSON = ["capabilities": ["general": ["positionEncodings": ["utf-8", "utf-32"]]]]
    let answer = await bridge.call(1, "initialize", params)
    guard case .response(_, let result) = answer else { return #expect(Bool(false), "\(answer)") }
    #expect(result["capabilities"]?["positionEncoding"] == "utf-32")
    guard case .failure(_, let error) = await bridge.call(2, "initialize", params) else {
      return #expect(Bool(false))
    }
    #expect(error.code == .invalidRequest)
    #expect(try await bridge.leave() == .ordinary)
    #expect(harness.notes == [])
    #expect(harness.spoolNames == [])
  }

  /// The editor's word counts more than what the bridge knows of it.
  @Test(
    arguments: [
      (
        ["clientInfo": ["name": "Neovim"], "processId": 7, "initializationOptions": ["own": 1]],
        ["own": 1, "editlog": ["host": "desk", "author": "ann"]]
      ),
      (
        ["processId": .null],
        [
          "editlog": [
            "client": "vi", "version": "9", "host": "desk", "process": 5, "author": "ann",
          ]
        ]
      ),
    ] as [(JSON, JSON)])
  func theDaemonIsToldOfTheEditor(params: JSON, options: JSON) async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start {
      $0.editor = SessionDescription(client: "vi", version: "9", host: "desk", process: 5)
      $0.author = "ann"
    }
    _ = await bridge.call(1, "initialize", params)
    await eventually { !daemon.initialized.isEmpty }
    var expected = try options.asObject()
    var editlog = try #require(expected["editlog"]).asObject()
    let first = try #require(daemon.initialized.first)
    editlog["session"] = JSON(first.session)
    editlog["open"] = []
    expected["editlog"] = .object(editlog)
    #expect(first.params["initializationOptions"] == .object(expected))
    _ = try await bridge.hangUp()
    await daemon.kill()
  }

  @Test func annotationsTravelWithTheirChanges() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    let change: JSON = [
      "textDocument": ["uri": "file:///a", "version": 1], "contentChanges": [["text": "x"]],
    ]
    bridge.notify("editlog/annotate", ["document": "file:///a", "origin": "paste"])
    bridge.notify("textDocument/didChange", change)
    let answer = await bridge.call(7, "editlog/annotate", ["document": "file:///a"])
    #expect(answer == .response(id: .integer(7), result: [:]))
    bridge.notify("textDocument/didChange", change)
    bridge.notify("editlog/annotate", ["document": "file:///a", "origin": "no such origin"])
    bridge.notify("textDocument/didChange", change)
    await eventually { daemon.handled.count == 4 }
    let annotations = daemon.handled.map { $0.params["params"]?["editlog"] ?? $0.params["editlog"] }
    #expect(annotations == [nil, ["origin": "paste"], nil, nil])
    #expect(harness.notes.count == 1)
    _ = try await bridge.hangUp()
    await daemon.kill()
  }

  /// An annotated change that the daemon did not take is sent with its annotation by the next bridge.
  @Test func annotationsAreInTheSpool() async throws {
    let harness = BridgeHarness()
    let first = harness.startHasty()
    _ = await first.initialize()
    first.open("file:///a")
    first.notify("editlog/annotate", ["document": "file:///a", "agent": "helper"])
    first.notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": "file:///a", "version": 1], "contentChanges": [["text": "x"]],
      ])
    _ = try await first.hangUp()
    let daemon = try await FakeDaemon(harness.socket)
    let second = harness.start(seed: 2)
    _ = await second.initialize()
    // The document is opened, changed, and closed by the end of the first bridge.
    await eventually { daemon.handled.count == 3 }
    let annotations = daemon.handled.map { $0.params["params"]?["editlog"] ?? $0.params["editlog"] }
    #expect(annotations == [nil, ["origin": "program", "author": "helper"], nil])
    _ = try await second.hangUp()
    await daemon.kill()
  }

  @Test func unknownRequestsAreRefused() async throws {
    let harness = BridgeHarness()
    let bridge = harness.startHasty()
    _ = await bridge.initialize()
    bridge.notify("textDocument/willSave", [:])
    bridge.send(.response(id: .integer(9), result: .null))
    guard case .failure(_, let error) = await bridge.call(3, "textDocument/hover") else {
      return #expect(Bool(false))
    }
    #expect(error.code == .methodNotFound)
    // Two answers, and nothing else.
    #expect(bridge.output.all.count == 2)
    _ = try await bridge.hangUp()
  }

  @Test func shutdownWaitsForAcknowledgements() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket, .init(holds: true))
    // Longer than any test waits on a busy machine.
    let bridge = harness.start { $0.shutdownPatience = .seconds(3_600) }
    _ = await bridge.initialize()
    bridge.open("file:///a")
    bridge.send(.request(id: .integer(5), method: "shutdown", params: .null))
    await eventually { daemon.handled.count == 1 && bridge.input.unread == 0 }
    for _ in 0..<20 { await Task.yield() }
    // On a busy machine, a notification may say that the daemon has not answered yet.
    #expect(
      !bridge.output.all.contains { message in
        if case .response(.integer(5), _) = message { true } else { false }
      })
    daemon.release()
    #expect(
      await bridge.output.answer(to: .integer(5)) == .response(id: .integer(5), result: .null))
    bridge.notify("exit")
    #expect(try await value(of: bridge.run) == .ordinary)
    await eventually { daemon.exits == 1 }
    await daemon.kill()
  }

  @Test func shutdownDoesNotWaitForLong() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket, .init(holds: true))
    let bridge = harness.startHasty()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    let answer = await bridge.call(5, "shutdown")
    #expect(answer == .response(id: .integer(5), result: .null))
    bridge.notify("exit")
    #expect(try await value(of: bridge.run) == .ordinary)
    // Handled, but not acknowledged: it stays, and is harmless when it comes again.
    #expect(harness.spoolNames.count == 1)
    #expect(harness.notes.count == 1)
    daemon.release()
    let next = harness.start(seed: 2)
    _ = await next.initialize()
    await eventually { harness.spoolNames.isEmpty }
    _ = try await next.leave()
    #expect(daemon.handled.map(\.counter) == [1, 2])
    #expect(daemon.violations == [])
    await daemon.kill()
  }

  @Test(arguments: [false, true])
  func exitWithoutShutdownHasAStatus(shutdown: Bool) async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    // As a notification, as one editor sends it.
    if shutdown { bridge.notify("shutdown") }
    bridge.notify("exit")
    let end = try await value(of: bridge.run)
    #expect(end == (shutdown ? .ordinary : .exitWithoutShutdown))
    #expect(end.exitStatus == (shutdown ? 0 : 1))
    #expect(daemon.handled.map(\.method) == ["textDocument/didOpen", "textDocument/didClose"])
    await daemon.kill()
  }

  @Test func endClosesWhatIsOpen() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    for name in ["a", "b", "c", "d"] { bridge.open("file:///\(name)") }
    bridge.close("file:///b")
    let rename: JSON = ["files": [["oldUri": "file:///c", "newUri": "file:///e"]]]
    bridge.notify("workspace/didRenameFiles", rename)
    #expect(try await bridge.hangUp() == .ordinary)
    let closed = daemon.handled.filter { $0.counter > 6 }
    #expect(closed.map(\.method) == Array(repeating: "textDocument/didClose", count: 3))
    #expect(
      closed.compactMap { $0.params["textDocument"]?["uri"]?.text } == [
        "file:///a", "file:///d", "file:///e",
      ])
    #expect(daemon.violations == [])
    await daemon.kill()
  }

  @Test func brokenMessagesAreSkipped() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    for body in [#"{"secret"#, "\"\u{1}secret\"", "[]", #"{"jsonrpc":"2.0","method":7}"#] {
      bridge.input.send(
        ByteBuffer(string: "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"))
    }
    bridge.input.send(
      ByteBuffer(bytes: Array("Content-Length: 3\r\n\r\n".utf8) + [0x22, 0xFF, 0x22]))
    bridge.change("file:///a", "b")
    #expect(try await bridge.leave() == .ordinary)
    #expect(daemon.handled.map(\.counter) == [1, 2, 3])
    #expect(harness.notes.count == 5)
    #expect(harness.notes.allSatisfy { !$0.contains("secret") })
    await daemon.kill()
  }

  @Test func messagesAreNoDeeperThanADaemonReads() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    for depth in 80...110 {
      let nested = (0..<depth).reduce(JSON.null) { json, _ in [json] }
      bridge.notify("textDocument/didSave", ["textDocument": nested])
    }
    #expect(try await bridge.leave() == .ordinary)
    #expect(daemon.handled.map(\.counter) == Array(1...UInt64(daemon.handled.count)))
    // Two objects around what is nested at the editor's, three at ours, of 96.
    #expect(daemon.handled.count == 93 - 80 + 1)
    #expect(harness.notes.count == 110 - 93)
    await daemon.kill()
  }

  @Test(arguments: [
    "Content-Length: secret\r\n\r\n", "secret\r\n\r\n", "Content-Length: 9\r\n\r\n{",
  ])
  func brokenFramingIsTheEnd(bytes: String) async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    bridge.input.send(ByteBuffer(string: bytes))
    #expect(try await bridge.hangUp() == .ordinary)
    #expect(daemon.handled.map(\.method) == ["textDocument/didOpen", "textDocument/didClose"])
    #expect(harness.notes.count == 1)
    #expect(harness.notes.allSatisfy { !$0.contains("secret") })
    await daemon.kill()
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func framesMayComeInAnyPieces(seed: UInt64) async throws {
    let harness = BridgeHarness()
    var random = SplitMix64(seed: seed)
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    var bytes = ByteBuffer()
    for index in 0..<20 {
      let params = DidOpenParams(uri: document("file:///\(index)"), text: UTF16Text("täxt"))
      RPCMessage.notification(method: "textDocument/didOpen", params: params.json)
        .write(frameInto: &bytes)
    }
    while bytes.readableBytes > 0 {
      let count = min(bytes.readableBytes, Int.random(in: 1...30, using: &random))
      if let piece = bytes.readSlice(length: count) { bridge.input.send(piece) }
    }
    #expect(try await bridge.hangUp() == .ordinary)
    #expect(daemon.handled.count == 40)
    await daemon.kill()
  }

  @Test func editsThatCannotBeKeptAreAnError() async throws {
    let harness = BridgeHarness()
    // A file where the folder should be.
    close(open(harness.spool, O_CREAT | O_WRONLY, 0o600))
    defer { unlink(harness.spool) }
    let bridge = harness.startHasty()
    _ = await bridge.initialize()
    bridge.open("file:///a", "secret")
    bridge.input.end()
    await #expect(throws: ProtocolError.self) { try await value(of: bridge.run) }
    #expect(harness.notes.allSatisfy { !$0.contains("secret") })
  }
}

@Suite struct DescriptorStreamsTests {
  private func pipe() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    try #require(Glibc.pipe(&ends) == 0)
    for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    return (ends[0], ends[1])
  }

  @Test func stoppedInputIsReadToItsEnd() async throws {
    let (reading, writing) = try pipe()
    defer { for end in [reading, writing] { close(end) } }
    let input = try #require(DescriptorInput(reading, lingerMillis: 1))
    let output = DescriptorOutput(writing)
    try await output.write(ByteBuffer(string: "before"))
    #expect(!input.isEnding)
    input.stop()
    #expect(input.isEnding)
    #expect(try await input.read() == ByteBuffer(string: "before"))
    #expect(try await input.read() == nil)
  }

  @Test func stopWakesTheReader() async throws {
    let (reading, writing) = try pipe()
    defer { for end in [reading, writing] { close(end) } }
    let input = try #require(DescriptorInput(reading, lingerMillis: 1))
    async let bytes = input.read()
    input.stop()
    #expect(try await bytes == nil)
  }

  @Test func closedInputIsSeen() async throws {
    let (reading, writing) = try pipe()
    defer { close(reading) }
    let input = try #require(DescriptorInput(reading))
    try await DescriptorOutput(writing).write(ByteBuffer(string: "last"))
    close(writing)
    // A process that another test is starting has the end as well, until it runs its program.
    await eventually { input.isEnding }
    #expect(try await input.read() == ByteBuffer(string: "last"))
    #expect(try await input.read() == nil)
  }
}
