// The pager is started before any other thread could change the environment.
@preconcurrency import Glibc

/// A pager: a program that shows the output on the user's terminal.
struct Pager: Sendable {
  /// The pager's input.
  let descriptor: Int32
  private let process: pid_t

  /// Starts `command` through the shell, as git does, because `PAGER` may hold options and quotes.
  /// Returns nil if it cannot be started; the output then goes to the terminal.
  init?(command: String) {
    guard Self.isThere(command) else { return nil }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard let process = Self.spawn(command, input: ends[0]) else {
      close(ends[1])
      return nil
    }
    (descriptor, self.process) = (ends[1], process)
    // SIGINT is for the pager. When the pager ends, the next write here fails and ends this
    // process.
    signal(SIGINT, SIG_IGN)
  }

  /// Ends the input and waits until the user is done. Returns the exit status: 126 or 127 if the shell
  /// could not run the command, 0 if a signal ended it.
  func finish() -> Int32 {
    close(descriptor)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return (status >> 8) & 0xFF
  }

  /// True if the program of a command exists, or if the program's name has characters that the
  /// shell interprets.
  static func isThere(
    _ command: String, path: String = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  ) -> Bool {
    let first = command.split(separator: " ").first.map(String.init) ?? ""
    guard !first.isEmpty else { return false }
    let plain = first.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || "0123456789-_./+".utf8.contains(byte)
    }
    guard plain, !first.contains("/") else { return !plain || access(first, X_OK) == 0 }
    return path.split(separator: ":").contains { access("\($0)/\(first)", X_OK) == 0 }
  }

  /// The pager's command, from the environment; nil if paging is off, as by an empty variable. By default
  /// only tables are cut (`less -S`): in a text this would hide words, and `less -F` would not quit after a
  /// short text with long lines.
  static func command(
    cutsLines: Bool, _ environment: (String) -> String?
  ) -> String? {
    let standard = cutsLines ? "less -FRSX" : "less -FRX"
    let chosen = environment("EDITLOG_PAGER") ?? environment("PAGER") ?? standard
    return chosen.isEmpty || chosen == "cat" ? nil : chosen
  }

  private static func spawn(_ command: String, input: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    // This process ignores SIGPIPE; the pager and its children must not.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    return withArguments(["/bin/sh", "-c", command]) { arguments in
      var process: pid_t = 0
      let status = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, environ)
      return status == 0 ? process : nil
    }
  }

  private static func withArguments<Result>(
    _ arguments: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = arguments.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
