import DaemonTestSupport
import EditClient
import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import Glibc
import NIOCore
import NIOPosix
import Subprocess
import TestSupport
import Testing

@testable import EditDaemon

/// What programs that mean harm may do on the socket: S1, S6, S7, S9 and S11 of the security goals.
@Suite(.timeLimit(.minutes(10))) struct HostileConnectionTests {
  private static let canPlayOthers =
    geteuid() == 0
    && ["perl", "setpriv", "unshare"].allSatisfy { access("/usr/bin/" + $0, X_OK) == 0 }

  // MARK: S1

  /// Nothing that another user sends is read, also if the socket admits everybody, and if the user is
  /// root in a namespace of its own.
  @Test(
    .enabled("root can play other users") { canPlayOthers },
    arguments: [["1234"], ["65534"], ["1234", "unshare", "-Ur"]])
  func otherUsersAreRefused(arguments: [String]) async throws {
    try await withClient { client, daemon in
      for path in [daemon.folder.path, daemon.folder.path("run")] { chmod(path, 0o755) }
      chmod(daemon.socket, 0o666)
      let script = """
        use Socket; my $body = '{"jsonrpc":"2.0","id":7,"method":"editlog/append","params":' .
          '{"document":"theirs","edits":[{"actions":["characters"],"location":0,"length":0,' .
          '"changeInLength":1,"text":"x"}]}}';
        my $refused = 0;
        for (1..100) {
          socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die;
          $SIG{PIPE} = 'IGNORE';
          syswrite($s, "Content-Length: " . length($body) . "\\r\\n\\r\\n" . $body);
          my $answer = ''; while (sysread($s, my $part, 10000)) { $answer .= $part }
          $refused++ if $answer =~ /notPermitted/ && $answer !~ /"id":7/ || $answer eq '';
        }
        print $refused;
        """
      let user = arguments[0]
      let result = try await run(
        .name("setpriv"),
        arguments: Arguments(
          ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + arguments.dropFirst()
            + ["/usr/bin/perl", "-e", script, daemon.socket]),
        output: .string(limit: 10_000), error: .string(limit: 10_000))
      #expect(result.standardOutput == "100", "\(result.standardError)")
      #expect(try await client.call(DocumentsRequest()).documents.isEmpty)
      let complaints = daemon.log.complaints
      #expect(Set(complaints) == ["warning: refused a connection of another user"])
      daemon.log.forgetComplaints()
      _ = try await client.append("ours", put("we are let in"))
    }
  }

  // MARK: S6

  /// One session of a client that sends what it should not, or sends it badly, or goes in the middle. Returns what
  /// it sent if the daemon does not end the connection; else nil.
  private static func stuckSession(
    _ random: inout SplitMix64, to socket: String
  ) throws -> String? {
    let bytes = Self.bytes(&random)
    let isEnded = try send(bytes, &random, to: socket)
    return isEnded ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private static func send(
    _ bytes: [UInt8], _ random: inout SplitMix64, to socket: String
  ) throws -> Bool {
    let raw = try RawSocket(to: socket)
    let cut = Int.random(in: 0...bytes.count, using: &random)
    switch random.next() % 6 {
    case 0:
      // Byte by byte.
      for byte in bytes.prefix(200) { if !raw.send([byte]) { break } }
      raw.endSending()
      return raw.rest() != nil
    case 1:
      // Half closed after any byte: the daemon ends the connection.
      raw.send(bytes[..<cut])
      raw.endSending()
      return raw.rest() != nil
    case 2:
      // Gone after any byte, with answers that are not read: the kernel resets the connection.
      raw.send(bytes[..<cut])
      return true
    case 3:
      // In several pieces.
      var rest = bytes[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...max(1, rest.count / 2), using: &random)
        if !raw.send(rest.prefix(size)) { break }
        rest = rest.dropFirst(size)
      }
      raw.endSending()
      return raw.rest() != nil
    case 4:
      // Pipelined, twice.
      raw.send((bytes + bytes)[...])
      raw.endSending()
      return raw.rest() != nil
    default:
      // Beside another one.
      let other = try RawSocket(to: socket)
      raw.send(bytes[..<cut])
      other.send(Self.bytes(&random)[...])
      raw.send(bytes[cut...])
      raw.endSending()
      other.endSending()
      return raw.rest() != nil && other.rest() != nil
    }
  }

  private static func bytes(_ random: inout SplitMix64) -> [UInt8] {
    var bytes: [UInt8] = []
    let name = "untitled:\(random.next() % 8)"
    // No subscription: a client may close its sending side, and go on to receive.
    let requests: [(String, JSON)] = [
      ("editlog/state", ["document": JSON(name)]), ("editlog/status", [:]),
      ("editlog/append", ["document": JSON(name), "edits": [put("x").json]]),
      ("editlog/none", [:]), ("initialize", [:]), ("shutdown", .null),
      ("editlog/log", ["document": JSON(name), "limit": 3]),
      ("editlog/undo", ["document": JSON(name)]),
    ]
    let notifications: [(String, JSON)] = [
      ("textDocument/didOpen", DidOpenParams(uri: document(name), text: "text").json),
      ("textDocument/didClose", TextDocumentParams(uri: document(name)).json),
      ("exit", .null), ("textDocument/didChange", ["textDocument": 7]),
    ]
    for id in 0..<Int.random(in: 1...4, using: &random) {
      switch random.next() % 5 {
      case 0:
        let (method, params) = notifications[Int(random.next() % UInt64(notifications.count))]
        bytes += Array(buffer: RPCMessage.notification(method: method, params: params).frame)
      case 1:
        var writer = ByteWriter()
        if let session = SessionID("s\(random.next())") {
          NativeHello(client: nil, session: session, author: nil).write(to: &writer)
        }
        bytes += writer.bytes
        bytes += (try? NativeConnection.batch(name, UInt64(id) + 1, [put("y")])) ?? []
      default:
        let (method, params) = requests[Int(random.next() % UInt64(requests.count))]
        bytes += Array(
          buffer: RPCMessage.request(id: .integer(Int64(id)), method: method, params: params).frame)
      }
    }
    // Half of them have errors in them.
    for _ in 0..<(random.next() % 2 == 0 ? 0 : 1 + random.next() % 4) where !bytes.isEmpty {
      bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
    }
    return bytes
  }

  /// 20,000 sessions: none ends the daemon, none stays, and others are served all the time.
  @Test func sessionsThatGoWrongHarmNobody() async throws {
    try await withDaemon { daemon in
      let client = try await daemon.connect()
      let (socket, count, threadCount) = (daemon.socket, 20_000, 4)
      // They block; the shared threads are also those of the daemon.
      let threads = NIOThreadPool(numberOfThreads: threadCount)
      threads.start()
      defer { threads.shutdownGracefully { _ in } }
      try await withThrowingTaskGroup(of: [String].self) { group in
        for thread in 0..<threadCount {
          group.addTask {
            try await threads.runIfActive {
              var random = SplitMix64(seed: UInt64(thread))
              return try (0..<count / threadCount).compactMap { _ in
                try Self.stuckSession(&random, to: socket)
              }
            }
          }
        }
        group.addTask {
          for number in 0..<100 { _ = try await client.append("honest", put("\(number) ")) }
          return []
        }
        for try await stuck in group { #expect(stuck.isEmpty, "\(stuck)") }
      }
      #expect(try await client.edits(of: "honest").count == 100)
      try await until { try await client.call(StatusRequest()).daemon?.clients.isEmpty == true }
      await client.close()
      // A notification that is refused is said in the log, for it has no answer.
      let errors = daemon.log.complaints.filter { $0.hasPrefix("error") }
      #expect(errors.allSatisfy { $0.contains(/^error: connection \d+: [a-zA-Z]+$/) }, "\(errors)")
      daemon.log.forgetComplaints()
    }
  }

  // MARK: S7

  private static let forged: [UInt64] = [
    0, 1, 192 << 20, (192 << 20) + 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 1, 1 << 32,
    1 << 60, (1 << 63) - 1, 1 << 63, .max,
  ]

  /// A length is believed when its bytes have come, and not before: no memory is taken for it.
  @Test func forgedLengthsCostNothing() async throws {
    let folder = TemporaryFolder()
    let socket = RunningDaemon.socket(in: folder)
    let (status, log) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: socket)
      func send(_ bytes: [UInt8]) throws {
        let raw = try RawSocket(to: socket)
        raw.send(bytes[...])
        raw.endSending()
        #expect(raw.rest() != nil)
      }
      func sendAll() throws {
        for length in Self.forged {
          try send(Array("Content-Length: \(length)\r\n\r\n{\"jsonrpc\":\"2.0\"".utf8))
          var hello = ByteWriter()
          let session = try #require(SessionID("s"))
          NativeHello(client: nil, session: session, author: nil).write(to: &hello)
          var batch = try NativeConnection.batch("a", 1, [put("x")])
          for shift in 0..<4 { batch[4 + shift] = UInt8(truncatingIfNeeded: length >> (8 * shift)) }
          try send(hello.bytes + batch)
          // The lengths in a batch, under a right checksum.
          for offset in NativeFrame.headerSize..<batch.count {
            var body = try NativeConnection.batch("a", 1, [put("x")]).dropFirst(
              NativeFrame.headerSize)
            let place = body.startIndex + offset - NativeFrame.headerSize
            body[place] = UInt8(truncatingIfNeeded: length == 0 ? 0 : length - 1)
            var forged = ByteWriter()
            NativeFrame.write(.batch, to: &forged) { $0.write(bytes: Array(body)) }
            try send(hello.bytes + forged.bytes)
          }
        }
      }
      try sendAll()
      _ = try await client.append("honest", put("1"))
      let before = try process.memoryPeak()
      for _ in 0..<3 { try sendAll() }
      _ = try await client.append("honest", put("2"))
      let after = try process.memoryPeak()
      #expect(after - before < 1_024 + 512, "\(before) KiB, then \(after) KiB")
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0), "\(log)")
  }

  // MARK: S9

  /// 300 clients that never finish a frame, and 300 subscribers that read nothing, cost a bounded
  /// amount each, and an honest client is served beside them.
  @Test func thoseWhoDoNotFinishAndDoNotReadCostLittle() async throws {
    let folder = TemporaryFolder()
    let (socket, count) = (RunningDaemon.socket(in: folder), 300)
    let (status, log) = try await ChildDaemon(in: folder).run(
      arguments: [
        "--store", RunningDaemon.store(in: folder), "--socket", socket, "--connections", "1000",
      ]
    ) { process in
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("a", put("begin"))
      let before = try process.memoryPeak()
      var hostile: [RawSocket] = []
      let subscribe = RPCMessage.request(
        id: .integer(1), method: "editlog/subscribe",
        params: ["document": "a", "after": 0, "events": 0, "credit": 1_000_000])
      for _ in 0..<count {
        let slow = try RawSocket(to: socket)
        slow.send(Array("Content-Length: 100000\r\n\r\n{".utf8)[...])
        let deaf = try RawSocket(to: socket)
        deaf.send(Array(buffer: subscribe.frame)[...])
        hostile += [slow, deaf]
      }
      // 384 MB would wait for the subscribers if what they do not read was kept in memory.
      let text = String(repeating: "0123456789abcde\n", count: 4_000)
      for number in 0..<20 { _ = try await client.append("a", put("\(number)" + text)) }
      #expect(try await client.call(DocumentsRequest()).documents.first?.sequence == 21)
      let after = try process.memoryPeak()
      #expect(after - before < 128 << 10, "\(before) KiB, then \(after) KiB")
      withExtendedLifetime(hostile) {}
      hostile = []
      _ = try await client.append("a", put("end"))
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0), "\(log)")
  }

  // MARK: S11

  /// Descriptors that a client sends along do not stay in the daemon.
  @Test(.enabled("root may list them") { geteuid() == 0 })
  func sentDescriptorsDoNotStay() async throws {
    let folder = TemporaryFolder()
    let socket = RunningDaemon.socket(in: folder)
    func descriptorCount(_ process: pid_t) throws -> Int {
      let listing = try #require(opendir("/proc/\(process)/fd"))
      defer { closedir(listing) }
      var count = 0
      while readdir(listing) != nil { count += 1 }
      return count
    }
    let (status, _) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("a", put("x"))
      let before = try descriptorCount(process.id)
      let script = """
        import array, socket, sys
        s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
        body = b'{"jsonrpc":"2.0","id":1,"method":"editlog/status"}'
        frame = b'Content-Length: %d\\r\\n\\r\\n' % len(body) + body
        f = open('/dev/null')
        for _ in range(20):
            s.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [f.fileno()] * 200))])
        got = 0
        while got < 20: got += s.recv(1 << 16).count(b'"jsonrpc"')
        import os; print(got, len(os.listdir('/proc/' + sys.argv[2] + '/fd')))
        """
      let result = try await run(
        .name("python3"), arguments: ["-c", script, socket, "\(process.id)"],
        input: .none,
        output: .string(limit: 100), error: .string(limit: 10_000))
      // The connection itself is one, and the daemon may have begun to seal.
      let words = result.standardOutput.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      #expect(words.first == 20, "\(result.standardError)")
      #expect(words.last ?? .max <= before + 50)
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
  }
}
