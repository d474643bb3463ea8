import EditClient
import EditJSON
import EditModel
import EditProtocol
import EditSpool
import NIOCore
import TestSupport
import Testing

/// A seeded editor: opens, changes, saves and closes a few documents, and remembers what must
/// reach the daemon.
private struct Typist {
  var random: SplitMix64
  var said: [(method: String, params: JSON)] = []
  var open: [String] = []

  mutating func say(_ bridge: RunningBridge) {
    let uri = "file:///d\(Int.random(in: 0..<5, using: &random))"
    let name: JSON = ["uri": JSON(uri)]
    guard let index = open.firstIndex(of: uri) else {
      open.append(uri)
      return say(bridge, "textDocument/didOpen", ["textDocument": ["uri": JSON(uri), "text": ""]])
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      open.remove(at: index)
      say(bridge, "textDocument/didClose", ["textDocument": name])
    case 1: say(bridge, "textDocument/didSave", ["textDocument": name, "text": JSON("x")])
    case 2: bridge.notify("$/setTrace", ["value": "off"])
    default:
      let text = String(repeating: "ä", count: Int.random(in: 0..<40, using: &random))
      say(
        bridge, "textDocument/didChange",
        ["textDocument": name, "contentChanges": [["text": JSON(text)]]])
    }
  }

  private mutating func say(_ bridge: RunningBridge, _ method: String, _ params: JSON) {
    said.append((method, params))
    bridge.notify(method, params)
  }

  /// What the daemon must have of one session, in order.
  var expected: [(method: String, params: JSON)] {
    said
      + open.sorted().map { uri in
        ("textDocument/didClose", ["textDocument": ["uri": JSON(uri)]])
      }
  }
}

extension FakeDaemon {
  fileprivate func has(_ expected: [(method: String, params: JSON)], of session: String) -> Bool {
    let handled = handled.filter { $0.session == session }
    return handled.map(\.counter) == Array(1...UInt64(expected.count))
      && handled.map(\.method) == expected.map(\.method)
      && handled.map(\.params) == expected.map(\.params)
  }
}

@Suite struct BridgeDeliveryTests {
  @Test(arguments: 0..<8 as Range<UInt64>)
  func everyMessageArrivesOnceInOrder(seed: UInt64) async throws {
    let harness = BridgeHarness()
    let faults = FakeDaemon.Faults(dropBefore: 2, dropAfter: 2, delayMax: Int(seed % 3))
    let daemon = try await FakeDaemon(harness.socket, faults, seed: seed)
    let bridge = harness.start(seed: seed) {
      // Every way out of memory, through the spool, and by small steps.
      $0.memorySizeMax = seed % 2 == 0 ? 1000 : 1 << 20
      $0.flightCountMax = 10 + Int(seed)
      $0.spoolDelay = .milliseconds(2)
    }
    var typist = Typist(random: SplitMix64(seed: seed))
    _ = await bridge.initialize()
    for count in 0..<200 {
      typist.say(bridge)
      if count % 100 == 99 { await Task.yield() }
    }
    #expect(try await bridge.leave() == .ordinary)
    let session = try #require(daemon.initialized.first).session
    #expect(daemon.has(typist.expected, of: session))
    #expect(daemon.violations == [])
    #expect(harness.spoolNames == [])
    #expect(harness.notes == [])
    await daemon.kill()
  }

  @Test func waitsForADaemonThatIsNotThere() async throws {
    let harness = BridgeHarness()
    let bridge = harness.start()
    var typist = Typist(random: SplitMix64(seed: 5))
    _ = await bridge.initialize()
    for _ in 0..<50 { typist.say(bridge) }
    await eventually { !harness.spoolNames.isEmpty && bridge.input.unread == 0 }
    let daemon = try await FakeDaemon(harness.socket)
    for _ in 0..<50 { typist.say(bridge) }
    #expect(try await bridge.hangUp() == .ordinary)
    #expect(daemon.has(typist.expected, of: try #require(daemon.initialized.first).session))
    #expect(daemon.violations == [])
    #expect(harness.spoolNames == [])
    await daemon.kill()
  }

