import DaemonTestSupport
import EditClient
import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import TestSupport
import Testing

/// `editlog/subscribe` in the native dialect. The code behind it is that of `SubscriptionTests`.
@Suite(.timeLimit(.minutes(10))) struct NativeSubscriptionTests {
  /// Runs `body` with a JSON client and a native connection that has said hello.
  private func withConnection(
    _ body: (EditLogClient, inout NativeConnection, RunningDaemon) async throws -> Void
  ) async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      try await body(client, &connection, daemon)
      // The daemon may have closed it.
      try? await connection.close()
    }
  }

  /// The next `count` entries of a subscription, and the place after them.
  private func entries(
    _ count: Int, of number: Int = 1, _ connection: inout NativeConnection
  ) async throws -> (entries: [HistoryEntry], next: HistoryPosition) {
    var (entries, next) = ([HistoryEntry](), HistoryPosition())
    while entries.count < count {
      guard case .delivered(let delivery) = try #require(await connection.settled()) else {
        Issue.record("no delivery")
        break
      }
      #expect(delivery.subscription == number)
      entries += delivery.entries
      next = delivery.next
    }
    return (entries, next)
  }

  private func end(_ connection: inout NativeConnection) async throws -> NativeEnd {
    while true {
      switch try #require(await connection.settled()) {
      case .ended(let end): return end
      case .delivered(let delivery): #expect(delivery.entries.isEmpty, "\(delivery)")
      case .subscribed: continue
      case let other: Issue.record("\(other)")
      }
    }
  }

  /// The oracle: `editlog/log`, and a JSON subscription of the same entries.
  @Test(arguments: [1, 2] as [UInt64]) func bothDialectsDeliverTheSame(seed: UInt64) async throws {
    try await withConnection { client, connection, daemon in
      var generator = EditGenerator(seed: seed)
      _ = try await client.append("a", put("start"))
      var length = 5
      let long = String(repeating: "long \u{1F600} ", count: 30_000)
      for index in 0..<60 {
        var edits: [AppendEdit] = []
        let before = length
        for _ in 0..<(1 + generator.below(24)) {
          let action = generator.action(length: length)
          length = max(0, length + action.changeInLength)
          edits.append(AppendEdit(action: action, origin: .paste, author: "Ada"))
        }
        let request = AppendRequest(
          document: document("a"), ticket: try ticket(UInt64(index) + 1, of: "s"), edits: edits)
        if await refusal({ try await client.append(request) }) != nil { length = before }
        if index % 10 == 3 {
          _ = try await client.call(MarkRequest(document("a"), label: "m\(index)"))
        }
        if index == 30 {
          _ = try await client.append("a", put(long))
          length += long.utf16.count
        }
      }
      let logged = try await client.entries(of: "a")
      #expect(logged.count > 100)
      // What is live comes over the same feed.
      let half = HistoryPosition(after: 17)
      try await connection.send(
        NativeFollowing(
          1, SubscribeRequest(document("a"), from: half, credit: SubscribeRequest.creditMax)))
      #expect(
        await connection.settled() == .subscribed(SubscribeAnswer(subscription: 1, from: half)))
      let (stream, continuation) = AsyncStream<Delivery>.limited()
      var options = EditLogClient.Options()
      options.onNotification = { _, params in
        if let delivery = try? Delivery(params: params) { continuation.yield(delivery) }
      }
      let follower = try await EditLogClient.connect(to: daemon.socket, options: options)
      _ = try await follower.call(
        SubscribeRequest(document("a"), from: half, credit: SubscribeRequest.creditMax))
      _ = try await client.append("a", put("live"))
      let expected = try await client.entries(of: "a").filter {
        $0.isEdit ? $0.place > 17 : $0.place >= 17
      }
      let (native, next) = try await entries(expected.count, &connection)
      var (json, last) = ([HistoryEntry](), HistoryPosition())
      for await delivery in stream {
        json += delivery.entries
        last = delivery.next
        if json.count >= expected.count { break }
      }
      #expect(native == expected && native == json, "seed \(seed)")
      #expect(next == last)
      await follower.close()
    }
  }

  @Test func nothingIsSentWithoutCreditOrAfterTheEnd() async throws {
    try await withConnection { client, connection, _ in
      for index in 0..<20 { _ = try await client.append("a", put("\(index)")) }
      try await connection.send(
        NativeFollowing(5, SubscribeRequest(document("a"), from: HistoryPosition(), credit: 0)))
      guard case .subscribed? = await connection.settled() else {
        Issue.record("not subscribed")
        return
      }
      try await connection.send(NativeFollowing(CreditRequest(subscription: 5, credit: 3)))
      #expect(try await entries(3, of: 5, &connection).next == HistoryPosition(after: 3))
      try await connection.send(NativeFollowing(UnsubscribeRequest(subscription: 5)))
      try await connection.send(NativeFollowing(CreditRequest(subscription: 5, credit: 3)))
      let end = try await end(&connection)
      #expect(end.subscription == 5 && end.document == nil && end.error.code == .invalidParams)
    }
  }

  @Test func allDocumentsAndThoseThatComeLater() async throws {
    try await withConnection { client, connection, _ in
      _ = try await client.append("a", put("old"))
      try await connection.send(NativeFollowing(1, SubscribeRequest(nil, from: HistoryPosition())))
      #expect(await connection.settled() == .subscribed(SubscribeAnswer(subscription: 1)))
      for name in ["b", "a"] { _ = try await client.append(name, put("new")) }
      var found: [String: Int] = [:]
      while found.values.reduce(0, +) < 3 {
        guard case .delivered(let delivery)? = await connection.settled() else {
          Issue.record("no delivery")
          return
        }
        found[delivery.document.name, default: 0] += delivery.entries.count
      }
      #expect(found == ["a": 2, "b": 1])
    }
  }

  @Test func refusals() async throws {
    try await withConnection { client, connection, _ in
      _ = try await client.append("a", put("x"))
      func refused(_ frame: NativeFollowing) async throws -> ProtocolError.Code {
        try await connection.send(frame)
        let end = try await end(&connection)
        #expect(end.subscription == frame.number && end.document == nil)
        return end.error.code
      }
      let unknown = NativeFollowing(1, SubscribeRequest(document("b")))
      #expect(try await refused(unknown) == .unknownDocument)
      let beyond = NativeFollowing(
        2, SubscribeRequest(document("a"), from: HistoryPosition(after: 2)))
      #expect(try await refused(beyond) == .unknownPoint)
      let place = NativeFollowing(3, SubscribeRequest(nil, from: HistoryPosition(after: 1)))
      #expect(try await refused(place) == .invalidParams)
      // A number is not used again.
      let again = NativeFollowing(2, SubscribeRequest(document("a")))
      #expect(try await refused(again) == .invalidParams)
      for number in 10..<74 {
        try await connection.send(NativeFollowing(number, SubscribeRequest(document("a"))))
      }
      let many = NativeFollowing(100, SubscribeRequest(document("a")))
      #expect(try await refused(many) == .overloaded)
    }
  }

  @Test func aForgottenDocumentEndsItsSubscription() async throws {
    try await withConnection { client, connection, _ in
      _ = try await client.append("a", put("x"))
      try await connection.send(NativeFollowing(1, SubscribeRequest(document("a"))))
      guard case .subscribed? = await connection.settled() else {
        Issue.record("not subscribed")
        return
      }
      _ = try await client.call("editlog/forget", ["document": "a"])
      let end = try await end(&connection)
      #expect(end.subscription == 1 && end.document == document("a"))
      #expect(end.error.code == .unknownDocument)
    }
  }

  /// A connection appends and follows at once, and what it sent before is logged before it follows.
  @Test func aConnectionFollowsWhatItAppends() async throws {
    try await withConnection { _, connection, _ in
      try await connection.send(
        NativeConnection.batch("a", 1, [put("x"), put("y")]))
      try await connection.send(
        NativeFollowing(1, SubscribeRequest(document("a"), from: HistoryPosition())))
      try await connection.send(NativeConnection.batch("a", 2, [put("z")]))
      var (acknowledged, delivered) = (UInt64(0), 0)
      while acknowledged < 2 || delivered < 3 {
        switch try #require(await connection.settled()) {
        case .ack(let ack): acknowledged = ack.counters.upperBound
        case .delivered(let delivery): delivered += delivery.entries.count
        case .subscribed: break
        case let other:
          Issue.record("\(other)")
          return
        }
      }
      #expect(delivered == 3)
    }
  }

  /// A frame that cannot be read ends the connection, with the reason.
  @Test func aFrameThatCannotBeReadEndsTheConnection() async throws {
    for kind in [NativeFrame.Kind.subscribe, .credit, .unsubscribe, .deliver, .ended] {
      try await withConnection { _, connection, _ in
        var bytes = ByteWriter()
        NativeFrame.write(kind, to: &bytes) { $0.write(bytes: [0, 0, 0]) }
        try await connection.send(bytes.bytes)
        guard case .nack(let nack)? = await connection.settled() else {
          Issue.record("no refusal of \(kind)")
          return
        }
        #expect(nack.counter == 0)
        #expect([.invalidParams, .parseError].contains(nack.error.code))
        #expect(await connection.settled() == nil)
      }
    }
  }
}
