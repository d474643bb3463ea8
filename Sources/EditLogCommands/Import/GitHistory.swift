import EditModel
import Glibc
import Subprocess

/// The version of a file in a commit.
struct GitVersion: Hashable, Sendable {
  /// The commit's hash.
  let commit: String
  /// The author's time, in whole seconds.
  let time: Timestamp
  /// The author's name.
  let author: String
  /// The hash of the file's content; nil if the commit removed the file.
  let blob: String?
}

/// The history of one file in a git repository, read with the `git` program.
struct GitHistory {
  private let directory: String
  private let name: String
  private let path: String

  /// The maximum size of a version, in bytes.
  static let contentSizeMax = 64 << 20
  /// The maximum output of one run of git, in bytes.
  private static let outputSizeMax = 256 << 20
  private static let format = "%x01%H%x02%at%x02%an"

  /// The history of the file at `path`, which need not exist any more.
  init(path: String) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    name = String(parts.last ?? "")
    directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
  }

  /// The file's versions, oldest first, under all names it had. The last one is that of HEAD, even
  /// if a merge made it.
  ///
  /// - Throws: `CommandError` if git is missing or fails, or there are no versions.
  func versions() async throws -> [GitVersion] {
    var info = stat()
    if stat(path, &info) == 0, info.st_mode & S_IFMT != S_IFREG {
      throw CommandError.data("\(path.shown) is not a file; give one file of the repository")
    }
    let log = try await git([
      "log", "--follow", "--topo-order", "--no-color", "--no-show-signature", "--no-diff-merges",
      "--encoding=UTF-8", "--raw", "--no-abbrev", "-z", "--format=" + Self.format, "--", name,
    ])
    var versions = Array(try Self.parse(log, path: path).reversed())
    guard !versions.isEmpty else {
      throw CommandError.notFound("\(path.shown): git has no version of this file")
    }
    if let merged = try await versionOfHead(), merged.blob != versions.last?.blob {
      versions.append(merged)
    }
    return versions
  }

  private func versionOfHead() async throws -> GitVersion? {
    guard let answer = try? await git(["rev-parse", "--verify", "--quiet", "HEAD:./" + name])
    else { return nil }
    let blob = String(decoding: answer.prefix { $0 != 0x0A }, as: UTF8.self)
    let head = try await git([
      "log", "-1", "--no-color", "--no-show-signature", "--encoding=UTF-8", "-z",
      "--format=" + Self.format,
    ])
    let fields = head.split(separator: 0).first.map { String(decoding: $0, as: UTF8.self) }
    return try fields.map { try Self.version($0, blob: blob, path: path) }
  }

  /// Reads the output of `git log --raw -z`, newest version first.
  static func parse(_ log: [UInt8], path: String) throws(CommandError) -> [GitVersion] {
    var (versions, head): ([GitVersion], String?) = ([], nil)
    for part in log.split(separator: 0) {
      let field = String(decoding: part, as: UTF8.self)
      if field.hasPrefix("\u{1}") {
        head = field
      } else if field.hasPrefix("\n:") || field.hasPrefix(":"), let fields = head {
        versions.append(try version(fields, change: field, path: path))
        head = nil
      }
      // All other fields are paths.
    }
    return versions
  }

  /// A version from the line of a commit and the line of its change: two modes, two blobs, a
  /// letter.
  private static func version(
    _ fields: String, change: String, path: String
  ) throws(CommandError) -> GitVersion {
    let parts = change.drop { $0 == "\n" || $0 == ":" }.split(separator: " ")
    guard parts.count == 5 else {
      throw .data("\(path.shown): cannot parse git's line '\(change)'")
    }
    if parts[4].hasPrefix("D") { return try version(fields, blob: nil, path: path) }
    guard parts[1].hasPrefix("100") else {
      throw .data(
        "\(path.shown): not a regular file in commit \(fields.dropFirst().prefix(12))")
    }
    return try version(fields, blob: String(parts[3]), path: path)
  }

  private static func version(
    _ fields: String, blob: String?, path: String
  ) throws(CommandError) -> GitVersion {
    let parts = fields.dropFirst().split(separator: "\u{2}", omittingEmptySubsequences: false)
    guard parts.count == 3, let seconds = Int64(parts[1]) else {
      throw .data("\(path.shown): cannot parse git's line of a commit")
    }
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else {
      throw .data("\(path.shown): commit \(parts[0]): its time is out of range")
    }
    return GitVersion(
      commit: String(parts[0]), time: Timestamp(nanoseconds: nanoseconds),
      author: String(parts[2]), blob: blob)
  }

  /// Calls `body` with each version and its text, in order. Texts are read in groups of at most
  /// `contentSizeMax` bytes.
  func forEachText(
    _ versions: [GitVersion], _ body: (GitVersion, UTF16Text) async throws -> Void
  ) async throws {
    var rest = versions[...]
    let sizes = try await sizes(of: versions)
    while !rest.isEmpty {
      var (count, total) = (0, 0)
      for version in rest {
        total += version.blob.flatMap { sizes[$0] } ?? 0
        guard count == 0 || total <= Self.contentSizeMax else { break }
        count += 1
      }
      let group = rest.prefix(count)
      let contents = try await contents(of: group.compactMap(\.blob))
      for version in group {
        let bytes = version.blob.flatMap { contents[$0] } ?? []
        try await body(version, try text(bytes, version))
      }
      rest = rest.dropFirst(count)
    }
  }

  private func text(_ bytes: [UInt8], _ version: GitVersion) throws(CommandError) -> UTF16Text {
    let commit = version.commit.prefix(12)
    guard !bytes.contains(0) else {
      throw .data(
        "\(path.shown): commit \(commit): a binary file; only text can be imported")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .data("\(path.shown): commit \(commit): not UTF-8")
    }
    return UTF16Text(text)
  }

  private func sizes(of versions: [GitVersion]) async throws -> [String: Int] {
    let blobs = versions.compactMap(\.blob)
    let output = try await git(["cat-file", "--batch-check=%(objectname) %(objectsize)"], blobs)
    var sizes: [String: Int] = [:]
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let size = Int(parts[1]) else {
        throw CommandError.data("\(path.shown): git prints '\(line)'; is this a partial clone?")
      }
      guard size <= Self.contentSizeMax else {
        throw CommandError.data(
          "\(path.shown): a version has \(size) bytes; the maximum is \(Self.contentSizeMax)")
      }
      sizes[String(parts[0])] = size
    }
    return sizes
  }

  private func contents(of blobs: [String]) async throws -> [String: [UInt8]] {
    guard !blobs.isEmpty else { return [:] }
    let output = try await git(["cat-file", "--batch=%(objectname) %(objectsize)"], blobs)
    var (contents, rest) = ([String: [UInt8]](), output[...])
    while let end = rest.firstIndex(of: 0x0A) {
      let head = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      let start = end + 1
      guard head.count == 2, let size = Int(head[1]), size >= 0, rest.endIndex - start > size else {
        throw CommandError.data("\(path.shown): git cannot read one of its objects")
      }
      contents[String(head[0])] = Array(rest[start..<start + size])
      rest = rest[(start + size + 1)...]
    }
    return contents
  }

  /// Runs git without a shell. Paths are literal, not patterns.
  private func git(_ arguments: [String], _ input: [String] = []) async throws -> [UInt8] {
    let all = ["--literal-pathspecs", "--no-replace-objects", "-C", directory] + arguments
    do {
      let result = try await Subprocess.run(
        .name("git"), arguments: Arguments(all),
        environment: .inherit.updating(["LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"]),
        input: .string(input.map { $0 + "\n" }.joined()),
        output: .bytes(limit: Self.outputSizeMax), error: .string(limit: 1 << 16))
      guard result.terminationStatus.isSuccess else { throw refusal(result.standardError) }
      return result.standardOutput
    } catch let error as SubprocessError {
      throw CommandError.unavailable("cannot run git: \(error)")
    }
  }

  private func refusal(_ message: String?) -> CommandError {
    let first = message?.split(separator: "\n").first.map(String.init) ?? "no reason given"
    return .data("\(path.shown): git says: \(Excerpt.line(first, width: nil))")
  }
}
