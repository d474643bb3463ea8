import EditModel
import Subprocess
import SystemPackage

/// The `git` program, in an environment of its own. Every run of git goes through this type.
///
/// A caller's variables are stronger than the arguments of git: in a hook, `GIT_DIR` names the user's own
/// repository, whatever `-C` says. Settings change what git prints, and name programs that it runs. So git
/// gets `PATH` and the variables below, and no other; neither the system's nor the user's settings; and no
/// repository's settings beyond the few that `GitObjects` asks where its files are. The article
/// <doc:Git> lists what git can run, each with its test.
struct Git: Sendable {
  /// The folder that git runs in; nil for the working directory.
  private let directory: FilePath?
  private let variables: [Environment.Key: String]
  private let options: [[UInt8]]

  /// The maximum output of a run, in bytes.
  static let outputSizeMax = 256 << 20
  /// How long a run may take, which a repository can draw out.
  static let patience = Duration.seconds(600)

  /// git in a folder.
  ///
  /// - Parameters:
  ///   - directory: The folder; nil for the working directory.
  ///   - repository: The path of the repository, from the folder. If nil, git looks for it from the folder upwards.
  ///   - trusted: Folders whose repositories belong to other users and are read all the same.
  init(in directory: FilePath? = nil, repository: String? = nil, trusted: [[UInt8]] = []) {
    self.directory = directory
    variables = Self.variables.merging(
      repository.map { ["GIT_DIR": $0] } ?? [:], uniquingKeysWith: { _, new in new })
    options =
      Self.options
      + trusted.flatMap { [Array("-c".utf8), Array("safe.directory=".utf8) + $0] }
  }

  /// Settings come from the repository alone, and no transport is allowed. Missing objects stay missing:
  /// versions before 2.45 do not know `GIT_NO_LAZY_FETCH`, but they cannot fetch without a transport.
  private static let isolation: [Environment.Key: String] = [
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CONFIG_GLOBAL": "/dev/null",
  ]

  private static let variables = common.merging(isolation) { _, new in new }

  private static var common: [Environment.Key: String] {
    [
      "PATH": Terminal.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C",
      "GIT_ATTR_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_PROTOCOL_FROM_USER": "0",
      "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_LITERAL_PATHSPECS": "1",
      "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_TRACE2": "0",
      "GIT_TRACE2_EVENT": "0", "GIT_TRACE2_PERF": "0",
      // git looks for these in the list of accounts otherwise, which need not have this user.
      "GIT_AUTHOR_NAME": "editlog", "GIT_AUTHOR_EMAIL": "", "GIT_COMMITTER_NAME": "editlog",
      "GIT_COMMITTER_EMAIL": "",
    ]
  }

  /// Settings of the command line are stronger than those of a repository.
  private static let options = [
    "--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
    "core.attributesFile=/dev/null", "-c", "core.commitGraph=false", "-c", "protocol.allow=never",
    "-c", "log.showSignature=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
  ].map { Array($0.utf8) }

  /// What a run of git left.
  struct Outcome: Sendable {
    let isSuccess: Bool
    let output: [UInt8]
    /// Standard error, of at most 64 kB.
    let errors: String

    /// The first line of the errors.
    var message: String {
      let first = errors.split(separator: "\n").first.map(String.init) ?? "no reason given"
      return Excerpt.line(first, width: nil)
    }

    /// The output without the line feed at its end.
    var line: [UInt8] { output.last == 0x0A ? output.dropLast() : output }
  }

  /// Runs git, without a shell.
  ///
  /// - Parameters:
  ///   - arguments: The arguments.
  ///   - paths: Paths, which are arguments after `--`.
  ///   - input: The standard input.
  ///   - patience: How long it may take.
  /// - Throws: `CommandError` (69) if git cannot be run, (74) if it takes too long or prints too much.
  func run(
    _ arguments: [String], paths: [[UInt8]]? = nil, input: [UInt8] = [],
    patience: Duration = Self.patience
  ) async throws -> Outcome {
    let configuration = configuration(
      arguments.map { Array($0.utf8) } + (paths.map { [Array("--".utf8)] + $0 } ?? []))
    return try await Self.limited(to: patience) {
      let result = try await Subprocess.run(
        configuration, input: .array(input), output: .bytes(limit: Self.outputSizeMax),
        error: .string(limit: 1 << 16))
      return Outcome(
        isSuccess: result.terminationStatus.isSuccess, output: result.standardOutput,
        errors: result.standardError)
    }
  }

  /// Runs git with what `write` sends it.
  ///
  /// - Throws: `CommandError` (69) if git cannot be run, or what `write` throws.
  func run(
    _ arguments: [String],
    writing write: (@escaping ([UInt8]) async throws -> Void) async throws -> Void
  ) async throws -> Outcome {
    do {
      let result = try await Subprocess.run(
        configuration(arguments.map { Array($0.utf8) }), input: .inputWriter, output: .discarded,
        error: .string(limit: 1 << 16)
      ) { execution in
        let writer = execution.standardInputWriter
        // If git ends before it has read all, its status and message say why.
        do {
          try await write { _ = try await writer.write($0) }
          try await writer.finish()
        } catch is SubprocessError {}
      }
      return Outcome(
        isSuccess: result.terminationStatus.isSuccess, output: [],
        errors: result.standardError)
    } catch let error as SubprocessError { throw Self.described(error) }
  }

