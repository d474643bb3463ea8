import EditLog
import EditModel
import Glibc
import TestSupport

/// One work with one operation that fails.
struct UnreadableRun: CustomStringConvertible {
  static let codes = [EACCES, EPERM, EMFILE, ENFILE, ENOMEM, EIO, ESTALE, EINTR]
  private static let names: Set = ["open", "list", "read", "stat", "lock"]

  let store: UnreadableStore
  let work: UnreadableWork
  let code: Int32
  let isForEver: Bool
  let first: Int
  let operation: FaultyFileSystem.Operation

  var description: String {
    let error = String(cString: strerror(code))
    return "\(work), \(operation.name) \(operation.path), \(error)\(isForEver ? " for ever" : "")"
  }

  /// - Throws: `StateCheck.Failure`; the error of the next start.
  func run() throws {
    guard Self.names.contains(operation.name) else { return }
    let disk = SimulatedFileSystem(store.disk.snapshot)
    var plan = FaultyFileSystem.Plan()
    (plan.first, plan.code, plan.forEver, plan.names) = (first, code, isForEver, Self.names)
    // For ever: this one file, or this folder.
    if isForEver { plan.pathEnd = operation.path }
    do { try store.perform(work, on: FaultyFileSystem(disk, plan)) } catch let error as LogError {
      if case .damaged = error { throw failure("called damaged", "\(error)") }
    }
    try check(disk)
  }

  private func failure(_ what: String, _ detail: String) -> StateCheck.Failure {
    StateCheck.Failure(what: what, detail: detail)
  }

  private func check(_ disk: SimulatedFileSystem) throws {
    if work == .read, disk.snapshot.digest != store.disk.snapshot.digest {
      throw failure("a reader changed a file", "")
    }
    for path in store.disk.filePaths where path.hasSuffix(".checkpoint") {
      guard disk[path] == store.disk[path] else { throw failure("a cache was changed", path) }
    }
    let writer = try openWriter(disk, seed: store.seed &+ 6)
    guard writer.recovery.isSound, writer.recovery.madeAnew.isEmpty else {
      throw failure("recovery is not sound", "\(writer.recovery)")
    }
    guard writer.losses.map(\.key) == store.losses else {
      throw failure("losses were invented or forgotten", "\(writer.losses)")
    }
    try writer.close()
    let problems = try Store.open(at: "/store", fileSystem: disk).verify().problems
    guard problems.isEmpty else { throw failure("damage", "\(problems)") }
    let attachments = try Store.open(at: "/store", fileSystem: disk).attachments(of: name("a"))
    guard attachments.count == 1 else { throw failure("an attachment is gone", "") }
  }
}
