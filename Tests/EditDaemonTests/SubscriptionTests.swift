import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport
import Testing
import TextState

/// `editlog/subscribe`, and the client's `EditFollower`.
@Suite(.timeLimit(.minutes(10))) struct SubscriptionTests {
  private func texts(_ entries: [HistoryEntry]) -> [String] {
    entries.map {
      switch $0 {
      case .edit(let edit): String(edit.action.replacement ?? "")
      case .event(let event):
        if case .mark(let label, _) = event.kind { "mark \(label)" } else { "event" }
      }
    }
  }

  @Test func oldEntriesThenNewOnes() async throws {
    try await withClient { client, daemon in
      for index in 1...5 { _ = try await client.append("a", put("\(index)", at: index - 1)) }
      _ = try await client.call(MarkRequest(document("a"), label: "m"))
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: HistoryPosition(after: 2)))
      #expect(subscriber.answer.from == HistoryPosition(after: 2))
      #expect(texts(try await subscriber.entries(4)) == ["3", "4", "5", "mark m"])
      _ = try await client.call(MarkRequest(document("a"), label: "n"))
      _ = try await client.append("a", put("6", at: 5))
      _ = try await client.append("b", put("other"))
      _ = try await client.append("a", put("7", at: 6))
      #expect(texts(try await subscriber.entries(3)) == ["mark n", "6", "7"])
      await subscriber.client.close()
    }
  }

  /// A reader that is too far behind gets the newest version in the place of the entries, once.
  @Test(arguments: [false, true]) func aSlowReaderGetsASnapshot(changes: Bool) async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("0"))
      var subscriber = try await Subscriber(
        daemon,
        SubscribeRequest(
          document("a"), from: HistoryPosition(), credit: 0, changes: changes, snapshotAfter: 100))
      for index in 1...150 { _ = try await client.append("a", put("x", at: index)) }
      _ = try await subscriber.client.call(CreditRequest(subscription: 1, credit: 1_000))
      let snapshot = try await subscriber.next()
      #expect(snapshot.isSnapshot && snapshot.entries.isEmpty && snapshot.changes == nil)
      #expect(snapshot.next == HistoryPosition(after: 151))
      for index in 1...80 { _ = try await client.append("a", put("y", at: 150 + index)) }
      var sequences: [SequenceNumber] = []
      var changed: [GroupChange] = []
      while sequences.count < 80 {
        let delivery = try await subscriber.next()
        #expect(!delivery.isSnapshot)
        sequences += delivery.entries.compactMap {
          if case .edit(let edit) = $0 { edit.sequence } else { nil }
        }
        changed += delivery.changes ?? []
      }
      #expect(sequences == Array(152...231))
      #expect(changed.map(\.last) == (changes ? Array(152...231) : []))
      await subscriber.client.close()
    }
  }

  /// Clients with many subscriptions that do not read hold nothing that others wait for: no place, no
  /// descriptor.
  @Test func deafSubscribersDelayNobody() async throws {
    try await withClient { client, daemon in
      let text = String(repeating: "x", count: 2_000)
      for _ in 0..<100 { _ = try await client.append("a", put(text)) }
      let before = openFileCount()
      var deaf: [RawClient] = []
      for _ in 0..<20 {
        let raw = try await RawClient(to: daemon.socket, isReading: false)
        try await raw.send(
          (0..<64).map { _ in
            ("editlog/subscribe", ["document": "a", "after": 0, "credit": 1_000_000])
          })
        deaf.append(raw)
      }
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: HistoryPosition(), credit: 100_000))
      #expect(try await subscriber.entries(100).count == 100)
      for index in 0..<20 {
        _ = try await client.append("a", put("\(index)"))
        #expect(texts(try await subscriber.next().entries) == ["\(index)"])
      }
      // Both ends of each connection, and a few that the store and other tests open.
      #expect(openFileCount() - before < 20 * 2 + 100)
      await subscriber.client.close()
      for raw in deaf { try await raw.close() }
    }
  }

  private func openFileCount() -> Int {
    guard let listing = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(listing) }
    var count = 0
    while readdir(listing) != nil { count += 1 }
    return count
  }

  @Test func withoutAPlaceOnlyNewEntries() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("old"))
      var subscriber = try await Subscriber(daemon, SubscribeRequest(document("a")))
      #expect(subscriber.answer.from == HistoryPosition(after: 1))
      _ = try await client.append("a", put("new"))
      let delivery = try await subscriber.next()
      #expect(texts(delivery.entries) == ["new"])
      #expect(delivery.next == HistoryPosition(after: 2))
      await subscriber.client.close()
    }
  }

  /// A later subscription continues where a delivery ended, between events too.
  @Test func aDeliveryTellsWhereToContinue() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("1"))
      for label in ["x", "y", "z"] {
        _ = try await client.call(MarkRequest(document("a"), label: label))
      }
      var first = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: HistoryPosition(), credit: 2))
      // Credit is not exact for events: all that are known are sent.
      let delivery = try await first.next()
      await first.client.close()
      _ = try await client.call(MarkRequest(document("a"), label: "new"))
      _ = try await client.append("a", put("2"))
      var second = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: delivery.next))
      let rest = try await second.entries(6 - delivery.entries.count)
      #expect(
        texts(delivery.entries + rest) == ["1", "mark x", "mark y", "mark z", "mark new", "2"])
      await second.client.close()
    }
  }

  @Test func nothingIsSentWithoutCredit() async throws {
    try await withClient { client, daemon in
      for index in 0..<20 { _ = try await client.append("a", put("\(index)")) }
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: HistoryPosition(), credit: 0))
      let number = subscriber.answer.subscription
      #expect(
        try await subscriber.client.call(CreditRequest(subscription: number, credit: 3)).credit == 3
      )
      #expect(texts(try await subscriber.next().entries) == ["0", "1", "2"])
      let more = CreditRequest(subscription: number, credit: 7)
      #expect(try await subscriber.client.call(more).credit == 7)
      #expect(texts(try await subscriber.entries(7)) == (3..<10).map(String.init))
      _ = try await subscriber.client.call(UnsubscribeRequest(subscription: number))
      let error = await refusal { try await subscriber.client.call(more) }
      #expect(error?.code == .invalidParams)
      await subscriber.client.close()
    }
  }

  @Test func allDocumentsAndThoseThatComeLater() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("old"))
      var all = try await Subscriber(daemon, SubscribeRequest(nil, from: HistoryPosition()))
      var live = try await Subscriber(daemon, SubscribeRequest(nil))
      #expect(texts(try await all.entries(1)) == ["old"])
      for name in ["a", "b", "c", "a"] { _ = try await client.append(name, put("new \(name)")) }
      for count in 1...2 {
        var found: [String: [String]] = [:]
        for _ in 0..<4 where found.values.joined().count < 4 {
          let delivery = try await count == 1 ? all.next() : live.next()
          found[delivery.document.name, default: []] += texts(delivery.entries)
        }
        #expect(found == ["a": ["new a", "new a"], "b": ["new b"], "c": ["new c"]])
      }
      for subscriber in [all, live] { await subscriber.client.close() }
    }
  }

  private func rename(_ pairs: [(String, String)], _ client: EditLogClient) async throws {
    let files = pairs.map {
      DidRenameFilesParams.Rename(oldURI: document($0.0), newURI: document($0.1))
    }
    try await client.notify("workspace/didRenameFiles", DidRenameFilesParams(files: files).json)
  }

  /// A document that is renamed while it is read is sent once.
  @Test func renamesLeaveNothingOutAndDoubleNothing() async throws {
    try await withClient { client, daemon in
      _ = try await client.call("initialize")
      let count = 12_000
      for start in stride(from: 0, to: count, by: 400) {
        _ = try await client.append(
          AppendRequest(
            document: document("untitled:a"),
            edits: (start..<start + 400).map { put("x", at: $0) }))
      }
      var subscriber = try await Subscriber(
        daemon,
        SubscribeRequest(document("untitled:a"), from: HistoryPosition(), credit: 1_000_000))
      for _ in 0..<60 {
        try await rename([("untitled:a", "untitled:b")], client)
        try await rename([("untitled:b", "untitled:a")], client)
      }
      _ = try await client.append("untitled:a", put("last"))
      var (numbers, renames) = ([SequenceNumber](), 0)
      while numbers.last != SequenceNumber(count + 1) {
        for entry in try await subscriber.next().entries {
          switch entry {
          case .edit(let edit): numbers.append(edit.sequence)
          case .event: renames += 1
          }
        }
      }
      #expect(numbers == Array(1...SequenceNumber(count + 1)))
      #expect(renames == 120)
      await subscriber.client.close()
    }
  }

  /// Documents that exchange their names keep their followers.
  @Test func exchangedNamesKeepTheirFollowers() async throws {
    try await withClient { client, daemon in
      _ = try await client.call("initialize")
      for name in ["a", "b"] { _ = try await client.append("untitled:\(name)", put("of \(name)")) }
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("untitled:a"), from: HistoryPosition()))
      for round in 0..<10 {
        try await rename(
          [
            ("untitled:a", "untitled:c"), ("untitled:b", "untitled:a"),
            ("untitled:c", "untitled:b"),
          ], client)
        let (own, other) = round % 2 == 0 ? ("b", "a") : ("a", "b")
        _ = try await client.append("untitled:\(other)", put("no"))
        _ = try await client.append("untitled:\(own)", put("\(round)"))
      }
      var texts: [String] = []
      while texts.last != "9" {
        texts += self.texts(try await subscriber.next().entries).filter { $0 != "event" }
      }
      #expect(texts == ["of a"] + (0..<10).map(String.init))
      await subscriber.client.close()
    }
  }

  /// Events that follow an edit from before the subscription are new.
  @Test func newEventsOfAllDocumentsAreSent() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("old"))
      _ = try await client.call(MarkRequest(document("a"), label: "old"))
      var subscriber = try await Subscriber(daemon, SubscribeRequest(nil))
      for label in ["x", "y"] {
        _ = try await client.call(MarkRequest(document("a"), label: label))
      }
      _ = try await client.append("a", put("new"))
      #expect(texts(try await subscriber.entries(3)) == ["mark x", "mark y", "new"])
      await subscriber.client.close()
    }
  }

  @Test func eventsCostCreditToo() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("1"))
      for index in 0..<50 {
        _ = try await client.call(MarkRequest(document("a"), label: "\(index)"))
      }
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: HistoryPosition(), credit: 10))
      let first = try await subscriber.next()
      #expect(first.entries.count == 10 && first.next == HistoryPosition(after: 1, events: 9))
      let more = CreditRequest(subscription: subscriber.answer.subscription, credit: 41)
      _ = try await subscriber.client.call(more)
      #expect(texts(try await subscriber.entries(41)) == (9..<50).map { "mark \($0)" })
      await subscriber.client.close()
    }
  }

  /// A subscription that has ended does not count towards the limit of its connection.
  @Test func endedSubscriptionsAreRemoved() async throws {
    try await withClient { client, daemon in
      for index in 0..<70 {
        _ = try await client.append("\(index)", put("x"))
        let answer = try await client.call(SubscribeRequest(document("\(index)")))
        _ = try await client.call("editlog/forget", ["document": JSON("\(index)")])
        try await until {
          await refusal {
            try await client.call(
              CreditRequest(subscription: answer.subscription, credit: 1))
          } != nil
        }
      }
    }
  }

  @Test func refusals() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("x"))
      let unknown = await refusal { try await client.call(SubscribeRequest(document("b"))) }
      #expect(unknown?.code == .unknownDocument)
      let beyond = await refusal {
        try await client.call(
          SubscribeRequest(document("a"), from: HistoryPosition(after: 2)))
      }
      #expect(beyond?.code == .unknownPoint)
      let place = await refusal {
        try await client.call(SubscribeRequest(nil, from: HistoryPosition(after: 1)))
      }
      #expect(place?.code == .invalidParams)
      for _ in 0..<64 { _ = try await client.call(SubscribeRequest(document("a"))) }
      let many = await refusal { try await client.call(SubscribeRequest(document("a"))) }
      #expect(many?.code == .overloaded)
      // Refused subscriptions do not count towards the limit.
      _ = try await client.call(UnsubscribeRequest(subscription: 10))
    }
  }

  @Test func aForgottenDocumentEndsItsSubscription() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("x"))
      var subscriber = try await Subscriber(daemon, SubscribeRequest(document("a")))
      _ = try await client.call("editlog/forget", ["document": "a"])
      _ = try await client.append("a", put("y"))
      let delivery = try await subscriber.next()
      // The new document of this name is another history.
      #expect(delivery.error != nil && delivery.entries.isEmpty)
      await subscriber.client.close()
    }
  }

  /// A subscriber that does not read does not delay other clients.
  @Test func aSubscriberThatDoesNotReadDoesNotDelayOthers() async throws {
    try await withClient { client, daemon in
      let text = String(repeating: "text ", count: 20_000)
      _ = try await client.append("a", put(text))
      var raw = try await RawClient(to: daemon.socket, isReading: false)
      try await raw.send([
        (
          "editlog/subscribe",
          ["document": "a", "after": 0, "credit": JSON(SubscribeRequest.creditMax)]
        )
      ])
      for _ in 0..<60 { _ = try await client.append("a", put(text)) }
      try await raw.startReading()
      var count = 0
      while count < 61, let json = await raw.next() {
        if case .array(let entries)? = json["params"]?["entries"] { count += entries.count }
      }
      #expect(count == 61)
      try await raw.close()
    }
  }

  /// Two followers hold the same text as the log, through daemons that are killed.
  @Test(arguments: [1] as [UInt64]) func twoFollowersHoldTheSameText(seed: UInt64) async throws {
    let folder = TemporaryFolder()
    let socket = RunningDaemon.socket(in: folder)
    let (editCount, killCount) = (6_000, 3)
    let finished = Finished()
    let child = try ChildDaemon(in: folder)
    _ = try await child.run { signal in
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("a", put("start"))
      await client.close()
      signal(SIGTERM)
    }
    let followers = (0..<2).map { _ in
      Task { try await Self.follow("a", at: socket, through: editCount + 1, finished) }
    }
    var generator = EditGenerator(seed: seed, lengthGoal: 2_000)
    var state = TextState()
    try state.advance(by: put("start").action)
    for _ in 0...killCount {
      _ = try await child.run { signal in
        let client = try await EditLogClient.connect(to: socket)
        for _ in 0..<(editCount / (killCount + 1)) {
          let action = generator.valid(length: state.length)
          try state.advance(by: action)
          _ = try await client.append("a", AppendEdit(action: action))
        }
        await client.close()
        signal(SIGKILL)
      }
    }
    _ = try await child.run { signal in
      try await until { finished.count == 2 }
      signal(SIGTERM)
    }
    let texts = try await [followers[0].value, followers[1].value]
    #expect(texts[0] == texts[1], "seed \(seed)")
    #expect(texts[0].count == editCount / 500 + 1)
    #expect(texts[0].last == state.text)
  }

  private final class Finished: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  /// Follows a document through its edit `last`. Returns its text after each 500 edits, and at the end.
  private static func follow(
    _ name: String, at socket: String, through last: Int, _ finished: Finished
  ) async throws -> [UTF16Text] {
    defer { finished.add() }
    var (state, texts) = (TextState(), [UTF16Text]())
    let follower = EditFollower(document(name), at: socket, from: HistoryPosition())
    var iterator = follower.makeAsyncIterator()
    var isConnected = false
    while state.sequence < SequenceNumber(last) {
      let next: Delivery?
      do { next = try await iterator.next() } catch let error as ProtocolError
        where !isConnected && error.code == .unreachable
      {
        // The daemon does not run yet, or was killed before the first attempt.
        try await Task.sleep(for: .milliseconds(1))
        continue
      }
      isConnected = true
      guard let delivery = next else { break }
      for case .edit(let edit) in delivery.entries {
        #expect(edit.sequence == state.sequence + 1)
        try state.advance(by: edit.action)
        if edit.sequence % 500 == 0 { texts.append(state.text) }
      }
    }
    return texts + [state.text]
  }
}

extension EditGenerator {
  /// An action that fits a text of `length` units.
  fileprivate mutating func valid(length: Int) -> EditAction {
    while true {
      let action = action(length: length)
      do throws(EditError) {
        try action.validate(textLength: length)
        return action
      } catch {}
    }
  }
}
