import DaemonTestSupport
import EditClient
import EditProtocol
import Glibc
import NIOCore
import NIOPosix
import Subprocess
import Testing
import TestSupport

@testable import EditDaemon

/// The folders in which the socket may be, and the users that may reach it.
@Suite(.timeLimit(.minutes(10))) struct SocketPathTests {
  /// The error for a path. Nil if it is allowed.
  private func refusal(_ path: String) -> DaemonError? {
    do {
      try SocketPath(path: path).prepare()
      return nil
    } catch { return error }
  }

  private func mode(_ path: String) -> mode_t? {
    var info = stat()
    return lstat(path, &info) == 0 ? info.st_mode & 0o777 : nil
  }

  @Test func theDirectoryIsMadePrivate() {
    let folder = TemporaryFolder()
    #expect(refusal(folder.path("a/b/s")) == nil)
    #expect(mode(folder.path("a")) == 0o700 && mode(folder.path("a/b")) == 0o700)
  }

  @Test func aDirectoryOpenToOthersIsRefused() throws {
    let folder = TemporaryFolder()
    for bits in [0o701, 0o710, 0o704, 0o777] as [mode_t] {
      try #require(chmod(folder.path, bits) == 0)
      guard case .socketRefused(let path, let why) = refusal(folder.path("s")) else {
        Issue.record("\(String(bits, radix: 8)) was taken")
        continue
      }
      #expect(path == folder.path && !why.contains("chmod"))
      // What is named instead can be used.
      let place = try #require(why.split(separator: "--socket ").last.map(String.init))
      #expect(place.hasPrefix(folder.path + "/") && refusal(place) == nil)
      #expect(mode(folder.path) == bits)
    }
    chmod(folder.path, 0o700)
  }

  /// S2: a folder that another user owns, whatever its mode.
  @Test(.enabled("root can give a folder away") { geteuid() == 0 })
  func aFolderOfAnotherUserIsRefused() throws {
    for bits in [0o700, 0o755, 0o000] as [mode_t] {
      let folder = TemporaryFolder()
      try #require(chmod(folder.path, bits) == 0 && chown(folder.path, 65_534, 65_534) == 0)
      guard case .socketRefused(folder.path, let why) = refusal(folder.path("s")) else {
        Issue.record("\(String(bits, radix: 8)) was taken")
        continue
      }
      #expect(why.hasPrefix("it belongs to user 65534; "))
      chown(folder.path, geteuid(), getegid())
      chmod(folder.path, 0o700)
    }
  }

  /// D4: a folder with the sticky bit, such as /tmp, is refused as shared, also if this user owns it.
  @Test func aSharedFolderIsRefused() throws {
    let folder = TemporaryFolder()
    try #require(chmod(folder.path, 0o1777) == 0)
    for path in [folder.path("x"), "/tmp/el-x", "/el-x"] {
      let error = refusal(path)
      guard case .socketRefused = error else {
        Issue.record("\(path) was taken")
        continue
      }
      #expect(error?.description.contains("chmod") == false)
      #expect(error?.description.contains("--socket /") == true)
    }
    chmod(folder.path, 0o700)
  }

  /// D1: the error names what is missing, and what to do.
  @Test func aFolderThatCannotBeCreatedIsNamed() throws {
    let error = refusal("/proc/no/such/s")
    guard case .socketFolderMissing("/proc/no/such", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("XDG_RUNTIME_DIR") == true)
  }

  @Test func alinkInTheDirectorysPlaceIsRefused() throws {
    let folder = TemporaryFolder()
    try #require(mkdir(folder.path("real"), 0o700) == 0)
    try #require(symlink(folder.path("real"), folder.path("link")) == 0)
    guard case .socketRefused? = refusal(folder.path("link/s")) else {
      Issue.record("the link was followed")
      return
    }
    #expect(refusal(folder.path("real/s")) == nil)
  }

  @Test func aPathThatNoSocketCanHaveIsRefused() async throws {
    let folder = TemporaryFolder()
    let room = StandardPlaces.socketPathSizeMax - folder.path.utf8.count - 1
    let long = folder.path(String(repeating: "x", count: room + 1))
    guard case .socketPathTooLong(long, 108, 107)? = refusal(long) else {
      Issue.record("\(long) was taken")
      return
    }
    guard case .socketPathTooLong? = refusal("") else {
      Issue.record("no path was taken")
      return
    }
    // The longest path is one to listen at, for us and for the library below.
    let longest = folder.path(String(repeating: "x", count: room))
    #expect(refusal(longest) == nil)
    let channel = try await listen(at: longest)
    guard case .socketInUse? = refusal(longest) else {
      Issue.record("a live socket was removed")
      return
    }
    try await channel.close()
  }

  private func listen(at path: String) async throws -> any Channel {
    try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(to: try SocketPath(path: path).address).get()
  }

  @Test func aDeadDaemonsSocketIsRemoved() async throws {
    let folder = TemporaryFolder()
    let path = folder.path("s")
    let channel = try await listen(at: path)
    guard case .socketInUse(path)? = refusal(path) else {
      Issue.record("a live socket was removed")
      return
    }
    #expect(mode(path) != nil)
    try await channel.close()
    if mode(path) == nil {
      // The library has removed it; a killed process would not have.
      try #require(bindOnly(path))
    }
    #expect(refusal(path) == nil)
    #expect(mode(path) == nil)
  }

  /// Leaves a socket without a listener.
  private func bindOnly(_ path: String) -> Bool {
    guard var name = sockaddr_un(path: path) else { return false }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    let folder = TemporaryFolder()
    let (file, directory, link) = (folder.path("f"), folder.path("d"), folder.path("l"))
    close(
      try #require(Optional(open(file, O_CREAT | O_WRONLY, 0o600)).flatMap { $0 < 0 ? nil : $0 }))
    try #require(mkdir(directory, 0o700) == 0)
    try #require(bindOnly(folder.path("s")) && symlink(folder.path("s"), link) == 0)
    for path in [file, directory, link] {
      guard case .socketRefused(path, _)? = refusal(path) else {
        Issue.record("\(path) was taken")
        continue
      }
      #expect(mode(path) != nil)
    }
  }

  /// D26: the longest path is one to listen at and to connect to; the next is refused with one exit
  /// status by the daemon and by its clients.
  @Test func theLongestPathCanBeUsed() async throws {
    let folder = TemporaryFolder()
    let room = 107 - folder.path.utf8.count - 1
    let longest = folder.path(String(repeating: "x", count: room))
    let daemon = try await RunningDaemon(in: folder) { $0.socket = longest }
    let client = try await EditLogClient.connect(to: longest)
    _ = try await client.append("a", put("x"))
    await client.close()
    try await daemon.stop()
    let error = await #expect(throws: ProtocolError.self) {
      try await EditLogClient.connect(to: longest + "x")
    }
    #expect(refusal(longest + "x")?.exitCode == error?.code.exitStatus)
    #expect(error?.code.exitStatus == 65)
  }

  /// Only the daemon's user can reach the socket of a running daemon. The daemon removes it.
  @Test func theSocketIsPrivateAndGoesWithTheDaemon() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder) { daemon in
      #expect(mode(daemon.socket) == 0o600)
      // A second daemon there does not start, and harms nothing.
      await #expect(throws: (any Error).self) { try await RunningDaemon(in: folder) }
      // A daemon with another socket but the same store does not start, and leaves no socket.
      await #expect(throws: (any Error).self) {
        try await RunningDaemon(in: folder) { $0.socket = folder.path("run/t") }
      }
      let client = try await daemon.connect()
      _ = try await client.append("a", put("still there"))
      await client.close()
    }
    #expect(mode(RunningDaemon.socket(in: folder)) == nil)
  }

  /// The kernel's credentials of the peer are checked, even if the file system admits everybody.
  @Test(
    .enabled("root can play another user, with perl") {
      geteuid() == 0 && access("/usr/bin/perl", X_OK) == 0
    })
  func anotherUserIsTurnedAway() async throws {
    try await withClient { client, daemon in
      for path in [daemon.folder.path, daemon.folder.path("run")] { chmod(path, 0o755) }
      chmod(daemon.socket, 0o666)
      let script = """
        use Socket; $) = "65534 65534"; $> = 65534; die "no user" if $> != 65534;
        socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die; connect($s, sockaddr_un($ARGV[0])) or die;
        while (<$s>) { print }
        """
      let result = try await run(
        .name("perl"), arguments: ["-e", script, daemon.socket],
        output: .string(limit: 10_000), error: .string(limit: 10_000))
      #expect(result.standardError == "")
      #expect(result.standardOutput.contains("notPermitted"))
      #expect(daemon.log.complaints == ["warning: refused a connection of another user"])
      _ = try await client.append("a", put("we are let in"))
      daemon.log.forgetComplaints()
    }
  }
}
