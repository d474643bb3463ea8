import DaemonTestSupport
import EditClient
import EditJSON
import EditProtocol
import Glibc
import NIOCore
import Subprocess
import TestSupport
import Testing

@testable import EditDaemon

/// The program under a service manager: its settings, SIGHUP, the watchdog, and a socket that is passed.
@Suite(.timeLimit(.minutes(10))) struct ServiceTests {
  private let folder = TemporaryFolder()

  private func write(_ settings: String) throws {
    for name in ["config", "config/editlog"] { mkdir(folder.path(name), 0o700) }
    let file = try #require(fopen(folder.path("config/editlog/editlogd.toml"), "w"))
    defer { fclose(file) }
    try #require(fputs(settings, file) >= 0)
  }

  /// Sends SIGHUP, and returns when the settings were read again.
  private func reload(_ process: ChildDaemon.Process) async throws {
    process(SIGHUP)
    let message = try await process.nextMessage()
    #expect(message.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    let time = message.split(separator: "=").last.flatMap { Int($0) }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    #expect((1...now.tv_sec * 1_000_000 + 999_999).contains(time ?? 0))
    #expect(try await process.nextMessage().hasPrefix("READY=1\n"))
  }

  @Test func `SIGHUP reads the settings again, and connections stay`() async throws {
    try write("log-level = 'notice'\nconnections = 1\nframe-max = 3\n")
    let (status, log) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      _ = try await client.append("a", put("x"))
      let socket = RunningDaemon.socket(in: folder)
      func isAdmitted() throws -> Bool {
        let raw = try RawSocket(to: socket)
        raw.send(
          Array(
            buffer: RPCMessage.request(id: .integer(1), method: "initialize", params: [:]).frame)[
              ...])
        raw.endSending()
        let answer = String(decoding: try #require(raw.rest()), as: UTF8.self)
        return answer.contains(#""frameSizeMax":2097152"#)
      }
      #expect(try !isAdmitted())
      try write("log-level = 'debug'\nconnections = 20\nframe-max = 2\ntext-folder = '/x'\n")
      try await reload(process)
      #expect(try isAdmitted())
      _ = try await client.append("a", put("x"))
      try await reload(process)
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
    #expect(log.contains("log-level is now \"debug\"\n"))
    #expect(log.contains("connections is now 20\n"))
    #expect(log.contains("frame-max is now 2 for new connections\n"))
    #expect(log.contains("warning: text-folder = \"/x\" needs a restart of editlogd\n"))
    #expect(log.contains("read the settings again: 4 changed\n"))
    #expect(log.contains("read the settings again: no changed\n"))
  }

  @Test func `after a bad file the settings stay as they were`() async throws {
    try write("log-level = 'notice'\n")
    let (status, log) = try await ChildDaemon(in: folder).run { process in
      try write("log-level = 'critical'\nconnections = 0\n")
      try await reload(process)
      // A level of critical would hide this.
      try write("log-level = 'notice'\n")
      try await reload(process)
      process(SIGTERM)
    }
    #expect(status == .exited(0))
    #expect(log.contains("connections = 0: must be a whole number from 1 to 1048576\n"))
    #expect(log.contains("error: the settings stay as they were\n"))
    #expect(log.contains("read the settings again: no changed\n"))
  }

  @Test func `a daemon with bad settings does not start`() async throws {
    try write("connections = 0\nx = 1\n")
    let (status, log) = try await ChildDaemon(in: folder).run(untilReady: false) { process in
      // What `systemctl status` shows.
      let message = try await process.nextMessage()
      #expect(message.hasPrefix("STATUS=") && message.hasSuffix("a whole number from 1 to 1048576"))
    }
    #expect(status == .exited(78))
    let path = folder.path("config/editlog/editlogd.toml")
    #expect(
      log == """
        editlogd: error: \(path): x is not a setting; `editlogd --check-config` lists all settings
        editlogd: error: \(path): connections = 0: must be a whole number from 1 to 1048576

        """)
    #expect(access(RunningDaemon.store(in: folder), F_OK) != 0)
  }

  @Test func `the settings are checked without a start`() async throws {
    let (socket, long) = (folder.path("s"), "/" + String(repeating: "x", count: 120))
    let cases: [(String, String, Int32)] = [
      ("connections = 5", socket, 0), ("connections = 0", socket, 78), ("", long, 65),
      ("", "/tmp/editlogd.sock", 77),
    ]
    for (settings, socket, code) in cases {
      try write(settings)
      let (status, log) = try await ChildDaemon(in: folder).run(
        arguments: ["--check-config", "--socket", socket], untilReady: false
      ) { _ in }
      #expect(status == .exited(code), "\(log)")
    }
    #expect(access(RunningDaemon.store(in: folder), F_OK) != 0)
  }

  @Test func `each setting is in the help with its default`() async throws {
    let program = try ChildDaemon(in: folder).program
    let result = try await Subprocess.run(
      .name("env"), arguments: ["COLUMNS=10000", program, "--help"],
      output: .string(limit: 1 << 20), error: .discarded)
    let help = (result.standardOutput).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for setting in Setting.all {
      let parts = help.split(separator: " --\(setting.name) <", maxSplits: 1)
      let text = try #require(parts.count == 2 ? parts[1] : nil, "\(setting.name)")
      let standard = text.split(separator: "(default: ", maxSplits: 1).last?.prefix { $0 != ")" }
      switch setting.standard {
      case .number(let number): #expect(standard == "\(number)", "\(setting.name)")
      case .text(let word): #expect(standard == word[...], "\(setting.name)")
      case nil:
        let names = [
          "store": "editlog", "spool": "editlog-spool", "socket": "editlogd.sock",
          "text-folder": "the home folder",
        ]
        #expect(standard?.split(separator: "/").last.map(String.init) == names[setting.name])
      }
    }
  }

  @Test func `the watchdog is reset`() async throws {
    let (status, _) = try await ChildDaemon(in: folder).run(
      environment: ["WATCHDOG_USEC": "100000", "WATCHDOG_PID": nil]
    ) { process in
      for _ in 0..<3 {
        let message = try await process.nextMessage()
        #expect(message == "WATCHDOG=1")
      }
      process(SIGTERM)
    }
    #expect(status == .exited(0))
  }

  /// A script of perl that listens at a path and becomes the daemon, as a service manager does.
  private func launcher(listens: Bool = true, count: Int = 1) -> [String] {
    let script = """
      use Socket; use POSIX; $^F = 10; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die;
      bind($s, sockaddr_un($ARGV[0])) or die; \(listens ? "listen($s, 5) or die;" : "")
      POSIX::dup2(fileno($s), 3) if fileno($s) != 3; $ENV{LISTEN_PID} = $$;
      $ENV{LISTEN_FDS} = \(count); shift; exec @ARGV;
      """
    return ["perl", "-e", script, folder.path("passed")]
  }

  @Test(.enabled("perl can pass a socket") { access("/usr/bin/perl", X_OK) == 0 })
  func `a socket that is passed is used, and left`() async throws {
    let path = folder.path("passed")
    let (status, log) = try await ChildDaemon(in: folder).run(launcher: launcher()) { process in
      let client = try await EditLogClient.connect(to: path)
      _ = try await client.append("a", put("x"))
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
    #expect(log.contains("listening at \(path), store "))
    #expect(access(path, F_OK) == 0)
    #expect(access(RunningDaemon.socket(in: folder), F_OK) != 0)
  }

  @Test(.enabled("perl can pass a socket") { access("/usr/bin/perl", X_OK) == 0 })
  func `a wrong socket is refused`() async throws {
    for wrong in [launcher(listens: false), launcher(count: 2)] {
      let (status, log) = try await ChildDaemon(in: folder).run(
        launcher: wrong, untilReady: false
      ) { process in
        let message = try await process.nextMessage()
        #expect(message.hasPrefix("STATUS=the service manager passed "))
      }
      #expect(status == .exited(78))
      #expect(log.contains("one listening Unix stream socket is needed"))
      unlink(folder.path("passed"))
    }
  }
}
