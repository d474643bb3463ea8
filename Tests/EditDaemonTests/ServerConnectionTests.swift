import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import NIOCore
import Testing
import TestSupport

/// What clients may do wrong, and what it costs them and others.
@Suite(.timeLimit(.minutes(10))) struct ServerConnectionTests {
  private static let status = (method: "editlog/status", params: JSON.null)

  /// A frame's end is known: what is in it does not matter for the next.
  @Test func aBrokenBodyIsAnsweredAndPassedOver() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let bodies: [(String, ProtocolError.Code)] = [
        ("{\"jsonrpc\": \"2.0\", ", .parseError), ("", .parseError), ("\u{0}", .parseError),
        ("[]", .invalidRequest), ("{}", .invalidRequest), ("7", .invalidRequest),
        (String(repeating: "[", count: 100_000), .parseError),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, .invalidRequest),
        (#"{"jsonrpc":"2.0","id":1,"method":"editlog/append","params":{}}"#, .invalidParams),
      ]
      for (index, (body, code)) in bodies.enumerated() {
        try await raw.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try #require(await raw.next())
        #expect(answer["error"]?["code"] == JSON(code.rawValue), "body \(index)")
        #expect(answer["id"] == (index < 7 ? .null : 1), "body \(index)")
      }
      try await raw.send([Self.status], from: 9)
      #expect(await raw.next()?["id"] == 9)
      try await raw.close()
    }
  }

  /// If the end of a frame is not known, the connection gets one error and is closed.
  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{1}\u{2}\u{3}", "Content-Length: x\r\n\r\n",
    "Content-Length: -1\r\n\r\n", "Content-Type: y\r\n\r\n", "\r\n\r\n",
    "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "Content-Length: 99999999999\r\n\r\n",
  ])
  func bytesThatAreNoFramesEndTheConnection(bytes: String) async throws {
    try await withClient { client, daemon in
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send([Self.status], from: 1)
      #expect(await raw.next()?["id"] == 1)
      try await raw.send(bytes + "and more of that kind\r\n\r\n")
      let answer = try #require(await raw.next())
      #expect(answer["id"] == .null)
      let code: ProtocolError.Code = bytes.contains("999") ? .tooLarge : .parseError
      #expect(answer["error"]?["code"] == JSON(code.rawValue))
      #expect(await raw.next() == nil)
      _ = try await client.append("a", put("others go on"))
    }
  }

  /// D26: header lines that end with LF alone are refused, and not waited on.
  @Test(arguments: [
    "Content-Length: 2\n\n{}", "Content-Length: 2\n", "C: x\r\nContent-Length: 2\n\n",
  ])
  func linesThatEndWithLFAreRefused(bytes: String) async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send(bytes)
      let answer = try #require(await raw.next())
      #expect(answer["error"]?["data"]?["name"] == "parseError")
      #expect("\(answer)".contains("CR LF"))
      #expect(await raw.next() == nil)
    }
  }

  /// D14: the first byte of a connection chooses the dialect, and there is one.
  @Test func otherFirstBytesAreRefused() async throws {
    try await withDaemon { daemon in
      let body = #"{"jsonrpc":"2.0","id":1,"method":"editlog/status"}"#
      let frame = "ontent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      for (start, isTaken) in [("C", true), ("c", true), ("X: y\r\nC", false), ("{", false)] {
        var raw = try await RawClient(to: daemon.socket)
        // The first byte alone, then the rest.
        try await raw.send(String(start.prefix(1)))
        if isTaken { try await raw.send(String(start.dropFirst()) + frame + "C" + frame) }
        let answer = try #require(await raw.next())
        #expect((answer["id"] == 1) == isTaken, "\(start)")
        if isTaken {
          #expect(await raw.next()?["id"] == 1)
          try await raw.close()
        } else {
          #expect(answer["error"]?["data"]?["name"] == "parseError")
          #expect(await raw.next() == nil)
        }
      }
    }
  }

  @Test func aMessageBeyondItsLimitsIsRefusedAndTheConnectionStays() async throws {
    try await withDaemon({
      $0.limits.json = JSON.Limits(depthMax: 16, valueCountMax: 100)
      $0.limits.subscriptionCountMax = 1
    }) { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let deep = (0..<20).reduce(JSON.null) { inner, _ in .array([inner]) }
      for params in [deep, .array(Array(repeating: 0, count: 101))] {
        try await raw.send([("editlog/status", params)])
        #expect(await raw.next()?["error"]?["data"]?["name"] == "parseError")
      }
      let all: JSON = ["after": 0, "events": 0, "credit": 1_000]
      try await raw.send([("editlog/subscribe", all)], from: 1)
      #expect(await raw.answer(to: 1)?["result"]?["subscription"] == 1)
      try await raw.send([("editlog/subscribe", all)], from: 2)
      #expect(await raw.answer(to: 2)?["error"]?["data"]?["name"] == "overloaded")
    }
  }

  @Test func aFrameBeyondTheLimitIsRefusedUnread() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder, { $0.limits.frameSizeMax = 2_000 }) { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let fits = AppendRequest(
        document: document("a"), edits: [put(String(repeating: "x", count: 1_500))])
      try await raw.send([("editlog/append", fits.json)])
      #expect(await raw.next()?["result"]?["sequence"] == 1)
      try await raw.send("Content-Length: 2001\r\n\r\n")
      #expect(await raw.next()?["error"]?["data"]?["name"] == "tooLarge")
      #expect(await raw.next() == nil)
    }
  }

  @Test func unknownMethods() async throws {
    try await withClient { client, _ in
      for method in ["editlog/none", "textDocument/hover", ""] {
        #expect(
          await refusal { try await client.call(method) }?.code == .methodNotFound, "\(method)")
      }
      // A notification gets no answer.
      try await client.notify("$/none", [:])
      try await client.notify("textDocument/didOpen", ["textDocument": 7])
      _ = try await client.append("a", put("on"))
    }
  }

  /// A client that does not read its answers delays no other, and gets them when it reads.
  @Test func aSlowReaderDelaysNoOtherClient() async throws {
    try await withClient { client, daemon in
      let text = String(repeating: "0123456789abcde\n", count: 4_000)
      _ = try await client.append("a", put(text))
      var raw = try await RawClient(to: daemon.socket, isReading: false)
      try await raw.send(
        (0..<60).map { _ in (method: "editlog/state", params: ["document": "a"]) })
      for index in 0..<20 { _ = try await client.append("b", put("\(index) ")) }
      #expect(try await client.text(of: "a") == text)
      try await raw.startReading()
      for _ in 0..<60 {
        #expect(await raw.next()?["result"]?["length"] == JSON(text.utf16.count))
      }
      try await raw.close()
    }
  }

  /// At the limit of bytes in flight a connection is not read; it is read again when bytes are free.
  @Test func bytesInFlightAreBounded() async throws {
    try await withDaemon(in: TemporaryFolder(), { $0.limits.connectionBytesMax = 500 }) { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let requests = (0..<300).map { index in
        (
          method: "editlog/append",
          params: AppendRequest(document: document("a"), edits: [put("\(index % 10)")]).json
        )
      }
      try await raw.send(requests)
      for index in 1...300 {
        #expect(await raw.next()?["result"]?["sequence"] == JSON(index))
      }
      try await raw.close()
    }
  }

  @Test func tooManyConnections() async throws {
    try await withDaemon(in: TemporaryFolder(), { $0.limits.connectionCountMax = 2 }) { daemon in
      var first = try await RawClient(to: daemon.socket)
      try await first.send([Self.status])
      #expect(await first.next()?["id"] == 1)
      let second = try await daemon.connect()
      _ = try await second.append("a", put("second"))
      var third = try await RawClient(to: daemon.socket)
      #expect(await third.next()?["error"]?["data"]?["name"] == "overloaded")
      #expect(await third.next() == nil)
      _ = try await second.append("a", put("still there"))
      await second.close()
      try await first.close()
    }
  }

  @Test func shutdownAndExitEndTheConnectionAlone() async throws {
    try await withClient { client, daemon in
      var raw = try await RawClient(to: daemon.socket)
      try await raw.send([("initialize", [:]), ("shutdown", .null)])
      #expect(
        await raw.next()?["result"]?["capabilities"]?["positionEncoding"] == "utf-16")
      #expect(await raw.next()?["result"] == .null)
      try await raw.send(RPCMessage.notification(method: "exit", params: .null).frame)
      #expect(await raw.next() == nil)
      _ = try await client.append("a", put("on"))
    }
  }

  /// Clients that die in the middle of anything leave no trace in others.
  @Test(arguments: UInt64(0)..<4)
  func clientsThatDie(seed: UInt64) async throws {
    try await withClient { client, daemon in
      var random = SplitMix64(seed: seed)
      let request = AppendRequest(document: document("b"), edits: [put("whole")])
      let frame = RPCMessage.request(
        id: .integer(1), method: "editlog/append", params: request.json
      ).frame
      for _ in 0..<20 {
        let raw = try await RawClient(to: daemon.socket)
        let size = Int.random(in: 0...frame.readableBytes, using: &random)
        try await raw.send(frame.getSlice(at: 0, length: size) ?? frame)
        try await raw.close()
        _ = try await client.append("a", put("x"))
      }
      #expect(try await client.text(of: "a").count == 20)
    }
  }
}

