import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

/// S14: what is left by a daemon that crashes contains no word of a document.
@Suite(.timeLimit(.minutes(10))) struct CrashTests {
  /// A text that occurs nowhere else.
  private static let canary = "my-secret-canary"
  /// Signals that end a process as a crash does, each with a core file.
  private static let signals = [SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP]

  private let folder = TemporaryFolder()

  /// Programs that make core files as large as the kernel wants to, in a folder of their own.
  private var launcher: [String] {
    ["-C", folder.path("place"), "prlimit", "--core=unlimited", "--"]
  }

  private func names(in place: String) throws -> [String] {
    let listing = try #require(opendir(folder.path(place)))
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// Crashes a daemon that has the canary in each kind of its memory. Returns what it printed.
  private func crash(by signal: Int32, _ environment: [Environment.Key: String?]) async throws
    -> String
  {
    let (status, log) = try await ChildDaemon(in: folder).run(
      launcher: launcher,
      environment: environment.merging(["TMPDIR": folder.path("temporary")]) { $1 }
    ) { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      let name = "untitled:" + Self.canary
      _ = try await client.call("initialize")
      _ = try await client.append("a " + Self.canary, put(Self.canary))
      try await client.notify(
        "textDocument/didOpen",
        DidOpenParams(uri: document(name), text: UTF16Text(Self.canary)).json)
      #expect(try await client.text(of: name) == Self.canary)
      // Its answer is in a buffer, or on its way.
      async let answer = client.text(of: name)
      process(signal)
      _ = try? await answer
      await client.close()
    }
    #expect(status == .signaled(signal), "\(log)")
    return log
  }

  @Test(.enabled("util-linux has prlimit") { access("/usr/bin/prlimit", X_OK) == 0 })
  func nothingOfADocumentIsLeftByACrash() async throws {
    for name in ["place", "temporary"] { try #require(mkdir(folder.path(name), 0o700) == 0) }
    // Without the variable, Swift would print registers and what they point at.
    let environments: [[Environment.Key: String?]] = [
      ["SWIFT_BACKTRACE": nil], ["SWIFT_BACKTRACE": "enable=no"],
      ["SWIFT_BACKTRACE": nil, "EDITLOG_SANDBOX": "off"],
    ]
    var count = 0
    for environment in environments {
      for signal in Self.signals + [SIGSEGV] {
        let log = try await crash(by: signal, environment)
        for line in log.split(separator: "\n") {
          #expect(line.hasPrefix("editlogd: ") && !line.contains(Self.canary), "\(line)")
        }
        #expect(try names(in: "place") == [], "a core file")
        #expect(try names(in: "temporary") == [])
        count += 1
      }
    }
    #expect(count >= 20)
    // Every acknowledged edit is there.
    let (_, log) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      #expect(try await client.edits(of: "a " + Self.canary).count == count)
      await client.close()
      process(SIGTERM)
    }
    #expect(!log.contains(Self.canary))
  }

  /// The bridge of an editor has texts too, and the core file would be in the folder of the editor.
  @Test(.enabled("util-linux has prlimit") { access("/usr/bin/prlimit", X_OK) == 0 })
  func nothingOfADocumentIsLeftByACrashOfABridge() async throws {
    try #require(mkdir(folder.path("place"), 0o700) == 0)
    let messages = [
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
      """
      {"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":\
      {"uri":"untitled:a","languageId":"","version":1,"text":"\(Self.canary)"}}}
      """,
    ].map { "Content-Length: \($0.utf8.count)\r\n\r\n" + $0 }
    let script = """
      mkfifo input
      "$2" lsp < input > answers 2> errors & bridge=$!
      exec 3> input
      printf '%s' "$0" "$1" >&3
      until grep -q capabilities answers && grep -qa "$4" -r "$3"; do sleep 0.1; done
      kill -SEGV $bridge; wait $bridge; echo $?
      cat errors; rm input answers errors
      """
    let result = try await Subprocess.run(
      .name("env"),
      arguments: Arguments(
        launcher + ["sh", "-c", script] + messages
          + [ChildDaemon.program("editlog"), folder.path("spool"), Self.canary]),
      environment: .inherit.updating([
        "SWIFT_BACKTRACE": nil, "EDITLOG_SOCKET": folder.path("no daemon"),
        "EDITLOG_SPOOL": folder.path("spool"),
      ]), input: .none, output: .string(limit: 1 << 20), error: .discarded)
    #expect(result.standardOutput == "\(128 + SIGSEGV)\n")
    #expect(try names(in: "place") == [], "a core file")
  }

  /// The tests above can fail: such a signal makes a core file here.
  @Test(
    .enabled("core files are made in the working folder") {
      guard let file = fopen("/proc/sys/kernel/core_pattern", "r") else { return false }
      defer { fclose(file) }
      return access("/usr/bin/prlimit", X_OK) == 0 && getc(file) == Int32(UInt8(ascii: "c"))
    })
  func aCrashOfAnotherProgramLeavesACoreFile() async throws {
    try #require(mkdir(folder.path("place"), 0o700) == 0)
    _ = try await Subprocess.run(
      .name("env"), arguments: Arguments(launcher + ["sh", "-c", "kill -SEGV $$"]), input: .none,
      output: .discarded, error: .discarded)
    #expect(try names(in: "place").count == 1)
  }
}
