import EditModel
import EditProtocol
import Glibc
import Subprocess

/// What this process can say of itself and its user.
enum ThisProcess {
  /// How long git may take to tell the user's name.
  private static let gitPatience = Duration.milliseconds(500)

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
  /// longer than half a second.
  static func gitUserName() async -> String? {
    let run = Task {
      try await Subprocess.run(
        .name("git"), arguments: ["config", "--get", "user.name"], input: .none,
        output: .string(limit: 4_096), error: .discarded)
    }
    let timer = Task {
      try await Task.sleep(for: gitPatience)
      run.cancel()
    }
    defer { timer.cancel() }
    guard let result = try? await run.value, result.terminationStatus.isSuccess,
      let line = result.standardOutput.split(separator: "\n").first
    else { return nil }
    return String(line)
  }
}

extension ClientIdentity {
  /// A new session, for a run of a verb.
  ///
  /// - Throws: `CommandError`.
  static func run(of verb: String, author: String?) throws(CommandError) -> ClientIdentity {
    guard let session = SessionID.newRun,
      let client = SessionDescription(
        client: "editlog \(verb)", version: EditLogVersion.current, host: ThisProcess.host,
        process: ThisProcess.number),
      let identity = ClientIdentity(session: session, client: client, author: author)
    else { throw .internalError("no name for this run") }
    return identity
  }
}

extension SessionID {
  /// A name for a run, unique by 64 random bits and the time.
  static var newRun: SessionID? {
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    return SessionID("editlog-\(random)-\(SystemTime.now.nanoseconds)")
  }
}

extension Session {
  /// Tells the backend which client makes the changes of this run. Without `author`, edits that name no
  /// author have none.
  func introduce(as verb: String, by author: AuthorOption?) async throws {
    guard isIdentified else { return }
    var name: String?
    if let author { name = try await Author().resolved(author.name) }
    try await backend.introduce(try ClientIdentity.run(of: verb, author: name))
  }
}
