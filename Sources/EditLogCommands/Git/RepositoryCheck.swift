import EditModel
import Glibc
import SystemPackage

/// Compares a repository with the commits that it was to get.
struct RepositoryCheck {
  private let git: Git
  private let file: GitPath
  private let folder: String

  /// What is remembered of a commit that was written.
  struct Commit {
    fileprivate let digest: [UInt8]
    fileprivate let content: [UInt8]
    fileprivate let size: Int

    init(_ commit: NewCommit) {
      digest = Self.digest(commit.identity, commit.message)
      content = SHA256.hash(commit.content)
      size = commit.content.count
    }

    /// The digest of what a commit says, with the hashes of its tree and parent left out.
    static func digest(_ identity: String, _ message: String) -> [UInt8] {
      SHA256.hash(
        Array("author \(identity)\ncommitter \(identity)\n\n\(message)".utf8))
    }
  }

  /// - Parameters:
  ///   - folder: The folder that the repository's files are in.
  ///   - file: The path of the file that all commits have.
  init(folder: String, file: GitPath) {
    (self.file, self.folder) = (file, folder)
    git = Git(in: FilePath(folder), repository: ".git")
  }

  /// - Throws: `CommandError` (74) if a commit, its tree or its file is missing or another one, or there is
  ///   another branch.
  func compare(_ commits: [Commit]) async throws {
    let branches = try await lines(["for-each-ref", "--format=%(refname)"])
    guard branches == (commits.isEmpty ? [] : ["refs/heads/main"]) else {
      throw different("its branches are \(branches.joined(separator: ", ").shown)")
    }
    let hashes =
      commits.isEmpty ? [] : try await lines(["rev-list", "--reverse", "refs/heads/main"])
    guard hashes.count == commits.count else {
      throw different("it has \(hashes.count) commits, not \(commits.count)")
    }
    var (start, parent) = (0, String?.none)
    while start < commits.count {
      var (end, size) = (start, 0)
      while end < commits.count,
        end == start || size + commits[end].size <= GitObjectReader.contentSizeMax
      {
        size += commits[end].size
        end += 1
      }
      try await compare(Array(hashes[start..<end]), commits[start..<end], after: parent)
      (start, parent) = (end, hashes[end - 1])
    }
    if let last = commits.last { try checkFile(last) }
  }

  private func compare(
    _ hashes: [String], _ commits: ArraySlice<Commit>, after parent: String?
  ) async throws {
    var parent = parent
    let read = try await contents(of: hashes)
    var trees: [String] = []
    for (hash, commit) in zip(hashes, commits) {
      let bytes = read[hash] ?? []
      let text = String(decoding: bytes, as: UTF8.self)
      let tree = text.prefix { $0 != "\n" }.dropFirst("tree ".count)
      let start = "tree \(tree)\n" + (parent.map { "parent \($0)\n" } ?? "")
      let rest = Array(bytes.dropFirst(start.utf8.count))
      guard text.utf8.starts(with: start.utf8), SHA256.hash(rest) == commit.digest else {
        throw different("commit \(hash) is another one")
      }
      trees.append(String(tree))
      parent = hash
    }
    let treeContents = try await contents(of: trees)
    let blobs = try trees.map { try blob(of: treeContents[$0] ?? [], $0) }
    let texts = try await contents(of: blobs)
    for ((hash, blob), commit) in zip(zip(hashes, blobs), commits) {
      guard SHA256.hash(texts[blob] ?? []) == commit.content else {
        throw different("the text of commit \(hash) is another one")
      }
    }
  }

  /// The hash of the file in a tree, which has no other.
  private func blob(of tree: [UInt8], _ hash: String) throws(CommandError) -> String {
    let entry = Array("100644 \(file.path)".utf8) + [0]
    let digest = tree.dropFirst(entry.count)
    guard tree.starts(with: entry), digest.count == hash.utf8.count / 2 else {
      throw different("tree \(hash) is another one")
    }
    return String(hexadecimal: Array(digest))
  }

  private func contents(of hashes: [String]) async throws -> [String: [UInt8]] {
    let contents = try await GitObjectReader(git).contents(of: Array(Set(hashes)))
    return try contents.mapValues { content in
      switch content {
      case .success(let bytes): return bytes
      case .failure(let error): throw different(error.reason)
      }
    }
  }

  private func checkFile(_ commit: Commit) throws(CommandError) {
    let descriptor = open(folder + "/" + file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { if descriptor >= 0 { close(descriptor) } }
    var (hash, part) = (SHA256(), [UInt8](repeating: 0, count: 1 << 16))
    while descriptor >= 0 {
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      hash.update(Array(part.prefix(count)))
    }
    guard descriptor >= 0, hash.digest == commit.content else {
      throw different("the file that is checked out is another one")
    }
  }

  private func lines(_ arguments: [String]) async throws -> [String] {
    let outcome = try await git.run(arguments)
    guard outcome.isSuccess else { throw different("git says: \(outcome.message)") }
    return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func different(_ what: String) -> CommandError {
    .io("\(folder.shown) is not what was to be written: \(what); nothing was left there")
  }
}
