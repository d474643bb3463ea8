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
    /// True where all operations from then on fail.
    public var forEver = false
    /// The error they fail with.
    public var code: Int32 = EIO
    /// True where each write takes at most half of its bytes, but at least one.
    public var writesAreShort = false
    /// Bytes that a read gives at most.
    public var readSizeMax = Int.max
    /// Operations that can fail; all where nil.
    public var names: Set<String>?
    /// A plan by which nothing fails.
    public init() {}
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
  fileprivate var writesAreShort: Bool { plan.withLock { $0.writesAreShort } }

  fileprivate func note(_ name: String, _ path: String) throws(LogError) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    watch?(Operation(number: number, name: name, path: path))
    let plan = plan.withLock { $0 }
    let isDue = plan.first > 0 && (plan.forEver ? number >= plan.first : number == plan.first)
    if isDue, plan.names?.contains(name) ?? true {
      throw .io(operation: name, path: path, errno: plan.code)
    }
  }

  /// Opens a directory of the file system below.
  public func directory(at path: String) throws(LogError) -> any Directory {
    try note("open", path)
    return FaultyDirectory(self, try base.directory(at: path))
  }

  /// Makes a directory in the file system below.
  public func createDirectory(at path: String) throws(LogError) -> any Directory {
    try note("mkdir", path)
    return FaultyDirectory(self, try base.createDirectory(at: path))
  }
}

private final class FaultyDirectory: Directory {
  let system: FaultyFileSystem
  let base: any Directory
  var path: String { base.path }

  init(_ system: FaultyFileSystem, _ base: any Directory) {
    (self.system, self.base) = (system, base)
  }

  func directory(_ name: String) throws(LogError) -> any Directory {
    try system.note("open", "\(path)/\(name)")
    return FaultyDirectory(system, try base.directory(name))
  }
  func createDirectory(_ name: String) throws(LogError) -> any Directory {
    try system.note("mkdir", "\(path)/\(name)")
    return FaultyDirectory(system, try base.createDirectory(name))
  }
  func open(_ name: String, _ access: FileAccess) throws(LogError) -> any File {
    try system.note(access == .create ? "create" : "open", "\(path)/\(name)")
    return FaultyFile(system, try base.open(name, access))
  }
  func names() throws(LogError) -> [String] {
    try system.note("list", path)
    return try base.names()
  }
  func rename(_ name: String, to newName: String, in directory: any Directory) throws(LogError) {
    try system.note("rename", "\(path)/\(name)")
    let target = (directory as? FaultyDirectory)?.base ?? directory
    try base.rename(name, to: newName, in: target)
  }
  func remove(_ name: String) throws(LogError) {
    try system.note("unlink", "\(path)/\(name)")
    try base.remove(name)
  }
  func sync() throws(LogError) {
    try system.note("sync", path)
    try base.sync()
  }
}

private final class FaultyFile: File {
  let system: FaultyFileSystem
  let base: any File
  var path: String { base.path }

  init(_ system: FaultyFileSystem, _ base: any File) {
    (self.system, self.base) = (system, base)
  }

  func size() throws(LogError) -> Int {
    try system.note("stat", path)
    return try base.size()
  }
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    try system.note("read", path)
    let count = min(bytes.count, system.readSizeMax)
    return try base.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    try system.note("write", path)
    let count = system.writesAreShort ? max(1, bytes.count / 2) : bytes.count
    return try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }
  func reserve(_ size: Int) throws(LogError) {
    try system.note("reserve", path)
    try base.reserve(size)
  }
  func truncate(to size: Int) throws(LogError) {
    try system.note("truncate", path)
    try base.truncate(to: size)
  }
  func syncData() throws(LogError) {
    try system.note("sync", path)
    try base.syncData()
  }
  func sync() throws(LogError) {
    try system.note("sync", path)
    try base.sync()
  }
  func lock() throws(LogError) -> Bool {
    try system.note("lock", path)
    return try base.lock()
  }
}
