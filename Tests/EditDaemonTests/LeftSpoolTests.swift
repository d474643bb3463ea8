import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditModel
import EditProtocol
import EditSpool
import Glibc
import NIOCore
import Subprocess
import Testing
import TestSupport

/// The daemon delivers what bridges left in their spools.
@Suite(.timeLimit(.minutes(10))) struct LeftSpoolTests {
  /// Not a file URI: nothing on this machine is compared with it.
  private static let note = "untitled:note.md"
  private let folder = TemporaryFolder()

  private var path: String { folder.path("spool") }
  private var isEmpty: Bool { SpoolFolder(path: path).spools.isEmpty }

  /// Runs `body` with a daemon that looks for spools in the folder, and a client of it.
  private func withDaemon(
    _ body: (RunningDaemon, EditLogClient) async throws -> Void
  ) async throws -> RunningDaemon {
    let daemon = try await RunningDaemon(in: folder) { $0.spool = path }
    do {
      let client = try await daemon.connect()
      try await body(daemon, client)
      await client.close()
    } catch {
      try? await daemon.stop()
      throw error
    }
    try await daemon.stop()
    return daemon
  }

  private func session(_ name: String) throws -> SessionID { try #require(SessionID(name)) }

  private func opened(_ text: String) -> (String, JSON) {
    ("textDocument/didOpen", DidOpenParams(uri: document(Self.note), text: UTF16Text(text)).json)
  }

  /// The insertion of a text at a column of the first line.
  private func typed(_ text: String, _ column: Int = 0) -> (String, JSON) {
    let place = LSPPosition(line: 0, character: column)
    let change = DidChangeParams.Change(
      range: LSPRange(start: place, end: place), text: UTF16Text(text))
    return (
      "textDocument/didChange", DidChangeParams(uri: document(Self.note), changes: [change]).json
    )
  }

  /// A spool of a bridge that runs as long as the result lives.
  private func spool(
    _ messages: [(String, JSON)], of name: String = "lsp-1", from first: UInt64 = 1,
    open: [ReopenedDocument] = [], socket: String? = nil, store: String? = nil
  ) throws -> SpoolFile {
    let session = try session(name)
    try SpoolFolder(path: path).prepare()
    // The daemon makes the folder of its socket.
    mkdir(folder.path("run"), 0o700)
    let socket = socket ?? RunningDaemon.socket(in: folder)
    let file = try SpoolFile.create(
      in: path,
      SpoolHeader(
        session: session, socket: SpoolHeader.name(ofSocket: socket), store: store,
        initialize: ["clientInfo": ["name": "Neovim"]], open: open))
    for (index, (method, params)) in messages.enumerated() {
      let ticket = RequestTicket(session: session, counter: first + UInt64(index))
      let request = ForwardRequest(ticket: ticket, method: method, params: params)
      _ = try file.append(request.json.serialized())
    }
    return file
  }

  /// As `spool`, of a bridge that has ended.
  private func leave(
    _ messages: [(String, JSON)], of name: String = "lsp-1", from first: UInt64 = 1,
    open: [ReopenedDocument] = [], socket: String? = nil, store: String? = nil
  ) throws {
    _ = try spool(messages, of: name, from: first, open: open, socket: socket, store: store)
  }

  /// A connection of a bridge, which has sent these messages.
  private func bridge(
    _ name: String, _ daemon: RunningDaemon, _ messages: [(String, JSON)],
    open: [ReopenedDocument] = []
  ) async throws -> EditLogClient {
    let client = try await daemon.connect()
    let header = SpoolHeader(session: try session(name), initialize: .null, open: open)
    _ = try await client.call("initialize", header.initializeParams)
    for (index, (method, params)) in messages.enumerated() {
      let ticket = RequestTicket(session: try session(name), counter: UInt64(index + 1))
      _ = try await client.call(
        "editlog/forward", ForwardRequest(ticket: ticket, method: method, params: params).json)
    }
    return client
  }

  @Test func `a spool is logged when the daemon starts, and its documents are closed`() async throws
  {
    try leave([opened("ab"), typed("c", 2), typed("d", 3)])
    let daemon = try await withDaemon { _, client in
      // The request waits for the spool.
      #expect(try await client.append(Self.note, put("!")).sequence == 4)
      #expect(try await client.text(of: Self.note) == "!abcd")
      #expect(try await client.events(of: Self.note).last == .closed(unsaved: true))
      #expect(try await client.edits(of: Self.note).map(\.counter) == [1, 2, 3, 0])
      try await until { isEmpty }
    }
    #expect(daemon.log.complaints == [])
  }

  @Test func `a spool that appears while the daemon runs is logged when its bridge ends`()
    async throws
  {
    let daemon = try await withDaemon { _, client in
      var file: SpoolFile? = try spool([opened("ab"), typed("c", 2)])
      try await Task.sleep(for: .milliseconds(300))
      #expect(try await client.call(StatusRequest()).documentCount == 0)
      _ = file.take()
      let end = ContinuousClock.now
      try await until { (try? await client.text(of: Self.note)) == "abc" }
      #expect(ContinuousClock.now - end < .seconds(1) * loadFactor)
      try await until { isEmpty }
    }
    #expect(daemon.log.complaints == [])
  }

  @Test func `a part that was logged before is logged once`() async throws {
    let daemon = try await withDaemon { daemon, client in
      let bridge = try await bridge("lsp-1", daemon, [opened("ab"), typed("c", 2)])
      try leave([opened("ab"), typed("c", 2), typed("d", 3)])
      // The bridge is connected, so that the spool may be its own.
      try await Task.sleep(for: .milliseconds(100))
      #expect(try await client.text(of: Self.note) == "abc")
      await bridge.close()
      try await until { isEmpty }
      #expect(try await client.text(of: Self.note) == "abcd")
      #expect(try await client.edits(of: Self.note).count == 3)
      // Again, as after a loss of power before the file was removed.
      try leave([opened("ab"), typed("c", 2), typed("d", 3)])
      try await until { isEmpty }
      #expect(try await client.text(of: Self.note) == "abcd")
      #expect(try await client.edits(of: Self.note).count == 3)
    }
    #expect(daemon.log.complaints == [])
  }

  /// The document is changed after the editor's last answer: its spool refers to the older text.
  @Test(arguments: [true, false])
  func `changes of a text that another session has changed are a divergence`(
    isResent: Bool
  ) async throws {
    _ = try await withDaemon { daemon, client in
      let bridge = try await bridge("lsp-1", daemon, isResent ? [opened("ab")] : [])
      if !isResent {
        _ = try await client.append(Self.note, put("ab"))
      }
      await bridge.close()
      // As if the bridge had not been connected for longer than it counts as present.
      try await until { (try? await client.append(Self.note, put("XYZ"))) != nil }
      if isResent {
        try leave([opened("ab"), typed("c", 2)])
      } else {
        try leave(
          [typed("c", 2)], open: [ReopenedDocument(document(Self.note), at: 1)])
      }
      try await until { isEmpty }
      #expect(try await client.text(of: Self.note) == "abc")
      #expect(try await client.text(of: Self.note, at: 2) == "XYZab")
      let isDivergent = try await client.events(of: Self.note).contains {
        if case .divergence = $0 { true } else { false }
      }
      #expect(isDivergent)
      #expect(
        try await client.edits(of: Self.note).suffix(2).map(\.origin) == [.external, .typing])
    }
  }

  /// The same for a bridge that runs, and connects again.
  @Test func `a bridge that connects again has the text that it left`() async throws {
    _ = try await withDaemon { daemon, client in
      _ = try await client.append(Self.note, put("ab"))
      _ = try await client.append(Self.note, put("XYZ"))
      let open = [ReopenedDocument(document(Self.note), at: 1)]
      let bridge = try await bridge("lsp-1", daemon, [typed("c", 2)], open: open)
      #expect(try await client.text(of: Self.note) == "abc")
      await bridge.close()
    }
  }

  @Test func `a running editor keeps its text`() async throws {
    _ = try await withDaemon { daemon, client in
      let bridge = try await bridge("lsp-2", daemon, [opened("ab")])
      try leave([opened("ab"), typed("c", 2)])
      try await until { isEmpty }
      #expect(try await client.text(of: Self.note) == "ab")
      #expect(try await client.text(of: Self.note, at: 2) == "abc")
      let ticket = RequestTicket(session: try session("lsp-2"), counter: 2)
      let (method, params) = typed("x", 2)
      _ = try await bridge.call(
        "editlog/forward", ForwardRequest(ticket: ticket, method: method, params: params).json)
      #expect(try await client.text(of: Self.note) == "abx")
      await bridge.close()
    }
  }

  @Test func `damage is named, and what is before it is logged`() async throws {
    var file: SpoolFile? = try spool([opened("ab"), typed("c", 2)])
    let (size, name) = (try #require(file).size, try #require(file).path)
    _ = try file?.append([1, 2, 3])
    let descriptor = open(name, O_WRONLY)
    // The checksum of the last record.
    pwrite(descriptor, "x", 1, off_t(size + 9))
    close(descriptor)
    let daemon = try await withDaemon { _, client in
      #expect((try? await client.text(of: Self.note)) == nil)
    }
    #expect(daemon.log.complaints == [])
    _ = file.take()
    try leave([typed("z")], of: "lsp-2", socket: folder.path("other"))
    try leave([typed("z")], of: "lsp-5", store: folder.path("other"))
    symlink("/etc/passwd", "\(path)/lsp-3.spool")
    try writeFile("\(path)/lsp-4.spool", "no header")
    try await checkRefused(damaged: name + ".damaged")
  }

  /// Nothing of a spool is dropped without a word: a file that was not logged as a whole is kept and named,
  /// with what is missing.
  @Test(arguments: [
    ("{}", "1 message cannot be read", "abcd"),
    (
      #"{"session":"lsp-9","counter":3,"method":"textDocument/didSave","params":{}}"#,
      "1 message cannot be read", "abcd"
    ),
    ("", "1 message is missing", "abcd"),
    ("counter", "1 message was refused", "abcd"),
  ])
  func `a spool that cannot be logged as a whole is kept`(
    record: String, reason: String, text: String
  ) async throws {
    var file: SpoolFile? = try spool([opened("ab"), typed("c", 2)])
    let name = try #require(file).path
    let (method, params) = typed("d", 3)
    func append(_ counter: UInt64, _ params: JSON) throws {
      let ticket = RequestTicket(session: try session("lsp-1"), counter: counter)
      _ = try file?.append(
        ForwardRequest(ticket: ticket, method: method, params: params).json.serialized())
    }
    switch record {
    case "": break
    // Another change under a counter that was used.
    case "counter": try append(2, typed("x", 2).1)
    default: _ = try file?.append(Array(record.utf8))
    }
    try append(record == "counter" ? 3 : 4, params)
    _ = file.take()
    let daemon = try await withDaemon { _, client in
      var refused: [RefusedSpool] = []
      try await until {
        refused = try await client.call(StatusRequest()).daemon?.refusedSpools ?? []
        return !refused.isEmpty
      }
      #expect(refused.map(\.path) == [name + ".damaged"])
      #expect(refused[0].message.contains(reason), "\(refused)")
      #expect(refused[0].message.contains("then remove the file"))
      #expect(try await client.text(of: Self.note) == text)
    }
    #expect(daemon.log.complaints.contains { $0.contains(reason) && $0.contains(name) })
  }

  @Test func `a spool with two names is named, and delivered when it has one`() async throws {
    try leave([opened("ab")])
    let other = folder.path("other")
    try #require(link("\(path)/lsp-1.spool", other) == 0)
    let daemon = try await withDaemon { _, client in
      let refused = try await client.call(StatusRequest()).daemon?.refusedSpools ?? []
      #expect(refused.map(\.path) == ["\(path)/lsp-1.spool"])
      #expect(refused.first?.message.contains("2 names (hard links)") == true)
      #expect(refused.first?.message.contains("remove the other names") == true)
      #expect(try await client.call(StatusRequest()).documentCount == 0)
    }
    #expect(daemon.log.complaints.contains { $0.contains("2 names") })
    unlink(other)
    _ = try await withDaemon { _, client in
      try await until { (try? await client.text(of: Self.note)) == "ab" }
      try await until { isEmpty }
    }
  }

  private func writeFile(_ path: String, _ text: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
    close(descriptor)
  }

  private func checkRefused(damaged: String) async throws {
    let daemon = try await withDaemon { _, client in
      try await until { access(damaged, F_OK) == 0 }
      #expect(try await client.text(of: Self.note) == "abc")
      var paths: [String] = []
      try await until {
        paths = try await client.call(StatusRequest()).daemon?.refusedSpools.map(\.path) ?? []
        return paths.count == 3
      }
      #expect(
        paths == [damaged, "\(path)/lsp-3.spool", "\(path)/lsp-4.spool.damaged"])
      // Those for another daemon, and for another store, stay.
      for name in ["lsp-2", "lsp-5"] { #expect(access("\(path)/\(name).spool", F_OK) == 0) }
    }
    let complaints = daemon.log.complaints
    for name in [damaged, "\(path)/lsp-3.spool", "\(path)/lsp-4.spool"] {
      #expect(complaints.contains { $0.contains(name) })
    }
  }

  @Test func `a folder that others can enter is named, and nothing in it is read`() async throws {
    try leave([opened("ab")])
    try #require(chmod(path, 0o755) == 0)
    let daemon = try await withDaemon { _, client in
      let refused = try await client.call(StatusRequest()).daemon?.refusedSpools ?? []
      #expect(refused.map(\.path) == [path])
      #expect(try await client.call(StatusRequest()).documentCount == 0)
    }
    #expect(daemon.log.complaints.count == 1)
  }

  @Test func `a folder that is removed is created again, and watched`() async throws {
    let daemon = try await withDaemon { _, client in
      for name in ["lsp-1", "lsp-2"] {
        try #require(rmdir(path) == 0)
        try await until { access(path, F_OK) == 0 }
        try leave([opened(name)], of: name)
        try await until { (try? await client.text(of: Self.note)) == name }
        try await until { isEmpty }
      }
    }
    #expect(daemon.log.complaints == [])
  }

  /// A bridge that is killed, while the daemon does not run, runs, or is too busy to answer.
  @Test(arguments: ["stopped", "running", "busy"])
  func `what a killed bridge left is logged within a second`(daemonIs: String) async throws {
    try #require(mkdir(folder.path("run"), 0o700) == 0)
    let daemon = try ChildDaemon(in: folder)
    let environment: [Environment.Key: String?] = ["EDITLOG_SPOOL": path]
    let socket = RunningDaemon.socket(in: folder)
    if daemonIs == "stopped" { try await runBridge(socket, environment) }
    let (status, log) = try await daemon.run { process in
      if daemonIs == "busy" { process(SIGSTOP) }
      if daemonIs == "busy" { try await runBridge(socket, environment) }
      if daemonIs == "running" {
        let client = try await EditLogClient.connect(to: socket)
        try await runBridge(socket, environment) {
          (try? await client.text(of: Self.note)) == "dcab"
        }
        await client.close()
      }
      if daemonIs == "busy" { process(SIGCONT) }
      let end = ContinuousClock.now
      let client = try await EditLogClient.connect(to: socket)
      try await until { (try? await client.text(of: Self.note)) == "dcab" }
      #expect(ContinuousClock.now - end < .seconds(1) * loadFactor)
      try await until { isEmpty }
      #expect(try await client.edits(of: Self.note).count == 3)
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0), "\(log)")
  }

  /// Other programs may use the machine while this runs.
  private var loadFactor: Int { 10 }

  /// Runs `editlog lsp`, types, waits until it is in the spool or acknowledged, and kills the bridge.
  private func runBridge(
    _ socket: String, _ environment: [Environment.Key: String?],
    unless isAcknowledged: @Sendable () async throws -> Bool = { false }
  ) async throws {
    let messages: [RPCMessage] =
      [
        .request(
          id: .integer(1), method: "initialize", params: ["clientInfo": ["name": "Neovim"]]),
        .notification(method: "initialized", params: [:]),
      ] + [opened("ab"), typed("c"), typed("d")].map { .notification(method: $0.0, params: $0.1) }
    try writeFile(
      folder.path("frames"), messages.map { String(buffer: $0.frame) }.joined())
    let script = #"""
      mkfifo "$0/input"
      "$1" lsp --socket "$2" < "$0/input" & bridge=$!
      exec 3> "$0/input"
      cat "$0/frames" >&3
      until test -e "$0/kill"; do sleep 0.02; done
      kill -KILL $bridge
      wait $bridge
      """#
    _ = try await Subprocess.run(
      .name("sh"),
      arguments: ["-c", script, folder.path(""), try ChildDaemon.program("editlog"), socket],
      environment: .inherit.updating(environment), input: .none, output: .discarded,
      error: .discarded
    ) { _ in
      try await until {
        if try await isSpooled("d") { return true }
        return try await isAcknowledged()
      }
      try writeFile(folder.path("kill"), "")
    }
  }

  /// True if a spool has a message with this text.
  private func isSpooled(_ text: String) async throws -> Bool {
    let result = try await Subprocess.run(
      .name("grep"), arguments: ["-rqaF", #""text":"\#(text)""#, path], input: .none,
      output: .discarded, error: .discarded)
    return result.terminationStatus.isSuccess
  }
}
