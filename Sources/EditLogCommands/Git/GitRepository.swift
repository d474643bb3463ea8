import EditModel
import Glibc
import Subprocess
import SystemPackage

/// A commit that a new repository gets: one file with a text.
struct NewCommit {
  /// The author and committer: `NAME <ADDRESS> SECONDS ZONE`.
  let identity: String
  let message: String
  let content: [UInt8]

  /// The commit in the language of `git fast-import`.
  func stream(path: GitPath) -> [UInt8] {
    let head = """
      commit refs/heads/main
      author \(identity)
      committer \(identity)
      data \(message.utf8.count)
      \(message)
      M 100644 inline \(path.quoted())
      data \(content.count)

      """
    return Array(head.utf8) + content + [0x0A]
  }
}

/// A new repository, which `git fast-import` fills.
struct GitRepository {
  private let path: String
  /// git in the new folder, whose repository is named, so that no other one is found.
  private let git: Git

  /// Makes the folder and an empty repository in it.
  ///
  /// - Throws: `CommandError` (73) if there is a file or folder of this name, or git fails.
  init(at path: String) async throws {
    self.path = path
    git = Git(in: FilePath(path), repository: ".git")
    guard mkdir(path, 0o777) == 0 else {
      let reason =
        errno == EEXIST
        ? "it exists; --output makes a new folder" : String(cString: strerror(errno))
      throw CommandError(exitCode: 73, "cannot create \(path.shown): \(reason)")
    }
    do {
      let git = Git(in: FilePath(path))
      try check(
        try await git.run(["init", "--quiet", "--initial-branch=main", "--template=", "."]))
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

  /// Runs `git fast-import` with the commits that `write` adds, checks the last one out, and compares what is
  /// then in the repository with what was to be there. If that fails, the folder is removed.
  ///
  /// - Parameter file: The path of the file that all commits have.
  /// - Throws: `CommandError`, or what `write` throws.
  func fill(
    _ file: GitPath, _ write: (((NewCommit) async throws -> Void)) async throws -> Void
  ) async throws {
    do {
      var commits: [RepositoryCheck.Commit] = []
      let outcome = try await git.run(["fast-import", "--quiet"]) { send in
        try await write { commit in
          commits.append(RepositoryCheck.Commit(commit))
          try await send(commit.stream(path: file))
        }
      }
      try check(outcome)
      try check(try await git.run(["reset", "--quiet", "--hard"]))
      try await RepositoryCheck(folder: path, file: file).compare(commits)
    } catch {
      await remove()
      throw error
    }
  }

  private func check(_ outcome: Git.Outcome) throws {
    guard !outcome.isSuccess else { return }
    throw CommandError.io("\(path.shown): git says: \(outcome.message)")
  }
}
