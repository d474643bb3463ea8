import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditJSON
import EditModel
import EditProtocol
import NIOCore
import TestSupport
import Testing

/// Questions that read a long history: their progress, and their end before they are answered.
@Suite(.timeLimit(.minutes(10))) struct CancelTests {
  /// A document with this many edits, of which it has the first ones.
  private func fill(
    _ client: EditLogClient, _ name: String, from first: Int = 0, to count: Int
  ) async throws {
    for start in stride(from: first, to: count, by: 1_000) {
      let edits = (start..<min(start + 1_000, count)).map {
        put($0 % 50 == 49 ? "\n" : "x", at: $0)
      }
      _ = try await client.append(
        AppendRequest(document: document(name), origin: .typing, edits: edits))
    }
  }

  private static let slow: (method: String, params: JSON) = (
    "editlog/paragraphs",
    ["document": "long", "life": true, "workDoneToken": "work"]
  )

  @Test func progressAscendsAndEnds() async throws {
    try await withClient { client, daemon in
      try await fill(client, "long", to: 40_000)
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send([Self.slow])
      var (kinds, percents): ([String], [Int64]) = ([], [])
      while let json = await raw.next() {
        guard json["method"] == "$/progress" else {
          #expect(json["result"] != nil)
          break
        }
        #expect(json["params"]?["token"] == "work")
        let value = try #require(json["params"]?["value"])
        kinds.append(try #require(value["kind"]).asString())
        if case .integer(let percent)? = value["percentage"] { percents.append(percent) }
      }
      // On a fast machine, the answer comes before the first report.
      if !kinds.isEmpty {
        #expect(kinds.first == "begin" && kinds.last == "end")
        #expect(kinds.dropFirst().dropLast().allSatisfy { $0 == "report" })
        #expect(percents.count == kinds.count - 1)
      }
      #expect(percents == percents.sorted() && Set(percents).count == percents.count)
      try await raw.close()
    }
  }

  /// One question runs at a time, so the others wait: the last one is answered soon after all before
  /// it were cancelled.
  @Test func cancelledQuestionsAreAnsweredAndMakeRoom() async throws {
    try await withDaemon({
      ($0.limits.questionCountMax, $0.limits.connectionQuestionCountMax) = (1, 2)
    }) { daemon in
      let client = try await daemon.connect()
      try await fill(client, "long", to: 40_000)
      var raw = try await RawClient(to: daemon.socket)
      let count = 10
      // One write, so that the daemon reads the last request while it answers the first.
      var frames = ByteBuffer()
      for id in 1...count {
        Self.request(id, Self.slow).write(frameInto: &frames)
      }
      for id in 1...count { Self.cancel(JSON(id)).write(frameInto: &frames) }
      Self.request(100, ("editlog/version", ["document": "long"])).write(frameInto: &frames)
      try await raw.send(frames)
      var codes: [Int64: Bool] = [:]
      while let json = await raw.next() {
        guard case .integer(let id)? = json["id"] else { continue }
        if id == 100 {
          #expect(json["result"]?["sequence"] == 40_000)
          break
        }
        codes[id] = json["error"]?["code"] == -32800
      }
      // Each request is answered once. The first may have been answered before it was cancelled.
      #expect(codes.count == count)
      #expect(codes.count { $0.value } >= count - 2)
      try await raw.close()
      await client.close()
    }
  }

  /// Nothing happens if there is no such request, or the params make no sense.
  @Test func strangeCancelsAreIgnored() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("one"))
      var raw = try await RawClient(to: daemon.socket)
      let long = JSON(String(repeating: "x", count: 10_000))
      for id: JSON in [7, "seven", .null, ["a"], [:], 1.5, long] {
        try await raw.send(Self.cancel(id).frame)
      }
      try await raw.send(
        RPCMessage.notification(method: "$/cancelRequest", params: .null).frame)
      try await raw.send([
        ("editlog/state", ["document": "a", "workDoneToken": long]),
        ("editlog/state", ["document": "a", "workDoneToken": true]),
        ("editlog/state", ["document": "a", "workDoneToken": 5]),
      ])
      for id in 1...2 { #expect(await raw.answer(to: id)?["error"]?["code"] == -32602) }
      #expect(await raw.answer(to: 3)?["result"]?["text"] == "one")
      try await raw.close()
    }
  }

  /// The number of questions that were cancelled while they were answered.
  private func cancelledCount(_ client: EditLogClient) async throws -> Double {
    let status = try await client.call(StatusRequest(hasMetrics: true)).daemon
    let lines = try #require(status?.metrics).split(separator: "\n")
    let name = "editlog_questions_cancelled_total "
    let line = lines.first { $0.hasPrefix(name) }
    return try line.map { try #require(Double($0.dropFirst(name.count))) } ?? 0
  }

  /// Each of the short questions waits for no long one. Else the last would come after all long ones, and
  /// none would be left to cancel.
  @Test func shortQuestionsAreAnsweredBeforeLongOnes() async throws {
    try await withDaemon({ $0.limits.questionCountMax = 1 }) { daemon in
      let client = try await daemon.connect()
      // On a busy machine this process sees the last short answer late, so the long ones become longer.
      var count = 0
      while try await cancelledCount(client) == 0, count < 1_280_000 {
        let wanted = max(40_000, count * 2)
        try await fill(client, "long", from: count, to: wanted)
        count = wanted
        var others: [RawClient] = []
        for _ in 0..<4 {
          let raw = try await RawClient(to: daemon.socket)
          try await raw.send([Self.slow, Self.slow])
          others.append(raw)
        }
        var short = try await RawClient(to: daemon.socket)
        try await short.send(
          Array(repeating: ("editlog/version", ["document": "long"]), count: 40))
        #expect(await short.answer(to: 40)?["result"]?["sequence"] == JSON(count))
        for raw in others + [short] { try await raw.close() }
        for _ in 0..<20 where try await cancelledCount(client) == 0 {
          try await WorkerThreads.sleep(for: .milliseconds(50))
        }
      }
      #expect(try await cancelledCount(client) > 0)
      await client.close()
    }
  }

  /// A question that is being answered ends when its connection does. Were it answered, it would not
  /// count as cancelled.
  @Test func closedConnectionsCancelTheirQuestions() async throws {
    try await withDaemon({ $0.limits.questionCountMax = 1 }) { daemon in
      let client = try await daemon.connect()
      // So many edits that the daemon sees the end of the connection long before the answer.
      var count = 0
      while try await cancelledCount(client) == 0, count < 1_280_000 {
        let wanted = max(40_000, count * 2)
        try await fill(client, "long", from: count, to: wanted)
        count = wanted
        var raw = try await RawClient(to: daemon.socket)
        try await raw.send(Array(repeating: Self.slow, count: 4))
        // The first report, or the answer on a fast machine.
        _ = await raw.next()
        try await raw.close()
        let version = try await client.call(VersionRequest(HistoryReference(document("long"))))
        #expect(version.sequence == SequenceNumber(count))
      }
      #expect(try await cancelledCount(client) > 0)
      await client.close()
    }
  }

  /// A cancelled task of the client cancels the question in the daemon.
  @Test func cancelledTasksCancelTheirCalls() async throws {
    try await withClient { client, _ in
      try await fill(client, "long", to: 20_000)
      let task = Task { try await client.call(Self.slow.method, Self.slow.params) }
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      let answer = try await client.call(VersionRequest(HistoryReference(document("long"))))
      #expect(answer.sequence == 20_000)
    }
  }

  private static func request(_ id: Int, _ call: (method: String, params: JSON)) -> RPCMessage {
    .request(id: .integer(Int64(id)), method: call.method, params: call.params)
  }

  private static func cancel(_ id: JSON) -> RPCMessage {
    .notification(method: "$/cancelRequest", params: ["id": id])
  }
}
