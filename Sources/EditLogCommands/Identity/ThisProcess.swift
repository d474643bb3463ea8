import EditModel
import EditProtocol
import Glibc

/// What this process can say of itself and its user.
enum ThisProcess {
  /// How long git may take to tell the user's name.
  static let gitPatience = Duration.milliseconds(500)

  /// The machine's name; nil if it has none.
  static var host: String? {
    var bytes = [CChar](repeating: 0, count: SessionDescription.nameSizeMax + 1)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let name = String(
      decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (1...SessionDescription.nameSizeMax).contains(name.utf8.count) ? name : nil
  }

  static var number: UInt32? { UInt32(exactly: getpid()) }

  /// The program that started this one; nil if it is not known.
  static var parent: SessionDescription? {
    let number = getppid()
    guard number > 0, let file = fopen("/proc/\(number)/comm", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    let name = String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    return SessionDescription(client: name, host: host, process: UInt32(exactly: number))
  }

  /// The name of the user's account; nil if it has none.
  static var loginName: String? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let name = entry.pw_name
    else { return Terminal.environment("LOGNAME") }
    return String(cString: name)
  }

  /// git's `user.name` in the working directory. Nil if there is none, git is missing, or it takes
  /// longer than half a second. It needs no other thread: those of `Subprocess` would stay, and wake up
  /// a program that waits.
  static func gitUserName() -> String? {
    let command = Git.userNameCommand
    return output(of: command.arguments, variables: command.variables)
  }

  /// The path of the file with the user's rules for all working trees of Git; nil if there is none. It is
  /// git's `core.excludesFile`, or its default if there is no such setting, or if git is missing or takes longer
  /// than `patience`. `variables` are those of the command, if others than usual.
  static func gitExcludesFile(
    variables: [String: String]? = nil, patience: Duration = .seconds(10)
  ) -> String? {
    let command = Git.excludesFileCommand
    let variables = variables ?? command.variables
    if let line = output(of: command.arguments, variables: variables, patience: patience) {
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, ["global", "system"].contains(parts[0]),
        parts[1].utf8.first == UInt8(ascii: "/")
      else { return nil }
      return String(parts[1])
    }
    if let folder = variables["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/git/ignore" }
    return variables["HOME"].map { $0 + "/.config/git/ignore" }
  }

  /// The first line that a program prints on standard output, in at most `patience`. It gets these variables
  /// of the environment and no other.
  static func output(
    of command: [String], variables: [String: String], patience: Duration = gitPatience
  ) -> String? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = spawn(command, variables, output: ends[1])
    close(ends[1])
    guard let process else { return nil }
    let line = firstLine(of: ends[0], patience: patience)
    // It has ended, or takes too long.
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return line.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Starts a program with this standard output, and without input and standard error.
  private static func spawn(
    _ command: [String], _ variables: [String: String], output: Int32
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var arguments = command.map { strdup($0) } + [nil]
    var environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    guard posix_spawnp(&process, command[0], &actions, nil, &arguments, &environment) == 0 else {
      return nil
    }
    return process
  }

  /// The first line that comes from a pipe; empty if there is none. Nil if it does not end in time.
  private static func firstLine(of descriptor: Int32, patience: Duration) -> String? {
    let deadline = ContinuousClock.now + patience
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1_024))
    while bytes.count <= Author.sizeMax {
      let left = (deadline - .now) / .milliseconds(1)
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&event, 1, Int32(left) + 1) == 1 else { return nil }
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
  }
}

extension ClientIdentity {
  /// A new session, for a run of a verb.
  ///
  /// - Throws: `CommandError`.
  static func run(of verb: String, author: String?) throws(CommandError) -> ClientIdentity {
    guard
      let client = SessionDescription(
        client: "editlog \(verb)", version: EditLogVersion.current, host: ThisProcess.host,
        process: ThisProcess.number),
      let identity = ClientIdentity(
        session: SessionID.newRun(of: "editlog"), client: client, author: author)
    else { throw .internalError("no name for this run") }
    return identity
  }
}

extension Session {
  /// Tells the backend which client makes the changes of this run. Without `author`, edits that name no
  /// author have none.
  func introduce(as verb: String, by author: AuthorOption?) async throws {
    guard let author else { return try await introduce(as: verb, named: nil) }
    try await introduce(as: verb, author: author.name)
  }

  /// As `introduce(as:by:)`, with an author of this name, or the default one.
  func introduce(as verb: String, author: String?) async throws {
    guard isIdentified else { return }
    try await introduce(as: verb, named: try Author().resolved(author))
  }

  private func introduce(as verb: String, named name: String?) async throws {
    guard isIdentified else { return }
    try await backend.introduce(try ClientIdentity.run(of: verb, author: name))
  }
}