  private func configuration(_ arguments: [[UInt8]]) -> Configuration {
    Configuration(
      executable: .name("git"), arguments: Arguments((options + arguments).map { $0 + [0] }),
      environment: .custom(variables), workingDirectory: directory)
  }

  private static func limited<Value: Sendable>(
    to patience: Duration, _ body: @Sendable @escaping () async throws -> Value
  ) async throws -> Value {
    do {
      return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
          try await Task.sleep(for: patience)
          return nil
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() ?? nil else {
          throw CommandError.io(
            "git does not end within \(patience.components.seconds) s; is the repository damaged?")
        }
        return value
      }
    } catch let error as SubprocessError { throw described(error) }
  }

  private static func described(_ error: SubprocessError) -> CommandError {
    error.code == .outputLimitExceeded
      ? .io("git prints more than \(outputSizeMax >> 20) MB")
      : .unavailable("cannot run git: \(error)")
  }
}

// MARK: The user's own settings

extension Git {
  /// The command that prints git's `user.name` in the working directory, and its environment. This is one of
  /// the three settings of the user that are read.
  static var userNameCommand: (arguments: [String], environment: [String]) {
    (["git", "config", "--get", "user.name"], environment(of: userVariables))
  }

  private static func environment(of variables: [Environment.Key: String]) -> [String] {
    variables.map { "\($0.key.rawValue)=\($0.value)" }
  }

  /// The path of the file with the user's rules for all working trees: `core.excludesFile` of the user, else of
  /// the system, else git's default. Nil if the setting is empty or not an absolute path.
  ///
  /// - Parameters:
  ///   - variables: Those of git.
  ///   - program: git. If there is none, the default is used.
  /// - Throws: `CommandError` (74) if git cannot read its settings, takes too long, or names a path that is not
  ///   UTF-8: what the user does not want to be logged is then not known.
  static func excludesFile(
    _ variables: [Environment.Key: String] = userVariables, program: String = "git"
  ) throws(CommandError) -> String? {
    let arguments = [
      "-C", "/", "config", "--null", "--show-scope", "--type=path", "--get-all",
      "core.excludesFile",
    ]
    let output: [UInt8]
    switch BriefRun(
      [program] + arguments, environment: environment(of: variables), sizeMax: 1 << 20,
      patience: .seconds(10))
    {
    case .missing: return defaultExcludesFile(variables)
    case .ended(status: 0, let bytes): output = bytes
    // There is no such setting.
    case .ended(status: 1, _): return defaultExcludesFile(variables)
    case .ended(let status, _): throw unknownExcludesFile("ends with status \(status)")
    case .endless: throw unknownExcludesFile("takes more than 10 s")
    }
    // Each value comes after its scope. A repository's settings do not count.
    let parts = output.split(separator: 0, omittingEmptySubsequences: false)
    var value: ArraySlice<UInt8>?
    for index in stride(from: 0, to: parts.count - 1, by: 2)
    where parts[index].elementsEqual("global".utf8) || parts[index].elementsEqual("system".utf8) {
      value = parts[index + 1]
    }
    guard let value else { return defaultExcludesFile(variables) }
    guard value.first == UInt8(ascii: "/") else { return nil }
    guard let path = String(validating: value, as: UTF8.self) else {
      throw .io("the path of git's core.excludesFile is not UTF-8; give the file another name")
    }
    return path
  }

  private static func unknownExcludesFile(_ reason: String) -> CommandError {
    .io(
      "git does not say which files you ignore: it \(reason); see `git config core.excludesFile`")
  }

  private static func defaultExcludesFile(_ variables: [Environment.Key: String]) -> String? {
    if let folder = variables["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/git/ignore" }
    return variables["HOME"].map { $0 + "/.config/git/ignore" }
  }

  /// The folders that the user's settings name in `safe.directory`: repositories of other users that git
  /// may read.
  static func trustedFolders() async throws -> [[UInt8]] {
    let git = Git(variables: userVariables)
    var folders: [[UInt8]] = []
    for scope in ["--system", "--global"] {
      let outcome = try await git.run(
        ["config", scope, "--null", "--get-all", "safe.directory"], patience: .seconds(10))
      // An empty value takes back those before it.
      for value in outcome.output.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
        folders = value.isEmpty ? [] : folders + [Array(value)]
      }
    }
    return folders
  }

  /// git outside of any repository.
  private init(variables: [Environment.Key: String]) {
    (directory, options, self.variables) = ("/", Self.options, variables)
  }

  /// Those of git where the user's settings count.
  static var userVariables: [Environment.Key: String] {
    var variables = common
    for name in ["HOME", "XDG_CONFIG_HOME"] {
      if let key = Environment.Key(rawValue: name) { variables[key] = Terminal.environment(name) }
    }
    return variables
  }
}
