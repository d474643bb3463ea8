import EditJSON
import EditModel
import EditProtocol
import EditSpool
import Synchronization
import TestSupport
import Testing

@testable import EditClient

/// The sending core, which the appender and the bridge share.
@Suite struct ForwardingClientTests {
  /// How requests ended, in the order of the calls.
  private final class Ends: Sendable {
    private let ends = Mutex<[(counter: UInt64, code: ProtocolError.Code?)]>([])

    func note(_ ended: RequestQueue.Ended) {
      var code: ProtocolError.Code?
      if case .failure(let error) = ended.outcome { code = error.code }
      ends.withLock { [code] in $0.append((ended.counter, code)) }
    }

    var counters: [UInt64] { ends.withLock { $0.map(\.counter) } }
    var failures: [UInt64: ProtocolError.Code] {
      ends.withLock { ends in
        ends.reduce(into: [:]) { failures, end in failures[end.counter] = end.code }
      }
    }
  }

  private func options(
    _ harness: BridgeHarness, _ random: inout SplitMix64
  ) -> ForwardingClient.Options {
    let memorySizeMax = Int.random(in: 200...4000, using: &random)
    let spool = ForwardingClient.SpoolOptions(
      folder: SpoolFolder(path: harness.spool), sizeMax: Int.random(in: 500...8000, using: &random),
      delay: .milliseconds(2), syncDelay: .milliseconds(5))
    return ForwardingClient.Options(
      socketPath: harness.socket, connect: ForwardLink.connector(to: harness.socket),
      windowCountMax: Int.random(in: 1...40, using: &random),
      windowSizeMax: Int.random(in: 100...4000, using: &random),
      queueCountMax: Int.random(in: 1...60, using: &random), memorySizeMax: memorySizeMax,
      pauseMin: .milliseconds(1), pauseMax: .milliseconds(10),
      refusalCountMax: { code in
        code.isFaultOfRequest ? 1 : code == .internalError ? 3 : nil
      },
      spool: Bool.random(using: &random) ? spool : nil)
  }

  private func send(_ text: String, over client: ForwardingClient) async -> UInt64 {
    await client.send { ticket in
      ByteParts(ForwardRequest(ticket: ticket, method: "m", params: ["text": JSON(text)]).json)
    }
  }

  /// Connections break before requests are handled and between handling and answer, answers come
  /// late and in any order, requests are refused for now and for good, the daemon is killed.
  @Test(arguments: seeds(24))
  func eachRequestEndsOnceInOrder(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let harness = BridgeHarness()
    let all = Array(UInt64(1)...150)
    var refusals: [UInt64: [ProtocolError.Code]] = [:]
    for counter in all {
      switch Int.random(in: 0..<40, using: &random) {
      case 0: refusals[counter] = [.invalidParams]
      case 1: refusals[counter] = [.noSpace, .overloaded]
      case 2: refusals[counter] = [.internalError, .internalError]
      default: break
      }
    }
    let daemon = try await FakeDaemon(
      harness.socket,
      FakeDaemon.Faults(
        dropBefore: 2, dropAfter: 2, overloaded: 2,
        delayMax: Int.random(in: 0...2, using: &random), refusals: refusals),
      seed: seed)
    let ends = Ends()
    let client = ForwardingClient(
      options(harness, &random), session: session("s"), initialize: .null,
      note: { harness.note($0) }, onEnd: { ends.note($0) })
    let kills = (0..<3).map { _ in Duration.milliseconds(Int.random(in: 1...8, using: &random)) }
    let killer = Task {
      for pause in kills {
        try await Task.sleep(for: pause)
        await daemon.kill()
        try await daemon.start()
      }
    }
    for counter in all {
      let text = String(repeating: "x", count: Int.random(in: 0..<60, using: &random))
      #expect(await send(text, over: client) == counter)
      if Int.random(in: 0..<30, using: &random) == 0 {
        #expect(await client.flush(atMost: .seconds(300)))
        #expect(ends.counters.last == counter)
      }
    }
    try await killer.value
    #expect(await client.flush(atMost: .seconds(300)))
    await client.stop()
    let refused = refusals.filter { $0.value == [.invalidParams] }
    #expect(ends.counters == all)
    #expect(ends.failures == refused.mapValues { $0[0] })
    #expect(daemon.handled.map(\.counter) == all.filter { refused[$0] == nil })
    #expect(daemon.violations == [])
    #expect(harness.spoolNames == [])
    #expect(harness.notes == [])
    await daemon.kill()
  }

  /// A refusal that may pass is one after a number of times, if its code says so.
  @Test func aRequestIsNotRefusedForEver() async throws {
    var random = SplitMix64(seed: 1)
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(
      harness.socket,
      FakeDaemon.Faults(refusals: [
        2: [.internalError, .internalError, .internalError], 3: [.storeUnreadable, .notPermitted],
      ]))
    let ends = Ends()
    let client = ForwardingClient(
      options(harness, &random), session: session("s"), initialize: .null,
      onEnd: { ends.note($0) })
    for _ in 0..<4 { _ = await send("x", over: client) }
    #expect(await client.flush(atMost: .seconds(300)))
    await client.stop()
    #expect(ends.counters == [1, 2, 3, 4])
    #expect(ends.failures == [2: .internalError])
    #expect(daemon.handled.map(\.counter) == [1, 3, 4])
    await daemon.kill()
  }

  /// A payload that cannot be made uses no counter.
  @Test func aRefusedPayloadUsesNoCounter() async throws {
    var random = SplitMix64(seed: 2)
    let harness = BridgeHarness()
    let daemon = try await FakeDaemon(harness.socket)
    let client = ForwardingClient(
      options(harness, &random), session: session("s"), initialize: .null, onEnd: { _ in })
    await #expect(throws: ProtocolError.self) {
      try await client.send { _ throws(ProtocolError) in throw .overloaded(retryAfterMillis: 1) }
    }
    #expect(await send("x", over: client) == 1)
    #expect(await client.flush(atMost: .seconds(300)))
    await client.stop()
    #expect(daemon.handled.map(\.counter) == [1])
    await daemon.kill()
  }

  @Test func waitingIsBounded() async throws {
    var random = SplitMix64(seed: 3)
    let harness = BridgeHarness()
    var options = options(harness, &random)
    options.spool = nil
    let client = ForwardingClient(
      options, session: session("s"), initialize: .null, onEnd: { _ in })
    #expect(await client.flush(atMost: .seconds(300)))
    _ = await send("x", over: client)
    #expect(await client.flush(atMost: .milliseconds(5)) == false)
    await client.stop()
  }
}
