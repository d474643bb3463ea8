import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditLog
import EditModel
import EditProtocol
import Glibc
import Subprocess
import Testing
import TestSupport

/// The program's beginning on a new account, its signals, and its end with much left to do.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
  private func mode(_ path: String) -> mode_t? {
    var info = stat()
    return lstat(path, &info) == 0 ? info.st_mode & 0o777 : nil
  }

  /// D1: of the folders of the defaults, only the home and the runtime folder are there.
  @Test func theFoldersOfTheDefaultsAreCreated() async throws {
    let folder = TemporaryFolder()
    for name in ["home", "run"] { try #require(mkdir(folder.path(name), 0o700) == 0) }
    let (status, log) = try await ChildDaemon(in: folder).run(
      arguments: [],
      environment: [
        "HOME": folder.path("home"), "XDG_RUNTIME_DIR": folder.path("run"),
        "XDG_STATE_HOME": nil, "STATE_DIRECTORY": nil, "EDITLOG_STORE": nil, "EDITLOG_SOCKET": nil,
      ]
    ) { process in
      let socket = folder.path("run/editlog/editlogd.sock")
      let client = try await EditLogClient.connect(to: socket)
      _ = try await client.append("a", put("x"))
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0), "\(log)")
    for name in [
      "home/.local", "home/.local/state", "home/.local/state/editlog", "run/editlog",
    ] {
      #expect(mode(folder.path(name)) == 0o700, "\(name)")
    }
  }

  /// D3: without a file of settings, SIGHUP changes nothing.
  @Test func sighupDoesNotEndIt() async throws {
    let folder = TemporaryFolder()
    let (status, log) = try await ChildDaemon(in: folder).run { process in
      process(SIGHUP)
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      process(SIGHUP)
      for _ in 0..<20 { _ = try await client.append("a", put("x")) }
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0), "\(log)")
    #expect(mode(RunningDaemon.socket(in: folder)) == nil)
  }

  /// D2: the first stop has much to seal, and the second much to compress at the highest level. The
  /// next start does the rest.
  @Test func aStopWithMuchLeftIsBounded() async throws {
    let folder = TemporaryFolder()
    let text = Self.prose(length: 6 << 20)
    for isNew in [true, false] {
      var sent = ContinuousClock.now
      let (status, log) = try await ChildDaemon(in: folder).run { process in
        let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
        if isNew { try await Self.append(text, client) }
        let state = try await client.call("editlog/state", ["document": "a"])
        #expect(state["length"] == JSON(text.count))
        await client.close()
        // At rest, what is left begins.
        if !isNew { try await Task.sleep(for: .seconds(1)) }
        sent = .now
        process(SIGTERM)
      }
      #expect(status == .exited(0), "\(log)")
      // Two seconds, and some for a busy machine.
      #expect(ContinuousClock.now - sent < .seconds(8))
    }
    let store = try Store.open(at: RunningDaemon.store(in: folder))
    #expect(try store.history(of: document("a"))?.lastSequence == UInt64(text.count / 4096))
    #expect(store.damages.isEmpty)
  }

  /// D2: a second signal ends the daemon at once, and nothing acknowledged is lost.
  @Test func aSecondSignalEndsItAtOnce() async throws {
    let folder = TemporaryFolder()
    let text = Self.prose(length: 2 << 20)
    let (status, _) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      try await Self.append(text, client)
      await client.close()
      process(SIGTERM)
      process(SIGINT)
      process(SIGTERM)
    }
    // The first signal may have been enough.
    #expect(
      [.signaled(SIGINT), .signaled(SIGTERM), .exited(0)].contains(status), "\(status)")
    try await withClient(in: folder) { client, _ in
      let state = try await client.call("editlog/state", ["document": "a"])
      #expect(state["length"] == JSON(text.count))
    }
  }

  private static func append(_ text: [UInt16], _ client: EditLogClient) async throws {
    let size = 4096
    for start in stride(from: 0, to: text.count, by: size * 100) {
      let places = stride(from: start, to: min(start + size * 100, text.count), by: size)
      let edits = places.map { place in
        AppendEdit(
          action: EditAction(
            replacing: UTF16Range(place..<place),
            with: UTF16Text(units: Array(text[place..<place + size]))))
      }
      _ = try await client.append(AppendRequest(document: document("a"), edits: edits))
    }
  }

  /// Words of random letters: compression has some work with them.
  private static func prose(length: Int) -> [UInt16] {
    var seed: UInt64 = 88_172_645_463_325_252
    return (0..<length).map { _ in
      seed ^= seed << 13
      seed ^= seed >> 7
      seed ^= seed << 17
      return seed % 7 == 0 ? 0x20 : 0x61 + UInt16(seed >> 8 & 0xF)
    }
  }
}
