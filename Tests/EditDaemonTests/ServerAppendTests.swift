import DaemonTestSupport
import EditClient
import EditDaemon
import EditIngest
import EditJSON
import EditModel
import EditProtocol
import Testing
import TestSupport

/// `editlog/append` over a real socket.
@Suite(.timeLimit(.minutes(10))) struct ServerAppendTests {
  @Test func appendsAreAcknowledgedOnce() async throws {
    try await withClient { client, _ in
      let first = try await client.append(
        "a", put("hello"), put(" you", at: 5), ticket: try ticket(1))
      #expect((first.first, first.sequence, first.durable, first.duplicate) == (1, 2, true, false))
      #expect(first.head != nil)
      let again = try await client.append(
        "a", put("hello"), put(" you", at: 5), ticket: try ticket(1))
      #expect((again.first, again.sequence, again.durable, again.duplicate) == (1, 2, true, true))
      #expect(try await client.text(of: "a") == "hello you")
      let edits = try await client.edits(of: "a")
      #expect(edits.map(\.sequence) == [1, 2])
      #expect(edits.allSatisfy { $0.session?.name == "run" && $0.counter == 1 })
    }
  }

  @Test func appendsDoNotMakeATextLongerThanAllowed() async throws {
    try await withDaemon({ $0.ingest.textLengthMax = 5 }) { daemon in
      let client = try await daemon.connect()
      _ = try await client.append("a", put("12345"), ticket: try ticket(1))
      let error = try await #require(throws: ProtocolError.self) {
        try await client.append("a", put("6"), ticket: try ticket(2))
      }
      #expect(error.code == .tooLarge && error.message.contains("text-max"))
      // What an editor holds is logged, and what makes a text shorter is always allowed.
      let id = document("a")
      try await client.notify("textDocument/didOpen", DidOpenParams(uri: id, text: "1234567").json)
      try await client.notify("textDocument/didClose", TextDocumentParams(uri: id).json)
      let shorter = EditAction(replacing: UTF16Range(0..<1), with: UTF16Text(""))
      _ = try await client.append("a", AppendEdit(action: shorter), ticket: try ticket(3))
      #expect(try await client.text(of: "a") == "234567")
      await client.close()
    }
  }

  /// A program that logs each edit as it is made has none left when it saves.
  @Test func aSaveIsLoggedWithoutEdits() async throws {
    try await withClient { client, _ in
      func save(_ name: String, base: SequenceNumber?) async throws -> AppendResult {
        try await client.append(
          AppendRequest(document: document(name), base: base, isSaved: true, edits: []))
      }
      let unknown = await refusal { _ = try await save("a", base: nil) }
      #expect(unknown?.code == .unknownDocument)
      _ = try await client.append("a", put("text"), ticket: try ticket(1))
      let saved = try await save("a", base: 1)
      #expect((saved.sequence, saved.durable, saved.duplicate) == (1, true, false))
      #expect(saved.head != nil)
      #expect(await refusal { _ = try await save("a", base: 0) }?.code == .sequenceConflict)
      _ = try await client.append("a", put("more "), ticket: try ticket(2))
      _ = try await save("a", base: nil)
      let digests = try ["text", "more text"].map { text in
        try #require(ContentDigest(bytes: SHA256.hash(Array(text.utf8))))
      }
      #expect(try await client.events(of: "a").suffix(2) == digests.map { .saved($0) })
      #expect(try await client.text(of: "a", at: "save:-2") == "text")
      // An editor tells its own saves.
      let open = DidOpenParams(uri: document("a"), text: "more text").json
      try await client.notify("textDocument/didOpen", open)
      #expect(await refusal { _ = try await save("a", base: nil) }?.code == .openInEditor)
    }
  }

  /// D9: a true duplicate gets its first answer, head included, and now or after a restart; other edits
  /// under the same counter are a conflict that names it.
  @Test(arguments: [false, true])
  func aResendIsComparedWithWhatWasLogged(isRestarted: Bool) async throws {
    let folder = TemporaryFolder()
    func request(_ counter: UInt64, _ edits: [AppendEdit]) throws -> AppendRequest {
      AppendRequest(
        document: document("a"), ticket: try ticket(counter), author: "me", edits: edits)
    }
    let bold = AppendEdit(
      action: try EditAction(
        range: UTF16Range(0..<2), replacement: nil,
        attributes: .merge([AttributeRun(length: 2, attributes: ["bold": .double(.nan)])])))
    let requests = [
      try request(1, [put("one"), put("\u{1F600}", at: 1), bold]), try request(2, [put("two")]),
      try request(3, (0..<1_500).map { _ in put("3") }), try request(4, [put("four"), put("4")]),
    ]
    var answers: [AppendResult] = []
    let send = { (client: EditLogClient) in
      for request in requests { answers.append(try await client.append(request)) }
    }
    let resend = { (client: EditLogClient) in
      let text = try await client.text(of: "a")
      for (request, answer) in zip(requests, answers) {
        var expected = answer
        expected.duplicate = true
        #expect(try await client.append(request) == expected)
        let others = [
          request.edits + [put("x")], Array(request.edits.dropLast()) + [put("x")],
          [put("x")] + request.edits.dropFirst(),
        ]
        for edits in others {
          var other = request
          other.edits = edits
          let error = await refusal { try await client.append(other) }
          #expect(error?.code == .sequenceConflict)
          #expect(error?.details["counter"] == JSON(request.ticket?.counter ?? 0))
          #expect(error?.details["first"] == JSON(answer.first))
        }
        var other = request
        other.author = "you"
        #expect(await refusal { try await client.append(other) }?.code == .sequenceConflict)
      }
      #expect(try await client.text(of: "a") == text)
      // The session continues.
      #expect(try await client.append(try request(5, [put("5")])).duplicate == false)
    }
    try await withClient(in: folder) { client, _ in
      try await send(client)
      if !isRestarted { try await resend(client) }
    }
    guard isRestarted else { return }
    try await withClient(in: folder) { client, _ in try await resend(client) }
  }

  @Test func anotherBaseIsAConflict() async throws {
    try await withClient { client, _ in
      _ = try await client.append("a", put("one"), base: 0)
      let error = await refusal { try await client.append("a", put("two"), base: 0) }
      #expect(error?.code == .sequenceConflict)
      #expect(error?.details["latest"] == 1)
      #expect(try await client.text(of: "a") == "one")
      #expect(try await client.append("a", put("two", at: 3), base: 1).sequence == 2)
    }
  }

  @Test func aRequestIsLoggedWholeOrNotAtAll() async throws {
    try await withClient { client, _ in
      let bad = [put("one"), put("two", at: 3), put("three", at: 7)]
      let error = await refusal { try await client.append("a", bad[0], bad[1], bad[2]) }
      #expect(error?.code == .invalidEdit)
      #expect(error?.message.contains("edits[2]") == true || error?.details["index"] == 2)
      #expect(await refusal { try await client.text(of: "a") }?.code == .unknownDocument)
      _ = try await client.append("a", bad[0], bad[1])
      #expect(
        await refusal { try await client.append("a", bad[0], bad[1], put("", at: 9, over: 9)) }
          != nil)
      #expect(try await client.text(of: "a") == "onetwo")
      #expect(try await client.append("a", put("!", at: 6)).sequence == 3)
    }
  }

  @Test func twoClientsInterleave() async throws {
    try await withDaemon { daemon in
      let results = try await withThrowingTaskGroup(of: [SequenceNumber].self) { group in
        for letter in ["x", "y"] {
          group.addTask {
            let client = try await daemon.connect()
            var sequences: [SequenceNumber] = []
            for _ in 0..<60 { sequences.append(try await client.append("a", put(letter)).sequence) }
            await client.close()
            return sequences
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for sequences in results { #expect(sequences == sequences.sorted()) }
      #expect(results.flatMap(\.self).sorted() == Array(1...120))
      let client = try await daemon.connect()
      let text = try await client.text(of: "a")
      #expect(text.filter { $0 == "x" }.count == 60 && text.count == 120)
    }
  }

  @Test func aThousandAppendsAtOnceKeepTheirOrder() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let requests = try (0..<1_000).map { index in
        let edit = put(["a", "b", "c"][index % 3], at: index)
        let request = AppendRequest(
          document: document("a"), base: UInt64(index), ticket: try ticket(UInt64(index + 1)),
          edits: [edit])
        return (method: "editlog/append", params: request.json)
      }
      try await raw.send(requests)
      for index in 1...1_000 {
        let answer = try #require(await raw.next())
        guard answer["id"] == JSON(index), answer["result"]?["sequence"] == JSON(index) else {
          Issue.record("answer \(index): \(answer)")
          break
        }
      }
      let client = try await daemon.connect()
      #expect(try await client.text(of: "a").hasPrefix("abcabc"))
      #expect(try await client.entries(of: "a").count == 1_000)
    }
  }

  /// Sent again after a restart, any request of a session gets its first answer.
  @Test func resendsAfterARestartGetTheirFirstAnswers() async throws {
    let folder = TemporaryFolder()
    var answers: [AppendResult] = []
    let requests = try (1...6).map { count in
      AppendRequest(
        document: document("a"), ticket: try ticket(UInt64(count) * 3),
        edits: (0..<count).map { _ in put("\(count)") })
    }
    try await withClient(in: folder) { client, _ in
      for request in requests { answers.append(try await client.append(request)) }
    }
    try await withClient(in: folder) { client, _ in
      for (request, answer) in zip(requests, answers).reversed() {
        let again = try await client.append(request)
        #expect((again.first, again.sequence) == (answer.first, answer.sequence))
        #expect(again.durable && again.duplicate)
      }
      #expect(try await client.entries(of: "a").count == 21)
    }
  }

  /// The same while the first copies still wait to be written.
  @Test func resendsOfWhatIsUnderWayGetTheSameAnswers() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let requests = try (1...40).map { count in
        let request = AppendRequest(
          document: document("a"), ticket: try ticket(UInt64(count)), edits: [put("x"), put("y")])
        return (method: "editlog/append", params: request.json)
      }
      try await raw.send(requests + requests)
      for index in 1...80 {
        let result = try #require(await raw.next())["result"]
        #expect(result?["sequence"] == JSON((index - 1) % 40 * 2 + 2), "answer \(index)")
        #expect(result?["duplicate"] == .bool(index > 40), "answer \(index)")
      }
    }
  }

  /// What was refused is never called a duplicate, though a later request was logged.
  @Test func aRefusedRequestIsNoDuplicate() async throws {
    try await withClient { client, _ in
      let refused = await refusal {
        try await client.append("a", put("x", at: 5), ticket: try ticket(1))
      }
      #expect(refused?.code == .invalidEdit)
      _ = try await client.append("a", put("hello"), ticket: try ticket(2))
      let again = await refusal {
        try await client.append("a", put("x", at: 5), ticket: try ticket(1))
      }
      #expect(again?.code == .sequenceConflict)
      #expect(try await client.text(of: "a") == "hello")
    }
  }

  @Test func labelsBecomeTransactions() async throws {
    try await withClient { client, _ in
      _ = try await client.append(
        "a", put("1", transaction: 7), put("2", transaction: 7), put("3"), put("4"),
        put("5", transaction: 7), put("6", transaction: 8), put("7", transaction: 8))
      _ = try await client.append("a", put("8", transaction: 8), put("9", transaction: 8))
      #expect(try await client.edits(of: "a").map(\.transaction) == [1, 1, 3, 4, 5, 6, 6, 8, 8])
    }
  }

  @Test func aClientsTimeIsKeptAsFarAsItCanBe() async throws {
    try await withClient { client, _ in
      let (past, future) = (Int64(1_000_000_000_000_000_000), Int64.max)
      _ = try await client.append("a", put("1", time: past), put("2", time: past - 5))
      _ = try await client.append("a", put("3", time: past + 7), put("4", time: future), put("5"))
      _ = try await client.append("a", put("6", time: past))
      let edits = try await client.edits(of: "a")
      let times = edits.map(\.time.nanoseconds)
      #expect(times[..<3] == [past, past, past + 7])
      #expect(times == times.sorted())
      #expect(times[3] < future && times[5] >= times[3])
      // The clock's own times are in milliseconds.
      #expect(times[3...].allSatisfy { $0.isMultiple(of: 1_000_000) })
      #expect(
        edits.map { $0.clientTime?.nanoseconds } == [nil, past - 5, nil, future, nil, past])
    }
  }

  @Test func authorsAndOriginsAreKept() async throws {
    try await withClient { client, _ in
      var edits = [put("1"), put("2")]
      (edits[1].author, edits[1].origin) = ("brix", .paste)
      _ = try await client.append(
        AppendRequest(document: document("a"), author: "ada", origin: .program, edits: edits))
      let logged = try await client.edits(of: "a")
      #expect(logged.map(\.author) == ["ada", "brix"])
      #expect(logged.map(\.origin) == [.program, .paste])
    }
  }
}
