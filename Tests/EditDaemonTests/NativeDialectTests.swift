import DaemonTestSupport
import EditClient
import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import TestSupport
import Testing

/// The native dialect over a real socket.
@Suite(.timeLimit(.minutes(10))) struct NativeDialectTests {
  /// The acknowledgements and refusals of the counters up to `last`.
  private func outcomes(
    _ connection: inout NativeConnection, through last: UInt64
  ) async -> [NativeAnswer] {
    var (answers, counter) = ([NativeAnswer](), UInt64(0))
    while counter < last, let answer = await connection.settled() {
      answers.append(answer)
      switch answer {
      case .ack(let ack): counter = ack.counters.upperBound
      case .nack(let nack): counter = nack.counter
      case .grant, .pong, .subscribed, .delivered, .ended: break
      }
    }
    return answers
  }

  @Test func batchesAreAcknowledgedInTheirOrder() async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello(author: "Ada")
      guard case .grant(let grant)? = await connection.next() else {
        Issue.record("no grant")
        return
      }
      #expect(grant.byteCount > 0 && grant.bodySizeMax > 0)
      var bytes: [UInt8] = []
      for counter in 1...1_000 as ClosedRange<UInt64> {
        bytes += try NativeConnection.batch("a", counter, [put("x", at: Int(counter) - 1)])
      }
      try await connection.send(bytes)
      var (next, hasHead): (UInt64, Bool) = (1, false)
      for answer in await outcomes(&connection, through: 1_000) {
        guard case .ack(let ack) = answer else {
          Issue.record("\(answer)")
          return
        }
        #expect(ack.counters.lowerBound == next && ack.edits == ack.counters)
        #expect(!ack.isDuplicate)
        hasHead = ack.head != nil
        next = ack.counters.upperBound + 1
      }
      #expect(hasHead)
      #expect(try await client.text(of: "a") == String(repeating: "x", count: 1_000))
      let edits = try await client.edits(of: "a")
      #expect(edits.map(\.counter) == Array(1...1_000))
      #expect(edits.allSatisfy { $0.session?.name == "run" && $0.author == "Ada" })
      try await connection.close()
    }
  }

  @Test func aResendIsADuplicateWithItsFirstNumbers() async throws {
    try await withDaemon { daemon in
      for isResend in [false, true] {
        var connection = try await NativeConnection(to: daemon.socket)
        try await connection.hello()
        var bytes: [UInt8] = []
        for counter in 1...5 as ClosedRange<UInt64> {
          bytes += try NativeConnection.batch("a", counter, [put("x"), put("y")])
        }
        try await connection.send(bytes)
        var numbers: [UInt64] = []
        for answer in await outcomes(&connection, through: 5) {
          guard case .ack(let ack) = answer else {
            Issue.record("\(answer)")
            return
          }
          #expect(ack.isDuplicate == isResend)
          #expect(ack.edits.upperBound == 2 * ack.counters.upperBound)
          numbers += ack.counters
        }
        #expect(numbers == [1, 2, 3, 4, 5])
        try await connection.close()
      }
      let client = try await daemon.connect()
      #expect(try await client.edits(of: "a").count == 10)
      await client.close()
    }
  }

  /// Batches that are passed on together are still refused one by one.
  @Test func aBatchThatDoesNotFitIsRefusedAlone() async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      var bytes = try NativeConnection.batch("a", 1, [put("one")])
      bytes += try NativeConnection.batch("a", 2, [put("!", at: 99)])
      bytes += try NativeConnection.batch("a", 3, [put("2", at: 3)], base: 7)
      bytes += try NativeConnection.batch("a", 4, [put("3", at: 3)], base: 1)
      try await connection.send(bytes)
      let answers = await outcomes(&connection, through: 4)
      let refused = answers.compactMap { if case .nack(let nack) = $0 { nack } else { nil } }
      #expect(refused.map(\.counter) == [2, 3])
      #expect(refused.map(\.error.code) == [.invalidEdit, .sequenceConflict])
      #expect(refused.last?.error.details["latest"] == 1)
      #expect(try await client.text(of: "a") == "one3")
      try await connection.close()
    }
  }

  @Test func aMalformedBatchIsRefusedAndTheConnectionGoesOn() async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      var bytes = ByteWriter()
      NativeFrame.write(.batch, to: &bytes) { body in
        body.write(varint: 9)
        body.write(varint: 0)
        body.write(string: "a")
        body.write(varint: 200)
      }
      try await connection.send(bytes.bytes + NativeConnection.batch("a", 10, [put("x")]))
      let answers = await outcomes(&connection, through: 10)
      guard case .nack(let nack)? = answers.first, case .ack? = answers.last else {
        Issue.record("\(answers)")
        return
      }
      #expect(nack.counter == 9 && nack.error.code == .invalidParams)
      #expect(try await client.text(of: "a") == "x")
      try await connection.close()
    }
  }

  /// An edit of a document that an editor has open does not delay the session's other edits.
  @Test func anOpenDocumentDoesNotDelayOthers() async throws {
    try await withClient { client, daemon in
      let editor = try await daemon.connect()
      _ = try await editor.call("initialize", ["clientInfo": ["name": "MyEditor"]])
      let open = DidOpenParams(uri: document("untitled:a"), text: "text").json
      try await editor.notify("textDocument/didOpen", open)
      #expect(try await editor.text(of: "untitled:a") == "text")
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      var bytes = try NativeConnection.batch("untitled:a", 1, [put("no")])
      for counter in 2...5 as ClosedRange<UInt64> {
        bytes += try NativeConnection.batch("b", counter, [put("x")])
      }
      try await connection.send(bytes)
      let answers = await outcomes(&connection, through: 5)
      guard case .nack(let nack)? = answers.first, case .ack(let ack)? = answers.last else {
        Issue.record("\(answers)")
        return
      }
      #expect(nack.error.code == .openInEditor && ack.counters.upperBound == 5)
      #expect(nack.error.message.contains("open in MyEditor"))
      #expect(try await client.text(of: "b") == "xxxx")
      try await connection.close()
      await editor.close()
    }
  }

  @Test func attributesOfABatchAreBounded() async throws {
    try await withDaemon { daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      let values = [AttributeValue](repeating: .bool(true), count: 300_000)
      let action = try EditAction(
        range: UTF16Range(0..<0), replacement: "x",
        attributes: .set([AttributeRun(length: 1, attributes: ["many": .list(values)])]))
      // The writer of a client refuses it before.
      var meta = ByteWriter()
      var content = ByteWriter()
      RecordCodec.encode(
        .edit(
          Edit(
            sequence: 1, action: action, origin: .typing, transaction: 1, author: nil,
            session: nil, counter: 0, time: Timestamp(nanoseconds: 0))),
        meta: &meta, content: &content)
      var frame = ByteWriter()
      NativeFrame.write(.batch, to: &frame) { body in
        for number in [1, 0] as [UInt64] { body.write(varint: number) }
        body.write(string: "a")
        body.write(varint: 1)
        body.write(count: meta.count)
        body.write(meta)
        body.write(count: content.count)
        body.write(content)
      }
      try await connection.send(frame.bytes + NativeConnection.batch("a", 2, [put("x")]))
      let answers = await outcomes(&connection, through: 2)
      guard case .nack(let nack)? = answers.first, case .ack? = answers.last else {
        Issue.record("\(answers)")
        return
      }
      #expect(nack.error.code == .invalidParams)
      try await connection.close()
    }
  }

  /// What came before damage is logged; nothing after it is.
  @Test func damageEndsTheConnection() async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      var damaged = try NativeConnection.batch("a", 2, [put("no")])
      damaged[damaged.count - 1] ^= 1
      try await connection.send(
        NativeConnection.batch("a", 1, [put("yes")]) + damaged
          + NativeConnection.batch("a", 3, [put("no")]))
      var last: NativeAnswer?
      while let answer = await connection.settled() {
        if case .nack = answer { last = answer }
      }
      guard case .nack(let nack)? = last else {
        Issue.record("no refusal")
        return
      }
      #expect(nack.counter == 0 && nack.error.code == .parseError)
      try await until { try await client.text(of: "a") == "yes" }
      #expect(try await client.edits(of: "a").count == 1)
    }
  }

  @Test func theFirstFrameIsAHello() async throws {
    try await withDaemon { daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.send(NativeConnection.batch("a", 1, [put("no")]))
      guard case .nack(let nack)? = await connection.next() else {
        Issue.record("no refusal")
        return
      }
      #expect(nack.counter == 0 && nack.error.message == "the first frame is a hello")
      #expect(await connection.next() == nil)
    }
  }

  @Test func aPingIsAnswered() async throws {
    try await withDaemon { daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      var bytes = ByteWriter()
      NativeFrame.write(.ping, to: &bytes) { $0.write(bytes: [1, 2, 3]) }
      try await connection.send(bytes.bytes)
      #expect(await connection.settled() == .pong([1, 2, 3]))
      try await connection.close()
    }
  }

  /// A large frame is read on another thread, and the grant grows with what is answered.
  @Test func largeBatchesKeepTheirOrder() async throws {
    try await withClient { client, daemon in
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello()
      let long = String(repeating: "long ", count: 40_000)
      var (bytes, length) = ([UInt8](), 0)
      var expected = ""
      for counter in 1...12 as ClosedRange<UInt64> {
        let text = counter % 3 == 0 ? long : "\(counter) "
        bytes += try NativeConnection.batch("a", counter, [put(text, at: length)])
        length += text.utf16.count
        expected += text
      }
      try await connection.send(bytes)
      var granted: UInt64 = 0
      var counter: UInt64 = 0
      while counter < 12, let answer = await connection.next() {
        switch answer {
        case .grant(let grant):
          #expect(grant.byteCount > granted)
          granted = grant.byteCount
        case .ack(let ack):
          #expect(ack.counters.lowerBound == counter + 1)
          counter = ack.counters.upperBound
        default: Issue.record("\(answer)")
        }
      }
      #expect(counter == 12)
      #expect(try await client.text(of: "a") == expected)
      try await connection.close()
    }
  }

  /// The oracle: the same requests over JSON make the same log.
  @Test(arguments: [1, 2] as [UInt64]) func bothDialectsLogTheSame(seed: UInt64) async throws {
    try await withClient { client, daemon in
      var generator = EditGenerator(seed: seed)
      var connection = try await NativeConnection(to: daemon.socket)
      try await connection.hello("native")
      var (bytes, length) = ([UInt8](), 0)
      for counter in 1...400 as ClosedRange<UInt64> {
        var edits: [AppendEdit] = []
        let before = length
        for _ in 0..<(1 + generator.below(4)) {
          let action = generator.action(length: length)
          length = max(0, length + action.changeInLength)
          edits.append(
            AppendEdit(
              action: action, time: Timestamp(nanoseconds: Int64(counter)),
              origin: generator.below(2) == 0 ? .paste : nil,
              transaction: generator.below(2) == 0 ? 1 : nil))
        }
        let request = AppendRequest(
          document: document("json"), ticket: try ticket(counter, of: "json"), edits: edits)
        if await refusal({ try await client.append(request) }) != nil { length = before }
        bytes += try NativeConnection.batch("native", counter, edits)
      }
      try await connection.send(bytes)
      _ = await outcomes(&connection, through: 400)
      let (json, native) = (
        try await client.edits(of: "json"), try await client.edits(of: "native")
      )
      #expect(json.count > 400 && json.count == native.count, "seed \(seed)")
      for (left, right) in zip(json, native) {
        var right = right
        (right.session, right.time, right.clientTime) = (left.session, left.time, left.clientTime)
        #expect(left == right)
      }
      try await connection.close()
    }
  }
}
