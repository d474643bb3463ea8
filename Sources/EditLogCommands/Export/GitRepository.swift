import EditModel
import Glibc
import Subprocess

/// A new repository, which `git fast-import` fills.
struct GitRepository {
  private let path: String

  /// Makes the folder and an empty repository in it.
  ///
  /// - Throws: `CommandError` (73) if there is a file or folder of this name, or git fails.
  init(at path: String) async throws {
    self.path = path
    guard mkdir(path, 0o777) == 0 else {
      let reason =
        errno == EEXIST
        ? "it exists; --output makes a new folder" : String(cString: strerror(errno))
      throw CommandError(exitCode: 73, "cannot create \(path.shown): \(reason)")
    }
    do {
      try await git(["init", "--quiet", "--initial-branch=main"])
    } catch {
      await remove()
      throw error
    }
  }

  /// Removes the folder and all that is in it.
  private func remove() async {
    _ = try? await Subprocess.run(
      .name("rm"), arguments: ["-rf", "--", path], output: .discarded, error: .discarded)
  }

  /// Runs `git fast-import` with what `write` sends it, and checks the files out. If that fails, the folder is
  /// removed.
  ///
  /// - Throws: `CommandError`, or what `write` throws.
  func fill(_ write: ((([UInt8]) async throws -> Void)) async throws -> Void) async throws {
    do {
      try await importCommits(write)
      try await git(["reset", "--quiet", "--hard"])
    } catch {
      await remove()
      throw error
    }
  }

  private func importCommits(
    _ write: ((([UInt8]) async throws -> Void)) async throws -> Void
  ) async throws {
    let result = try await running {
      try await Subprocess.run(
        .name("git"), arguments: Arguments(["-C", path, "fast-import", "--quiet"]),
        environment: Self.environment, input: .inputWriter, output: .discarded,
        error: .string(limit: 1 << 16)
      ) { execution in
        let writer = execution.standardInputWriter
        try await write { _ = try await writer.write($0) }
        try await writer.finish()
      }
    }
    try check(result.terminationStatus.isSuccess, result.standardError)
  }

  private func git(_ arguments: [String]) async throws {
    let result = try await running {
      try await Subprocess.run(
        .name("git"), arguments: Arguments(["-C", path] + arguments),
        environment: Self.environment, output: .discarded, error: .string(limit: 1 << 16))
    }
    try check(result.terminationStatus.isSuccess, result.standardError)
  }

  /// Without the user's hooks, templates and filters.
  private static var environment: Environment {
    .inherit.updating([
      "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
      "GIT_TEMPLATE_DIR": "",
    ])
  }

  private func running<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as SubprocessError {
      throw CommandError.unavailable("cannot run git: \(error)")
    }
  }

  private func check(_ isSuccess: Bool, _ message: String?) throws {
    guard !isSuccess else { return }
    let first = message?.split(separator: "\n").first.map(String.init) ?? "no reason given"
    throw CommandError.io("\(path.shown): git says: \(Excerpt.line(first, width: nil))")
  }
}
