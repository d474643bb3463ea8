public import EditLog
import Glibc
import Synchronization

/// A file system whose operations are counted, watched, and made to fail.
public final class FaultyFileSystem: FileSystem {
  /// One operation about to happen.
  public struct Operation: Hashable, Sendable {
    /// 1, 2, 3, …
    public var number: Int
    /// What it is: `open`, `read`, `write`, `sync`, …
    public var name: String
    /// The file or directory it is done to.
    public var path: String
  }

  /// When operations fail, and how.
  public struct Plan: Sendable {
    /// The first operation that fails; 0 for none.
    public var first = 0
    /// True if all operations from the first one on fail.
    public var forEver = false
    /// The error they fail with.
    public var code: Int32 = EIO
    /// True if each write takes at most half of its bytes, but at least one.
    public var writesAreShort = false
    /// True if a failing operation is a write that takes half of its bytes, without an error.
    public var failuresAreShortWrites = false
    /// True if a failing operation is a write in which one bit changes, without an error.
    public var failuresAreChangedBits = false
    /// True if a failing operation is done anyway, as when the process ends right after it.
    public var failuresAreDone = false
    /// True if a failing flush of a simulated file loses what it should make durable, while the
    /// system takes it as written.
    public var failedSyncsLoseBytes = false
    /// Bytes that a read gives at most.
    public var readSizeMax = Int.max
    /// Operations that can fail; all if nil.
    public var names: Set<String>?
    /// What the paths end in of the operations that can fail; empty for all.
    public var pathEnd = ""
    /// A plan by which nothing fails.
    public init() {}

    /// True if a failure is not reported as an error.
    fileprivate var failuresAreSilent: Bool { failuresAreShortWrites || failuresAreChangedBits }
  }

  private let base: any FileSystem
  private let plan: Mutex<Plan>
  private let count = Mutex(0)
  private let watch: (@Sendable (Operation) -> Void)?

  /// `base`, with `watch` called before each operation.
  public init(
    _ base: any FileSystem, _ plan: Plan = Plan(), watch: (@Sendable (Operation) -> Void)? = nil
  ) {
    (self.base, self.watch) = (base, watch)
    self.plan = Mutex(plan)
  }

  /// Operations so far.
  public var operationCount: Int { count.withLock { $0 } }

  /// Changes the plan; its `first` counts from the first operation ever.
  public func setPlan(_ plan: Plan) { self.plan.withLock { $0 = plan } }

  fileprivate var readSizeMax: Int { plan.withLock { $0.readSizeMax } }

  /// Counts an operation; gives the plan where it is to fail.
  private func note(_ name: String, _ path: String) -> Plan? {
    let number = count.withLock { count in
      count += 1
      return count
    }
    watch?(Operation(number: number, name: name, path: path))
    let plan = plan.withLock { $0 }
    let isDue = plan.first > 0 && (plan.forEver ? number >= plan.first : number == plan.first)
    return isDue && plan.names?.contains(name) ?? true && path.hasSuffix(plan.pathEnd)
      ? plan : nil
  }

  fileprivate func perform<Result>(
    _ name: String, _ path: String, on base: (any File)? = nil,
    _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    guard let plan = note(name, path), !plan.failuresAreSilent else { return try body() }
    if plan.failuresAreDone { _ = try body() }
    if name == "sync", plan.failedSyncsLoseBytes { (base as? SimulatedFile)?.dropPendingBytes() }
    throw .io(operation: name, path: path, errno: plan.code)
  }

