import DaemonTestSupport
import Glibc
import NIOPosix
import Subprocess
import Synchronization
import TestSupport
import Testing

@testable import EditDaemon

/// `editlogd` as a child process, as it is installed: a link to `editlog`.
struct ChildDaemon {
  /// The path of the program.
  let program: String
  private let folder: TemporaryFolder

  /// A daemon whose program is linked in the folder.
  ///
  /// - Throws: if no `editlog` was built beside these tests.
  init(in folder: TemporaryFolder) throws {
    program = folder.path("editlogd")
    let target = try Self.program("editlog")
    try #require(symlink(target, program) == 0 || errno == EEXIST)
    self.folder = folder
  }

  /// The path of a program that was built beside these tests.
  ///
  /// - Throws: if there is none.
  static func program(_ name: String) throws -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let size = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(size, 0)), as: UTF8.self)
    let program =
      path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/" + name
    try #require(access(program, X_OK) == 0, "there is no program \(program)")
    return program
  }

  /// The arguments that put store and socket into the folder.
  private var places: [String] {
    ["--store", RunningDaemon.store(in: folder), "--socket", RunningDaemon.socket(in: folder)]
  }

  /// The program as it runs.
  struct Process: Sendable {
    let id: pid_t
    fileprivate let manager: Manager

    /// Sends a signal.
    func callAsFunction(_ signal: Int32) { kill(id, signal) }
    /// The most memory that it had, in KiB.
    func memoryPeak() throws -> Int {
      let file = try #require(fopen("/proc/\(id)/status", "r"))
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 8192)
      let count = fread(&bytes, 1, bytes.count, file)
      let line = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix("VmHWM:") }
      return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }
    /// The next message to the service manager.
    func nextMessage() async throws -> String { try await manager.next() }
  }

  /// Starts it, runs `body` once it is ready, and returns when it has ended: how, and what it printed
  /// on standard error. It is killed if it has not ended two minutes after `body`.
  ///
  /// - Parameters:
  ///   - launcher: A program with arguments that becomes the daemon.
  ///   - arguments: If nil, those that put store and socket into the folder.
  func run(
    launcher: [String] = [], arguments: [String]? = nil,
    environment: [Environment.Key: String?] = [:], untilReady: Bool = true,
    _ body: (Process) async throws -> Void
  ) async throws -> (TerminationStatus, String) {
    let manager = try Manager(at: folder.path("notify"))
    defer { manager.close() }
    let limit = TimeLimit()
    defer { limit.cancel() }
    let result = try await Subprocess.run(
      // Only names are looked up; `env` becomes the program.
      .name("env"),
      arguments: Arguments(launcher + [program] + (arguments ?? places)),
      environment: .inherit.updating(
        [
          "NOTIFY_SOCKET": manager.path, "XDG_CONFIG_HOME": folder.path("config"),
          "EDITLOG_SPOOL": folder.path("spool"),
        ].merging(environment) { $1 }),
      input: .none, output: .discarded, error: .string(limit: 1 << 20)
    ) { execution in
      let process = Process(id: execution.processIdentifier.value, manager: manager)
      do {
        if untilReady, try await !process.nextMessage().hasPrefix("READY=1\n") {
          throw Failure(code: EPROTO)
        }
        try await body(process)
      } catch {
        process(SIGKILL)
        throw error
      }
      limit.start(process.id)
    }
    return (result.terminationStatus, result.standardError)
  }

  /// The service manager's end of sd_notify(3).
  fileprivate struct Manager: Sendable {
    let path: String
    private let descriptor: Int32

    init(at path: String) throws {
      self.path = path
      unlink(path)
      guard var name = sockaddr_un(path: path) else { throw Failure(code: ENAMETOOLONG) }
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let bound = withUnsafePointer(to: &name) { [descriptor] pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard bound == 0 else { throw Failure(code: errno) }
      // Only a daemon that hangs or dies lets this pass.
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The next message; empty after a minute without one.
    func next() async throws -> String {
      try await NIOThreadPool.singleton.runIfActive { [descriptor] in
        var bytes = [UInt8](repeating: 0, count: 4096)
        let size = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(size, 0)), as: UTF8.self)
      }
    }

    func close() { Glibc.close(descriptor) }
  }

  /// Kills a process that does not end.
  private final class TimeLimit: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func start(_ process: pid_t) {
      let task = Task {
        guard (try? await Task.sleep(for: .seconds(120))) != nil else { return }
        kill(process, SIGKILL)
      }
      self.task.withLock { $0 = task }
    }

    func cancel() { task.withLock { $0?.cancel() } }
  }

  private struct Failure: Error { let code: Int32 }
}
