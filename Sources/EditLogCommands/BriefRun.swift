import Glibc

/// A run of a program for the little that it prints, without input and standard error.
///
/// It needs no other thread: those of `Subprocess` would stay, and wake up a program that waits.
enum BriefRun: Equatable {
  /// It ended with this status, 128 and more after a signal.
  case ended(status: Int32, output: [UInt8])
  /// It cannot be started.
  case missing
  /// It took longer, or printed more, than it may. It was killed.
  case endless

  /// Runs a program. It gets these variables of the environment, each `NAME=value`, and no other.
  ///
  /// - Parameters:
  ///   - command: Its name, which is looked for in the `PATH` of this process, and its arguments.
  ///   - sizeMax: The maximum of the output, in bytes.
  ///   - patience: How long it may take.
  init(_ command: [String], environment: [String], sizeMax: Int, patience: Duration) {
    let deadline = ContinuousClock.now + patience
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      self = .missing
      return
    }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = Self.start(command, environment, output: ends[1])
    close(ends[1])
    guard let process else {
      self = .missing
      return
    }
    let output = Self.read(ends[0], sizeMax, until: deadline)
    var status: Int32 = 0
    if let output, Self.wait(for: process, &status, until: deadline) {
      let signal = status & 0x7F
      self = .ended(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: output)
    } else {
      kill(process, SIGKILL)
      while waitpid(process, &status, 0) == -1, errno == EINTR {}
      self = .endless
    }
  }

  private static func start(
    _ command: [String], _ environment: [String], output: Int32
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, command[0], &actions, nil, &arguments, &variables) == 0 else {
      return nil
    }
    return process
  }

  /// All bytes that come from a pipe. Nil if it does not end in time, or there are too many.
  private static func read(
    _ descriptor: Int32, _ sizeMax: Int, until deadline: ContinuousClock.Instant
  ) -> [UInt8]? {
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1_024))
    while bytes.count <= sizeMax {
      let left = (deadline - .now) / .milliseconds(1)
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0 else { return nil }
      guard poll(&event, 1, Int32(min(left, 3_600_000)) + 1) > 0 else { continue }
      let count = Glibc.read(descriptor, &part, part.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += part.prefix(count)
    }
    return nil
  }

  /// Waits for the end of a program that has closed its output, which is soon.
  private static func wait(
    for process: pid_t, _ status: inout Int32, until deadline: ContinuousClock.Instant
  ) -> Bool {
    while waitpid(process, &status, WNOHANG) != process {
      guard ContinuousClock.now < deadline else { return false }
      usleep(500)
    }
    return true
  }
}
