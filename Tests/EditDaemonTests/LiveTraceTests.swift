import DaemonTestSupport
import EditClient
import EditJSON
import EditLog
import EditModel
import EditProtocol
import Foundation
import TestSupport
import Testing

/// What edits cost as they happen in a daemon.
@Suite(.timeLimit(.minutes(10))) struct LiveTraceTests {
  private static let lines = String(repeating: "a line of text\n", count: 2_000)

  private func traces(
    _ client: EditLogClient, slowerThan: Int? = nil
  ) async throws -> [ShownTrace] {
    var params: JSON = ["document": "a", "format": "table"]
    if let slowerThan {
      params = ["document": "a", "format": "table", "slowerThan": JSON(slowerThan)]
    }
    return try TraceRequest.answerCodec.decode(await client.call("editlog/trace", params)).traces
  }

  /// What the first large deletion cost. Its last phase comes when the system has taken the reply.
  private func liveTrace(_ client: EditLogClient) async throws -> ShownLiveTrace {
    while true {
      let live = try #require(try await traces(client).first?.live)
      if live.phases.acknowledge != nil { return live }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private func check(_ live: ShownLiveTrace) throws {
    let phases = live.phases
    let durations = [
      phases.receive, phases.decode, phases.locate, phases.text, phases.attributes,
      phases.paragraphs, phases.journal, phases.flush, phases.notify, phases.acknowledge,
    ].compactMap(\.self)
    #expect(durations.count == 10 && durations.allSatisfy { $0 >= 0 })
    // A flush and the edit itself take some time on any machine.
    #expect(try #require(phases.paragraphs) > 0 && (try #require(phases.flush)) > 0)
    #expect(live.total == durations.reduce(live.waiting, +))
  }

  @Test(arguments: [false, true])
  func `a large deletion has all ten phases, also after a restart`(isNative: Bool) async throws {
    let folder = TemporaryFolder()
    var before: ShownLiveTrace?
    try await withClient(in: folder) { client, daemon in
      _ = try await client.append("a", put(Self.lines))
      let deletion = put("", at: 15, over: 15_000)
      if isNative {
        var connection = try await NativeConnection(to: daemon.socket)
        try await connection.hello()
        // In one write, with small edits around it.
        var bytes: [UInt8] = []
        for (counter, edit) in [put("x"), put("y"), deletion, put("z")].enumerated() {
          bytes += try NativeConnection.batch("a", UInt64(counter) + 1, [edit])
        }
        try await connection.send(bytes)
        var last: UInt64 = 0
        while last < 4, case .ack(let ack)? = await connection.settled() {
          last = ack.counters.upperBound
        }
        #expect(last == 4)
        try await connection.close()
      } else {
        _ = try await client.append("a", deletion)
        _ = try await client.append("a", put("z"))
      }
      let live = try await liveTrace(client)
      try check(live)
      before = live
      let all = try await traces(client, slowerThan: 0)
      #expect(all.count == (isNative ? 5 : 3))
      // Small edits have none, unless the machine was very slow.
      let slow = all.compactMap(\.live).filter { $0.phases.locate == nil }
      #expect(slow.allSatisfy { $0.total >= 100_000_000 })
      #expect(all.count { $0.live?.phases.locate != nil } == 1)
    }
    try await withClient(in: folder) { client, _ in
      let live = try await liveTrace(client)
      try check(live)
      #expect(live == before)
      let findings = try await client.call("editlog/verify", [:])["findings"]
      #expect(findings == [])
    }
    // Without the daemon, it is read from the file.
    let store = try Store.open(at: RunningDaemon.store(in: folder))
    #expect(try store.history(of: document("a"))?.liveTraces.count ?? 0 >= 1)
  }

  /// A bridge gets a reply, an editor none.
  @Test(arguments: [false, true])
  func `deletions in editors are measured`(isBridge: Bool) async throws {
    try await withClient { client, _ in
      let name = document("a")
      let open = DidOpenParams(uri: name, text: UTF16Text(Self.lines))
      let deletion = DidChangeParams(
        uri: name,
        changes: [
          .init(
            range: LSPRange(
              start: LSPPosition(line: 1, character: 0),
              end: LSPPosition(line: 900, character: 3)), text: UTF16Text(""))
        ])
      let messages = [
        ("textDocument/didOpen", open.json), ("textDocument/didChange", deletion.json),
      ]
      for (number, (method, params)) in messages.enumerated() {
        if isBridge {
          let request = ForwardRequest(
            ticket: try ticket(UInt64(number) + 1), method: method, params: params)
          _ = try await client.call("editlog/forward", request.json)
        } else {
          try await client.notify(method, params)
        }
      }
      var live: ShownLiveTrace?
      while live == nil { live = try await traces(client).first?.live }
      let phases = try #require(live?.phases)
      #expect(phases.receive != nil && phases.decode != nil && phases.locate != nil)
      #expect(phases.journal != nil && phases.flush != nil && phases.notify != nil)
      if isBridge { try check(try await liveTrace(client)) }
      #expect(isBridge || phases.acknowledge == nil)
    }
  }

  /// A frame of which the bytes come in parts is received for that long.
  @Test func `receiving is measured from the first byte`() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put(Self.lines))
      var raw = try await RawClient(to: daemon.socket)
      let body = #"""
        {"jsonrpc":"2.0","id":1,"method":"editlog/append","params":{"document":"a","edits":[\#
        {"actions":["characters"],"location":0,"length":15000,"changeInLength":-15000,"text":""}]}}
        """#
      let frame = "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      try await raw.send(String(frame.prefix(60)))
      try await Task.sleep(for: .milliseconds(40))
      try await raw.send(String(frame.dropFirst(60)))
      #expect(await raw.next()?["error"] == nil)
      let live = try await liveTrace(client)
      #expect(try #require(live.phases.receive) >= 20_000_000)
      try await raw.close()
    }
  }

  @Test func `forgetting a document forgets its traces`() async throws {
    let folder = TemporaryFolder()
    for isRestarted in [false, true] {
      try await withClient(in: folder) { client, _ in
        if isRestarted {
          _ = try await client.call("editlog/forget", ["document": "a"])
        } else {
          _ = try await client.append("a", put(Self.lines))
          _ = try await client.append("a", put("", over: 15_000))
        }
      }
      let files = FileManager.default.enumerator(atPath: RunningDaemon.store(in: folder))
      let names = (files?.allObjects ?? []).compactMap { $0 as? String }
      #expect(names.contains { $0.hasSuffix("live.traces") } == !isRestarted)
    }
  }
}
