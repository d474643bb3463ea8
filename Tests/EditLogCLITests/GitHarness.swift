import EditModel
import Glibc
import NIOCore
import Subprocess
import TestSupport

@testable import EditLogCommands

/// A repository in a folder of its own, made with the user's `git`.
final class GitHarness {
  let folder = TemporaryFolder()
  var path: String { folder.path("repository") }

  init(_ options: String...) async throws {
    try await run("git", ["init", "-q", "-b", "main"] + options + [path])
  }

  /// The path of a file in the repository.
  func path(_ name: String) -> String { path + "/" + name }

  /// Runs git in the repository, with a name and an address, and returns what it prints. Settings of the machine
  /// do not count.
  @discardableResult
  func git(
    _ arguments: String..., at time: String = "2026-01-01T00:00:00Z", input: [UInt8] = []
  ) async throws -> String {
    let result = try await output(arguments, at: time, input: input)
    guard result.isSuccess else { throw RunError(message: "\(arguments): \(result.error)") }
    return result.output
  }

  /// As `git`, which may fail.
  func output(
    _ arguments: [String], at time: String = "2026-01-01T00:00:00Z", input: [UInt8] = []
  ) async throws -> (isSuccess: Bool, output: String, error: String) {
    let name = "Ada L"
    let result = try await Subprocess.run(
      .name("git"), arguments: Arguments(["-C", path] + arguments),
      environment: .inherit.updating([
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": time,
        "GIT_COMMITTER_DATE": time, "GIT_TERMINAL_PROMPT": "0",
        "PATH": folder.path("bin:") + (Terminal.environment("PATH") ?? ""),
      ]),
      input: .array(input), output: .bytes(limit: 1 << 20), error: .string(limit: 1 << 16))
    return (
      result.terminationStatus.isSuccess,
      String(decoding: result.standardOutput.drop { $0 == 0x0A }, as: UTF8.self).trimmed,
      result.standardError
    )
  }

  /// Writes a file of the repository.
  func write(_ content: [UInt8], _ name: String) throws {
    let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    guard content.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == content.count
    else { throw CreateError(code: errno) }
  }

  /// Commits a file with a content. Returns the commit's hash.
  @discardableResult
  func commit(
    _ name: String, _ content: String, _ message: String = "m",
    at time: String = "2026-01-01T00:00:00Z"
  ) async throws -> String {
    try await commit(name, Array(content.utf8), message, at: time)
  }

  @discardableResult
  func commit(
    _ name: String, _ content: [UInt8], _ message: String = "m",
    at time: String = "2026-01-01T00:00:00Z"
  ) async throws -> String {
    try write(content, name)
    try await git("add", "--", name)
    try await git("commit", "-qm", message, at: time)
    return try await git("rev-parse", "HEAD")
  }

  /// A store to import into.
  static func store() throws -> RealStore {
    var script = HistoryScript()
    try script.type("x", at: 0)
    return try RealStore(script.entries, document: "other")
  }

  /// What an import of a file makes.
  struct Imported: Equatable {
    var texts: [String] = []
    var times: [Timestamp] = []
    var authors: [String?] = []
    var labels: [String] = []
    var noted = ""
    var exitCode: Int32 = 0
  }

  /// Imports a file into a store of its own, as the document `d`.
  func imported(_ name: String, _ arguments: String...) async throws -> Imported {
    let store = try Self.store()
    var imported = Imported()
    let result = try await store.run(
      ImportGitCommand.self, [path(name), "--document", "d"] + arguments)
    (imported.noted, imported.exitCode) = (result.noted, result.exitCode)
    let lines = try await store.run(ExportCommand.self, ["d", "--format", "jsonl"]).printed
    var units: [UInt16] = []
    for line in lines.split(separator: "\n") {
      guard case .entry(let entry) = try AppendLine(.init(string: String(line)), line: 1) else {
        continue
      }
      switch entry {
      case .edit(let edit):
        units.replaceSubrange(edit.action.range.bounds, with: edit.action.replacement?.units ?? [])
        imported.authors.append(edit.author)
      case .event(let event):
        guard case .mark(let label, _) = event.kind else { continue }
        if GitObjectReader.isHash(label) {
          imported.texts.append(String(decoding: units, as: UTF16.self))
          imported.times.append(event.time)
        }
        imported.labels.append(label)
      }
    }
    return imported
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last?.isNewline == true { text.removeLast() }
    return String(text)
  }
}