  @Test func outlivesADaemonThatIsReplaced() async throws {
    let harness = BridgeHarness()
    let first = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    bridge.open("file:///b")
    bridge.close("file:///b")
    await eventually { first.handled.count == 3 }
    await first.kill()
    bridge.change("file:///a", "later")
    let second = try await FakeDaemon(harness.socket)
    #expect(try await bridge.leave() == .ordinary)
    let initialize = try #require(second.initialized.last)
    #expect(initialize.params["processId"] == 7)
    // What was acknowledged is not sent again, only that it is open.
    #expect(
      second.handled.map(\.method).suffix(2) == [
        "textDocument/didChange", "textDocument/didClose",
      ])
    #expect(second.violations.allSatisfy { $0.contains("after 0") })
    await second.kill()
  }

  @Test func nextBridgeDeliversWhatIsLeft() async throws {
    let harness = BridgeHarness()
    var sessions: [Typist] = []
    for seed in 1...3 as ClosedRange<UInt64> {
      let bridge = harness.startHasty(seed: seed)
      var typist = Typist(random: SplitMix64(seed: seed))
      _ = await bridge.initialize()
      for _ in 0..<100 { typist.say(bridge) }
      #expect(try await bridge.hangUp() == .ordinary)
      sessions.append(typist)
      #expect(harness.spoolNames.count == Int(seed))
      #expect(harness.notes.count == Int(seed))
      #expect(harness.notes.allSatisfy { $0.contains("kept in") && !$0.contains("ä") })
    }
    // The daemon that comes back is a bad one.
    let daemon = try await FakeDaemon(
      harness.socket, .init(dropBefore: 2, dropAfter: 2, delayMax: 1), seed: 9)
    let bridge = harness.start(seed: 4) { $0.flightCountMax = 8 }
    var last = Typist(random: SplitMix64(seed: 4))
    _ = await bridge.initialize()
    for _ in 0..<20 { last.say(bridge) }
    #expect(try await bridge.leave() == .ordinary)
    sessions.append(last)
    // In the order of the runs, each whole before the next.
    var order: [String] = []
    for message in daemon.handled where order.last != message.session {
      order.append(message.session)
    }
    try #require(order.count == 4)
    for (typist, session) in zip(sessions, order) {
      #expect(daemon.has(typist.expected, of: session))
    }
    #expect(daemon.violations == [])
    #expect(harness.spoolNames == [])
    await daemon.kill()
  }

  @Test func twoBridgesDeliverASpoolOnce() async throws {
    let harness = BridgeHarness()
    let dead = harness.startHasty()
    _ = await dead.initialize()
    for index in 0..<50 { dead.open("file:///\(index)") }
    _ = try await dead.hangUp()
    let daemon = try await FakeDaemon(harness.socket, .init(delayMax: 2))
    let bridges = (2...5).map { harness.start(seed: UInt64($0)) }
    for bridge in bridges {
      _ = await bridge.initialize()
      bridge.open("file:///own")
    }
    for bridge in bridges { #expect(try await bridge.leave() == .ordinary) }
    await eventually { harness.spoolNames.isEmpty }
    let sessions = daemon.initialized.map(\.session)
    #expect(Set(sessions).count == 5)
    #expect(sessions.count == 5)
    #expect(daemon.handled.count == 100 + 4 * 2)
    #expect(daemon.violations == [])
    await daemon.kill()
  }

  @Test func spoolStandsInForMemory() async throws {
    let harness = BridgeHarness()
    let bridge = harness.start {
      $0.memorySizeMax = 2000
      $0.flightSizeMax = 3000
      $0.spoolSizeMax = 1 << 20
    }
    var typist = Typist(random: SplitMix64(seed: 8))
    _ = await bridge.initialize()
    for _ in 0..<1000 { typist.say(bridge) }
    await eventually { bridge.input.unread == 0 }
    let daemon = try await FakeDaemon(harness.socket)
    #expect(try await bridge.leave() == .ordinary)
    #expect(daemon.has(typist.expected, of: try #require(daemon.initialized.first).session))
    #expect(daemon.violations == [])
    await daemon.kill()
  }

  @Test func fullSpoolHoldsTheEditorBack() async throws {
    let harness = BridgeHarness()
    let bridge = harness.start { $0.spoolSizeMax = 4000 }
    var typist = Typist(random: SplitMix64(seed: 8))
    _ = await bridge.initialize()
    for _ in 0..<400 { typist.say(bridge) }
    await eventually { !harness.spoolNames.isEmpty }
    let daemon = try await FakeDaemon(harness.socket)
    #expect(try await bridge.leave() == .ordinary)
    #expect(daemon.has(typist.expected, of: try #require(daemon.initialized.first).session))
    await daemon.kill()
  }

  @Test func fullSpoolTakesWhatAnEndingEditorLeft() async throws {
    let harness = BridgeHarness()
    let bridge = harness.start {
      // Or all of it is read before the spool is begun.
      $0.memorySizeMax = 2000
      $0.spoolSizeMax = 4000
      $0.shutdownPatience = .milliseconds(5)
      $0.endPatience = .milliseconds(5)
    }
    var typist = Typist(random: SplitMix64(seed: 8))
    _ = await bridge.initialize()
    for _ in 0..<400 { typist.say(bridge) }
    await eventually { !harness.spoolNames.isEmpty }
    #expect(bridge.input.unread > 0)
    #expect(try await bridge.hangUp() == .ordinary)
    #expect(bridge.input.unread == 0)
    let daemon = try await FakeDaemon(harness.socket)
    let next = harness.start(seed: 2)
    _ = await next.initialize()
    await eventually { harness.spoolNames.isEmpty }
    #expect(daemon.has(typist.expected, of: try #require(daemon.initialized.first).session))
    _ = try await next.leave()
    await daemon.kill()
  }

  @Test func refusalsThatMayPassAreTriedAgain() async throws {
    let harness = BridgeHarness()
    let refusals: [UInt64: [ProtocolError.Code]] = [
      2: [.overloaded, .noSpace], 3: [.internalError], 4: [.invalidParams],
      5: [.internalError, .internalError, .internalError],
    ]
    let daemon = try await FakeDaemon(harness.socket, .init(refusals: refusals))
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    for text in 2...7 { bridge.change("file:///a", "secret \(text)") }
    #expect(try await bridge.leave() == .ordinary)
    #expect(daemon.handled.map(\.counter) == [1, 2, 3, 6, 7, 8])
    #expect(harness.notes.count == 2)
    #expect(harness.notes.allSatisfy { $0.contains("is not logged") && !$0.contains("secret") })
    await daemon.kill()
  }

  @Test func aTooLargeMessageIsNotedAndTheRestIsSent() async throws {
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let bridge = harness.start()
    _ = await bridge.initialize()
    bridge.open("file:///a")
    // The fake daemon says that it takes a mebibyte.
    bridge.change("file:///a", String(repeating: "x", count: 1 << 20))
    bridge.change("file:///a", "small")
    #expect(try await bridge.leave() == .ordinary)
    #expect(daemon.handled.map(\.counter) == [1, 3, 4])
    #expect(harness.notes.count == 1)
    await daemon.kill()
  }
}