  /// Writes all of the bytes or, as the plan says, a part.
  fileprivate func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, to base: any File
  ) throws(LogError) -> Int {
    let failing = note("write", base.path)
    if failing?.failuresAreChangedBits ?? false {
      let changed = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      defer { changed.deallocate() }
      changed.copyMemory(from: bytes)
      if !changed.isEmpty { changed[changed.count / 2] ^= 1 }
      return try base.write(UnsafeRawBufferPointer(changed), at: offset)
    }
    let isShort =
      failing?.failuresAreShortWrites ?? false || plan.withLock { $0.writesAreShort }
    if let failing, !isShort, !failing.failuresAreDone {
      // What had room is written.
      if failing.code == ENOSPC || failing.code == EDQUOT {
        _ = try base.write(
          UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
      }
      throw .io(operation: "write", path: base.path, errno: failing.code)
    }
    let part = isShort ? bytes[..<max(1, bytes.count / 2)] : bytes[...]
    let count = try base.write(UnsafeRawBufferPointer(rebasing: part), at: offset)
    if let failing, !isShort {
      throw .io(operation: "write", path: base.path, errno: failing.code)
    }
    return count
  }

  /// Opens a directory of the file system below.
  public func directory(at path: String) throws(LogError) -> any Directory {
    FaultyDirectory(
      self, try perform("open", path) { () throws(LogError) in try base.directory(at: path) })
  }

  /// Makes a directory in the file system below.
  public func createDirectory(at path: String) throws(LogError) -> any Directory {
    FaultyDirectory(
      self,
      try perform("mkdir", path) { () throws(LogError) in try base.createDirectory(at: path) })
  }
}

private final class FaultyDirectory: Directory {
  let system: FaultyFileSystem
  let base: any Directory
  var path: String { base.path }

  init(_ system: FaultyFileSystem, _ base: any Directory) {
    (self.system, self.base) = (system, base)
  }

  private func perform<Result>(
    _ operation: String, _ name: String? = nil, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try system.perform(operation, name.map { "\(path)/\($0)" } ?? path, body)
  }

  func directory(_ name: String) throws(LogError) -> any Directory {
    let found = try perform("open", name) { () throws(LogError) in try base.directory(name) }
    return FaultyDirectory(system, found)
  }
  func createDirectory(_ name: String) throws(LogError) -> any Directory {
    let found = try perform("mkdir", name) { () throws(LogError) in
      try base.createDirectory(name)
    }
    return FaultyDirectory(system, found)
  }
  func open(_ name: String, _ access: FileAccess) throws(LogError) -> any File {
    let operation = access == .create ? "create" : "open"
    let found = try perform(operation, name) { () throws(LogError) in
      try base.open(name, access)
    }
    return FaultyFile(system, found)
  }
  func names() throws(LogError) -> [String] {
    try perform("list") { () throws(LogError) in try base.names() }
  }
  func rename(_ name: String, to newName: String, in directory: any Directory) throws(LogError) {
    let target = (directory as? FaultyDirectory)?.base ?? directory
    try perform("rename", name) { () throws(LogError) in
      try base.rename(name, to: newName, in: target)
    }
  }
  func remove(_ name: String) throws(LogError) {
    try perform("unlink", name) { () throws(LogError) in try base.remove(name) }
  }
  func sync() throws(LogError) {
    try perform("sync") { () throws(LogError) in try base.sync() }
  }
}

private final class FaultyFile: File {
  let system: FaultyFileSystem
  let base: any File
  var path: String { base.path }

  init(_ system: FaultyFileSystem, _ base: any File) {
    (self.system, self.base) = (system, base)
  }

  private func perform<Result>(
    _ operation: String, _ body: () throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try system.perform(operation, path, on: base, body)
  }

  func size() throws(LogError) -> Int {
    try perform("stat") { () throws(LogError) in try base.size() }
  }
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    let count = min(bytes.count, system.readSizeMax)
    return try perform("read") { () throws(LogError) in
      try base.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }
  }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    try system.write(bytes, at: offset, to: base)
  }
  func reserve(_ size: Int) throws(LogError) {
    try perform("reserve") { () throws(LogError) in try base.reserve(size) }
  }
  func truncate(to size: Int) throws(LogError) {
    try perform("truncate") { () throws(LogError) in try base.truncate(to: size) }
  }
  func syncData() throws(LogError) {
    try perform("sync") { () throws(LogError) in try base.syncData() }
  }
  func sync() throws(LogError) {
    try perform("sync") { () throws(LogError) in try base.sync() }
  }
  func isFound(at path: String) throws(LogError) -> Bool {
    try perform("stat") { () throws(LogError) in try base.isFound(at: path) }
  }
  func isLocked() throws(LogError) -> Bool {
    try perform("stat") { () throws(LogError) in try base.isLocked() }
  }
  func lock() throws(LogError) -> Bool {
    try perform("lock") { () throws(LogError) in try base.lock() }
  }
}
