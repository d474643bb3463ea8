import Glibc

/// A real editlogd, started and killed.
final class DaemonProcess {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let program: String
  private let arguments: [String]
  let store: String
  let socket: String
  private let log: String
  /// Its number, 0 while it does not run.
  private(set) var process: pid_t = 0

  /// A daemon of `program` over a store, with its socket and its log in `folder`, that seals a
  /// document after this number of edits. It may open as many files as this program, unless a limit is given.
  ///
  /// - Parameters:
  ///   - addressSpaceMax: Its address space in KiB, at most.
  ///   - settings: More options.
  init(
    _ program: String, store: String, folder: String, sealAfter: Int = 64,
    openFilesMax: Int? = nil, addressSpaceMax: Int? = nil, settings: [String] = []
  ) {
    self.store = store
    (socket, log) = ("\(folder)/s", "\(folder)/log")
    let words =
      [
        program, "--store", store, "--socket", socket, "--seal-after", "\(sealAfter)",
      ] + settings
    let limits = [
      openFilesMax.map { "ulimit -n \($0)" }, addressSpaceMax.map { "ulimit -v \($0)" },
    ].compactMap { $0 }
    if !limits.isEmpty {
      self.program = "/bin/sh"
      arguments = ["sh", "-c", (limits + ["exec \"$@\""]).joined(separator: " && "), "sh"] + words
    } else {
      self.program = program
      arguments = words
    }
  }

  deinit { kill() }

  /// Starts it; does not wait until it listens.
  ///
  /// - Throws: `Failure`.
  func start() throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var list = arguments.map { strdup($0) } + [nil]
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), strdup("HOME=/nonexistent"), nil]
    defer { for case let text? in list + environment { free(text) } }
    let code = posix_spawn(&process, program, &actions, nil, &list, &environment)
    guard code == 0 else {
      process = 0
      throw Failure(description: "cannot start \(program): \(String(cString: strerror(code)))")
    }
  }

  /// True while it runs. One that ended by itself is not noticed by `kill`.
  var isRunning: Bool {
    guard process > 0 else { return false }
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return true }
    lastStatus = status
    process = 0
    return false
  }

  /// How it ended by itself, as `waitpid` says it.
  private(set) var lastStatus: Int32?

  /// Kills it, this process and no other, and waits for its end.
  func kill() { end(by: SIGKILL) }

  /// Asks it to end, and waits for that.
  func stop() { end(by: SIGTERM) }

  private func end(by signal: Int32) {
    guard isRunning else { return }
    Glibc.kill(process, signal)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    process = 0
  }

  /// The last lines of its log.
  var lastWords: String {
    let file = open(log, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    lseek(file, max(0, size - 600), SEEK_SET)
    var bytes = [UInt8](repeating: 0, count: 600)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// Runs `body` in a task and waits for it in this thread.
func blocking<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) throws -> Result {
  let answer = Answer<Result>()
  Task.detached {
    do { answer.set(.success(try await body())) } catch { answer.set(.failure(error)) }
  }
  return try answer.wait().get()
}
