import FileWatch
import Glibc
import Subprocess
import TestSupport
import Testing

/// A folder with a watcher.
struct WatcherHarness {
  let folder = TemporaryFolder()
  let watcher: FileWatcher
  var root: String { folder.path("tree") }

  /// Watches the folder `tree`, or these paths in it, after `prepare` has filled it.
  init(
    _ names: [String] = [""], _ filter: WatchFilter = WatchFilter(),
    _ prepare: (borrowing Self) throws -> Void = { _ in }
  ) throws {
    let root = folder.path("tree")
    try Self.check(mkdir(root, 0o700))
    watcher = try FileWatcher(
      roots: names.map { $0.isEmpty ? root : "\(root)/\($0)" }, filter)
    try prepare(self)
    try watcher.scan()
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  func write(_ text: String, _ name: String) throws {
    let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try Self.check(file)
    defer { close(file) }
    let bytes = Array(text.utf8)
    try Self.check(Glibc.write(file, bytes, bytes.count) == bytes.count ? 0 : -1)
  }

  func makeFolder(_ name: String) throws { try Self.check(mkdir(path(name), 0o700)) }
  func rename(_ old: String, _ new: String) throws {
    try Self.check(Glibc.rename(path(old), path(new)))
  }
  func remove(_ name: String) throws { try Self.check(unlink(path(name))) }

  private static func check(_ result: Int32) throws {
    if result < 0 { throw SystemError(code: errno) }
  }

  func git(_ arguments: String...) async throws {
    let (isDone, error) = try await run(arguments)
    try #require(isDone, "\(error)")
  }

  /// True if git ignores a file of the working tree `folder`.
  func isIgnored(
    _ name: String, in folder: String, excludesFile: String = "/dev/null"
  ) async throws -> Bool {
    try await run(
      ["-c", "core.excludesFile=\(excludesFile)", "-C", folder, "check-ignore", "-q", name]
    ).isDone
  }

  private func run(_ arguments: [String]) async throws -> (isDone: Bool, error: String) {
    let result = try await Subprocess.run(
      .name("git"),
      arguments: Arguments(
        ["-C", root, "-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
          + arguments), output: .discarded, error: .string(limit: 1 << 16))
    return (result.terminationStatus.isSuccess, result.standardError)
  }

  /// The files that were due so far, by their names in the folder.
  func due() -> [String] {
    // Nothing is waited for: what has come counts as settled.
    watcher.takeDue(at: .now + .seconds(3_600)).files.map {
      String($0.path.dropFirst(root.utf8.count + 1))
    }
  }

  /// Waits for changes until `isDone`, or for two minutes.
  ///
  /// - Throws: if it is never done.
  func wait(until isDone: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !isDone() {
      try #require(.now < deadline, "the changes did not come in two minutes")
      watcher.wait(until: deadline)
    }
  }

  /// Collects the names of changed files until `expected` are among them.
  @discardableResult
  func changed(_ expected: String...) throws -> Set<String> { try changed(Set(expected)) }

  @discardableResult
  func changed(_ expected: Set<String>) throws -> Set<String> {
    var found: Set<String> = []
    try wait {
      found.formUnion(due())
      return found.isSuperset(of: expected)
    }
    return found
  }

  /// Collects notes until there is one for which `isExpected` holds.
  func notes(until isExpected: (TreeNote) -> Bool) throws -> [TreeNote] {
    var notes: [TreeNote] = []
    try wait {
      notes += watcher.takeNotes()
      return notes.contains(where: isExpected)
    }
    return notes
  }
}
