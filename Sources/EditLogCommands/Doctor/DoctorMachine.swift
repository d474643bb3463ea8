import ArgumentParser
import EditModel
import EditProtocol
import Glibc
import Subprocess

/// What `doctor` sees of the machine. Tests put a folder in the place of the root.
struct DoctorMachine: Sendable {
  /// The folder in which the system's own files are looked for; empty for the root.
  var root = ""
  /// A variable of the environment; nil if it is not set, or empty.
  var environment: @Sendable (String) -> String? = Terminal.environment
  /// The path at which `editlog` looks for the program that performs `project`; nil if it is not known.
  var projectProgram: String? = Subprogram.path(of: ProjectSQLiteCommand.program)
    .map { String(decoding: $0, as: UTF8.self) }
  /// The login name of this user.
  var user = Self.loginName
  /// The bytes that this user can still write to the file system of a path; nil if it is not known.
  var freeBytes: @Sendable (String) -> Int64? = DiskSpace.free(at:)
  /// The errors that editlogd, started with these words, finds in its settings, one line each; nil if it
  /// cannot be run.
  var settingErrors: @Sendable (_ command: [String]) async -> [String]? = {
    await Self.settingErrors(of: $0)
  }

  /// The folders in which zsh looks for functions, without what the user's `.zshrc` adds; nil if it cannot
  /// be run.
  var zshFolders: @Sendable () async -> [String]? = Self.zshFolders
  /// How long a program may run that a check asks.
  static let patience = Duration.seconds(2)

  /// The completions that this program makes for a shell: `bash`, `zsh` or `fish`.
  var completionScript: @Sendable (_ shell: String) -> String = { shell in
    guard let shell = CompletionShell(rawValue: shell) else { return "" }
    let script = EditLogCommand.completionScript(for: shell)
    return shell == .bash ? script + BashCompletion.ending : script
  }

  var places: StandardPlaces { StandardPlaces(environment: environment) }

  /// True if there is a file or folder.
  func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The beginning of a small text file, without line breaks at its end; nil if it cannot be read.
  func text(_ path: String) -> String? {
    guard let bytes = bytes(path, sizeMax: Self.textSizeMax) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return String(text.reversed().drop(while: \.isNewline).reversed())
  }

  private static let textSizeMax = 64 << 10

  /// The first bytes of a file; nil if it cannot be read.
  func bytes(_ path: String, sizeMax: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: sizeMax)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    bytes.removeLast(sizeMax - count)
    return bytes
  }

  /// A man page, which may be compressed; nil if it cannot be read.
  func page(_ path: String) -> String? {
    guard let bytes = bytes(path, sizeMax: Self.textSizeMax) else { return nil }
    guard path.hasSuffix(".gz") else { return String(decoding: bytes, as: UTF8.self) }
    var page: [UInt8] = []
    do throws(InflateError) {
      var inflater = try Inflater(sizeMax: Self.textSizeMax)
      try inflater.unpack(bytes, into: &page)
    } catch { return nil }
    return String(decoding: page, as: UTF8.self)
  }

  /// The program that a shell of this user would run; nil if there is none on PATH.
  func program(_ name: String) -> String? {
    (environment("PATH") ?? "").split(separator: ":").lazy.map { "\($0)/\(name)" }
      .first { path in
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
          && access(path, X_OK) == 0
      }
  }

  private static var loginName: String {
    guard let entry = getpwuid(geteuid()) else { return Terminal.environment("USER") ?? "" }
    return String(cString: entry.pointee.pw_name)
  }

  static func settingErrors(
    of command: [String], within patience: Duration = patience
  ) async -> [String]? {
    let result = try? await withTimeLimit(patience) {
      // Only names are looked up; `env` becomes the program.
      try await Subprocess.run(
        .name("env"), arguments: Arguments(command + ["--check-config"]), input: .none,
        output: .discarded,
        error: .string(limit: 1 << 16))
    }
    guard let result else { return nil }
    if result.terminationStatus.isSuccess { return [] }
    let prefix = "editlogd: error: "
    let lines = result.standardError.split(separator: "\n").filter { $0.hasPrefix(prefix) }
    return lines.isEmpty ? nil : lines.map { String($0.dropFirst(prefix.count)) }
  }

  private static func zshFolders() async -> [String]? {
    let result = try? await withTimeLimit(patience) {
      try await Subprocess.run(
        .name("zsh"), arguments: ["-c", "print -rl -- $fpath"], input: .none,
        output: .string(limit: 1 << 16), error: .discarded)
    }
    return result?.standardOutput.split(separator: "\n").map(String.init)
  }
}
