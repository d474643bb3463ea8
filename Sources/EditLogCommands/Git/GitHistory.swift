import EditModel
import FileWatch
import Glibc

/// The history of one file in a git repository.
struct GitHistory {
  /// The versions, oldest first, under all names that the file had: the commits that `git log FILE` lists, merges
  /// with a content of their own too.
  private(set) var versions: [GitVersion] = []
  /// The parts of the history that git cannot read, and why, one line each.
  private(set) var gaps: [String] = []
  /// True if the repository has only the newest commits.
  var isShallow: Bool { objects.place.shallow != nil }
  let objects: GitObjects
  private let path: String

  /// The maximum number of parts of a history that are left out.
  private static let gapCountMax = 100
  /// The maximum number of names that are followed.
  private static let renameCountMax = 1_000

  /// The history of the file at `path`, which need not exist any more.
  ///
  /// - Throws: `CommandError` if git is missing or fails, or there are no versions.
  init(path: String) async throws {
    self.path = path
    var info = stat()
    if lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR {
      throw CommandError.data("\(path.shown) is a folder; give one file of the repository")
    }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(path[...$0]) } ?? "."
    let name = path[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...]
    do {
      objects = try await GitObjects(of: folder)
    } catch let error as CommandError {
      throw CommandError(exitCode: error.exitCode, "\(path.shown): \(error.message)")
    }
    if let head = objects.place.head {
      try await find(objects.place.prefix + Array(name.utf8), from: head)
    }
    guard !versions.isEmpty else {
      if let gap = gaps.first { throw CommandError.data("\(path.shown): \(gap)") }
      throw CommandError.notFound("\(path.shown): git has no version of this file")
    }
    versions.reverse()
  }

  /// Finds the versions, newest first. At the commit that gave the file its name, it goes on with the name before.
  private mutating func find(_ path: [UInt8], from head: String) async throws {
    var (path, starts): ([UInt8], [String]) = (path, [head])
    for _ in 0..<Self.renameCountMax {
      let found = try await versions(of: path, from: starts)
      var renamed: (version: GitVersion, source: [UInt8])?
      starts = []
      for version in found {
        versions.append(version)
        // A line of history that a merge joined may have changed the file under the name before.
        starts += version.parentsWithout.map { "\(version.commit)^\($0 + 1)" }
        guard version.isNew, !version.isMerge,
          let source = try await source(of: path, in: version.commit)
        else { continue }
        renamed = (version, source)
        break
      }
      guard let renamed else { return }
      path = renamed.source
      starts.append(renamed.version.commit + "^@")
    }
    gaps.append("commits before the last \(Self.renameCountMax) names of the file")
  }

  private mutating func versions(
    of path: [UInt8], from starts: [String]
  ) async throws -> [GitVersion] {
    while true {
      let outcome = try await objects.git.run(
        [
          "log", "--topo-order", "-c", "--raw", "--no-abbrev", "--no-renames", "-z", "--no-color",
          "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%x01%H",
        ] + starts, paths: [path])
      if outcome.isSuccess { return GitVersion.parse(outcome.output, path: path) }
      // Without a commit, git lists none at all. The history is then cut there, and asked for again.
      guard gaps.count < Self.gapCountMax, let commit = Self.commitWithoutParents(outcome.errors)
      else {
        gaps.append("commits that git cannot read: \(outcome.message)")
        return GitVersion.parse(outcome.output, path: path)
      }
      gaps.append("commits before \(commit.prefix(12)): \(outcome.message)")
      try objects.cut(at: commit)
    }
  }

  /// The commit whose parents git cannot read, as its errors say; nil if they say something else.
  private static func commitWithoutParents(_ errors: String) -> String? {
    for line in errors.split(separator: "\n") {
      guard let range = line.firstRange(of: " commit ") else { continue }
      let word = line[range.upperBound...].prefix { $0.isHexDigit }
      if GitObjectReader.isHash(word) { return String(word) }
    }
    return nil
  }

  /// The path from which a commit renamed a file; nil if it did not.
  private mutating func source(of path: [UInt8], in commit: String) async throws -> [UInt8]? {
    let outcome = try await objects.git.run([
      "diff-tree", "-r", "--raw", "--no-abbrev", "-M", "-l1000", "--diff-filter=R", "-z",
      "--no-commit-id", commit,
    ])
    guard outcome.isSuccess else {
      gaps.append(
        "commits before \(commit.prefix(12)), where git cannot find the name of the file: \(outcome.message)"
      )
      return nil
    }
    var parts = outcome.output.split(separator: 0)[...]
    while parts.count >= 3 {
      let (source, target) = (parts[parts.startIndex + 1], parts[parts.startIndex + 2])
      if target.elementsEqual(path) { return Array(source) }
      parts = parts.dropFirst(3)
    }
    return nil
  }

  // MARK: Commits and texts

  /// The times of the authors of all versions. Nil for one that cannot be read.
  func times() async throws -> [Timestamp?] {
    var times: [Timestamp?] = []
    try await forEachGroup { group, contents in
      for version in group {
        let commit = try? contents[version.commit]?.get()
        times.append(commit.flatMap { GitCommit(version.commit, $0).time })
      }
    } sizes: { version in
      [version.commit]
    }
    return times
  }

  /// A version that was read.
  struct ReadVersion {
    let commit: GitCommit
    /// The text, or why there is none.
    let text: Result<UTF16Text, GitObjectReader.Unreadable>
  }

  /// Calls `body` with each version, in order. Objects are read in groups of at most
  /// `GitObjectReader.contentSizeMax` bytes.
  ///
  /// - Parameter decoder: Reads what is not UTF-8; nil if that is left out.
  func forEachText(
    _ decoder: CharacterDecoder?, _ body: (ReadVersion) async throws -> Void
  ) async throws {
    try await forEachGroup { group, contents in
      for version in group {
        let commit = GitCommit(
          version.commit, (try? contents[version.commit]?.get()) ?? [], decoder: decoder)
        let text: Result<UTF16Text, GitObjectReader.Unreadable> =
          switch version.content {
          case .removed: .success(UTF16Text())
          case .other(let reason): .failure(.init(reason: reason))
          case .file(let hash):
            (contents[hash] ?? .failure(.init(reason: "git does not print it"))).flatMap {
              Self.text($0, decoder)
            }
          }
        try await body(ReadVersion(commit: commit, text: text))
      }
    } sizes: { version in
      if case .file(let hash) = version.content {
        [version.commit, hash]
      } else {
        [version.commit]
      }
    }
  }

  private static func text(
    _ bytes: [UInt8], _ decoder: CharacterDecoder?
  ) -> Result<UTF16Text, GitObjectReader.Unreadable> {
    let encoding = decoder?.encoding
    switch DecodedText(bytes, encoding: encoding) {
    case .text(let text): return .success(UTF16Text(text))
    case .binary: return .failure(.init(reason: "a binary file: it has a NUL"))
    case .notAsMarked(let encoding):
      return .failure(.init(reason: "not \(encoding.name), which its byte order mark names"))
    case .notUTF8:
      let reason = encoding.map { "neither UTF-8 nor \($0.name)" }
      return .failure(.init(reason: reason ?? "not UTF-8; --encoding names another one"))
    }
  }

  /// Calls `body` with groups of versions, in order, and the contents of their objects.
  private func forEachGroup(
    _ body: ([GitVersion], [String: Result<[UInt8], GitObjectReader.Unreadable>]) async throws ->
      Void,
    sizes hashes: (GitVersion) -> [String]
  ) async throws {
    let sizes = try await objects.reader.sizes(of: Array(Set(versions.flatMap(hashes))).sorted())
    func size(_ version: GitVersion) -> Int {
      hashes(version).reduce(0) { sum, hash in sum + ((try? sizes[hash]?.get()) ?? 0) }
    }
    var rest = versions[...]
    while !rest.isEmpty {
      var (count, total) = (0, 0)
      for version in rest {
        total += size(version)
        guard count == 0 || total <= GitObjectReader.contentSizeMax else { break }
        count += 1
      }
      let group = Array(rest.prefix(count))
      let (readable, others) = group.flatMap(hashes).reduce(into: ([String](), [String]())) {
        if case .success = sizes[$1] { $0.0.append($1) } else { $0.1.append($1) }
      }
      var contents = try await objects.reader.contents(of: readable)
      for hash in others { contents[hash] = sizes[hash]?.map { _ in [] } }
      try await body(group, contents)
      rest = rest.dropFirst(count)
    }
  }
}
