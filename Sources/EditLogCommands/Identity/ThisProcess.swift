import EditModel
import EditProtocol
import Glibc

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
  static func gitUserName() -> String? {
    let command = Git.userNameCommand
    return firstLine(of: command.arguments, environment: command.environment)
  }

  /// The first line that a program prints on standard output, in at most half a second. Nil if it is empty.
  static func firstLine(of command: [String], environment: [String]) -> String? {
    guard
      case .ended(_, let output) = BriefRun(
        command, environment: environment, sizeMax: 64 << 10, patience: gitPatience)
    else { return nil }
    let line = String(decoding: output.prefix { $0 != 0x0A }, as: UTF8.self)
    return line.isEmpty ? nil : line
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