/// What one client may take, and for how long.
@Suite(.timeLimit(.minutes(10))) struct ServerBoundsTests {
  private static let question = (method: "editlog/state", params: JSON.object(["document": "a"]))

  /// A message with more values than are taken is refused with an error.
  @Test func tooManyValues() async throws {
    try await withDaemon { daemon in
      var raw = try await RawClient(to: daemon.socket)
      let values = String(repeating: "0,", count: 1 << 20)
      let body = #"{"jsonrpc":"2.0","id":7,"method":"editlog/none","params":[\#(values)0]}"#
      try await raw.send("Content-Length: \(body.utf8.count)\r\n\r\n" + body)
      let answer = try #require(await raw.next())
      #expect(answer["id"] == 7)
      #expect(answer["error"]?["code"] == JSON(ProtocolError.Code.parseError.rawValue))
      try await raw.close()
    }
  }

  /// A frame that needs more than its connection, or all connections, may have is let in alone. The texts are
  /// short enough to be asked for: an answer may take eight times the budget.
  @Test func aLargeFrameWaitsItsTurn() async throws {
    let change = { (options: inout DaemonOptions) in
      options.limits.bytesInFlightMax = 1 << 20
      options.limits.connectionBytesMax = 100_000
      options.limits.connectionCountMax = 8
    }
    try await withDaemon(in: TemporaryFolder(), change) { daemon in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          group.addTask {
            let client = try await daemon.connect()
            for size in [1_600_000, 10, 300_000] {
              _ = try await client.append("d\(number)", put(String(repeating: "x", count: size)))
            }
            #expect(try await client.text(of: "d\(number)").utf16.count == 1_900_010)
            await client.close()
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Answers that are not taken hold up the questions after them, which are answered later.
  @Test func longAnswersWaitInFiles() async throws {
    try await withClient { client, daemon in
      let text = String(repeating: "0123456789abcde\n", count: 40_000)
      _ = try await client.append("a", put(text))
      var raw = try await RawClient(to: daemon.socket, isReading: false)
      try await raw.send((0..<12).map { _ in Self.question })
      #expect(try await client.text(of: "a") == text)
      try await raw.startReading()
      for _ in 0..<12 {
        let answer = try #require(await raw.next())
        #expect(answer["result"]?["text"] == JSON(text))
      }
      try await raw.close()
    }
  }

  /// A client that sends nothing, or half a frame, gets an error and is disconnected.
  @Test(arguments: ["", "Con", "Content-Length: 100\r\n\r\n{", "Content-Length: 200000\r\n\r\n{"])
  func whoDoesNotFinishGoes(bytes: String) async throws {
    let change = { (options: inout DaemonOptions) in
      options.limits.firstMessageMilliseconds = 3_000
      options.limits.frameMilliseconds = 3_000
    }
    try await withDaemon(in: TemporaryFolder(), change) { daemon in
      var raw = try await RawClient(to: daemon.socket)
      if !bytes.isEmpty { try? await raw.send(bytes) }
      #expect(await raw.next()?["error"]?["data"]?["name"] == "overloaded")
      #expect(await raw.next() == nil)
    }
  }

  /// Those that have sent a message stay, and a newcomer takes the place of one that has not.
  @Test func theQuietestNewcomerMakesRoom() async throws {
    try await withDaemon(in: TemporaryFolder(), { $0.limits.connectionCountMax = 2 }) { daemon in
      let client = try await daemon.connect()
      _ = try await client.append("a", put("first"))
      var quiet = try await RawClient(to: daemon.socket)
      try await quiet.send("Con")
      let other = try await daemon.connect()
      _ = try await other.append("a", put("other"))
      #expect(await quiet.next()?["error"]?["data"]?["name"] == "overloaded")
      _ = try await client.append("a", put("still there"))
      await other.close()
      await client.close()
    }
  }

  /// Questions of a connection that is gone are dropped, and edits it sent are logged.
  @Test func whatIsQueuedEndsWithItsConnection() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put(String(repeating: "x", count: 1_000_000)))
      for _ in 0..<4 {
        let raw = try await RawClient(to: daemon.socket, isReading: false)
        try await raw.send((0..<200).map { _ in Self.question })
        let request = AppendRequest(document: document("b"), edits: [put("kept")])
        try await raw.close()
        // Its edits count, however many there are when it goes.
        let sender = try await RawClient(to: daemon.socket, isReading: false)
        try await sender.send((0..<500).map { _ in ("editlog/append", request.json) })
        try await sender.close()
      }
      try await until { (try? await client.text(of: "b"))?.count == 8_000 }
      #expect(try await client.text(of: "a").utf16.count == 1_000_000)
    }
  }
}
