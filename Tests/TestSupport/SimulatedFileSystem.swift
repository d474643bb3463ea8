public import EditLog
import Glibc
import Synchronization

/// A disk with a volatile cache, in memory.
///
/// The fault model is the weakest that file systems are known to keep. What was not synced may be
/// lost, kept, or torn when the machine stops: each write on its own, in sectors of 512 bytes;
/// each change of a file's size; each name made, removed or changed, in any combination. A rename
/// is one change, also between two directories. A file's bytes are durable after its own sync,
/// its name after its directory's.
public final class SimulatedFileSystem: FileSystem {
  /// What becomes of unsynced changes when the machine stops.
  public enum Loss: Hashable, Sendable {
    case all
    case none
    /// Each change, and each sector of each write, is kept or lost by this seed.
    case some(seed: UInt64)
  }

  /// The state of the disk at a moment, cache included.
  public struct Snapshot: Sendable { fileprivate var world: World }

  fileprivate let world: Mutex<World>

  /// An empty disk.
  public init() { world = Mutex(World()) }
  /// The disk of a snapshot, as it is read while the machine runs on.
  public init(_ snapshot: Snapshot) {
    var copy = snapshot.world
    copy.locks = [:]
    world = Mutex(copy)
  }

  /// The disk as it is now.
  public var snapshot: Snapshot { Snapshot(world: world.withLock { $0 }) }

  /// What a machine finds after it stopped at `snapshot`.
  public static func crash(_ snapshot: Snapshot, _ loss: Loss) -> SimulatedFileSystem {
    SimulatedFileSystem(Snapshot(world: snapshot.world.crashed(loss)))
  }

  /// The bytes of a file by its path, nil where there is none. For tests that damage files.
  public subscript(path: String) -> [UInt8]? {
    get {
      world.withLock { world in world.find(path).flatMap { world.files[$0]?.bytes } }
    }
    set {
      world.withLock { world in
        guard let node = world.find(path), let newValue else { return }
        world.files[node] = FileNode(bytes: newValue, durable: newValue)
      }
    }
  }

  /// The bytes of all files by their paths.
  public var files: [String: [UInt8]] {
    world.withLock { world in
      var (found, open): ([String: [UInt8]], [(String, Int)]) = ([:], [("", World.root)])
      while let (path, directory) = open.popLast() {
        for (name, node) in world.directories[directory]?.names ?? [:] {
          if let file = world.files[node] { found[path + "/" + name] = file.bytes }
          if world.directories[node] != nil { open.append((path + "/" + name, node)) }
        }
      }
      return found
    }
  }

  /// The bytes of all files there ever were, as they are and as a crash would leave them, those
  /// without a name too: where a disk may still have them.
  public var rawBytes: [[UInt8]] {
    world.withLock { $0.files.values.flatMap { [$0.bytes, $0.durable] } }
  }

  /// What a failed flush leaves: unsynced bytes are still read, are thought to be written, and
  /// are not on the disk.
  public func dropPendingBytes() {
    world.withLock { world in
      for node in world.files.keys { world.files[node]?.pending = [] }
    }
  }

  /// The names in a directory by its path.
  public func names(at path: String) -> [String] {
    world.withLock { world in
      world.find(path).flatMap { world.directories[$0]?.names.keys.sorted() } ?? []
    }
  }

  /// Opens a directory.
  public func directory(at path: String) throws(LogError) -> any Directory {
    let node = try world.withLock { world throws(LogError) in
      guard let node = world.find(path) else {
        throw .io(operation: "open", path: path, errno: ENOENT)
      }
      return node
    }
    return SimulatedDirectory(self, node, path)
  }

  /// Makes a directory, durably, and opens it.
  public func createDirectory(at path: String) throws(LogError) -> any Directory {
    world.withLock { world in
      guard world.find(path) == nil else { return }
      let parts = path.split(separator: "/")
      let parent = world.find(parts.dropLast().joined(separator: "/")) ?? World.root
      world.link(String(parts.last ?? ""), to: world.newDirectory(), in: parent)
      world.syncDirectory(parent)
    }
    return try directory(at: path)
  }
}

private struct FileNode: Sendable {
  enum Change: Sendable {
    case bytes([UInt8], offset: Int)
    case size(Int)
  }

  var bytes: [UInt8] = []
  var durable: [UInt8] = []
  var pending: [Change] = []

  mutating func change(_ change: Change) {
    Self.apply(change, to: &bytes)
    pending.append(change)
  }

  /// Only what is pending reaches the disk: see `dropPendingBytes`.
  mutating func sync() {
    for change in pending { Self.apply(change, to: &durable) }
    pending = []
  }

  static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .size(let size):
      if size < bytes.count { bytes.removeLast(bytes.count - size) }
      if size > bytes.count { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
    case .bytes(let new, let offset):
      if bytes.count < offset + new.count { apply(.size(offset + new.count), to: &bytes) }
      bytes.replaceSubrange(offset..<offset + new.count, with: new)
    }
  }
}

private struct DirectoryNode: Sendable {
  struct Change: Sendable {
    /// The two halves of a rename between directories share it.
    var id: Int
    var removed: String?
    var added: (name: String, node: Int)?
  }

  var names: [String: Int] = [:]
  var durable: [String: Int] = [:]
  var pending: [Change] = []

  static func apply(_ change: Change, to names: inout [String: Int]) {
    if let removed = change.removed { names[removed] = nil }
    if let added = change.added { names[added.name] = added.node }
  }
}

private struct World: Sendable {
  static let root = 0
  var files: [Int: FileNode] = [:]
  var directories: [Int: DirectoryNode] = [World.root: DirectoryNode()]
  var nextNode = 1
  var nextChange = 0
  /// The opening of a file that holds its lock.
  var locks: [Int: ObjectIdentifier] = [:]

  func find(_ path: String) -> Int? {
    path.split(separator: "/").reduce(Optional(World.root)) { node, name in
      node.flatMap { directories[$0]?.names[String(name)] }
    }
  }

  mutating func newDirectory() -> Int {
    directories[nextNode] = DirectoryNode()
    nextNode += 1
    return nextNode - 1
  }

  mutating func newFile() -> Int {
    files[nextNode] = FileNode()
    nextNode += 1
    return nextNode - 1
  }

  mutating func change(_ directory: Int, _ change: DirectoryNode.Change) {
    guard var node = directories[directory] else { return }
    DirectoryNode.apply(change, to: &node.names)
    node.pending.append(change)
    directories[directory] = node
  }

  mutating func link(_ name: String, to node: Int, in directory: Int) {
    nextChange += 1
    change(directory, .init(id: nextChange, removed: nil, added: (name, node)))
  }

  mutating func unlink(_ name: String, in directory: Int) {
    nextChange += 1
    change(directory, .init(id: nextChange, removed: name, added: nil))
  }

  mutating func rename(_ name: String, in directory: Int, to newName: String, in target: Int) {
    guard let node = directories[directory]?.names[name] else { return }
    nextChange += 1
    if directory == target {
      change(directory, .init(id: nextChange, removed: name, added: (newName, node)))
    } else {
      change(target, .init(id: nextChange, removed: nil, added: (newName, node)))
      change(directory, .init(id: nextChange, removed: name, added: nil))
    }
  }

  mutating func syncDirectory(_ directory: Int) {
    let ids = Set(directories[directory]?.pending.map(\.id) ?? [])
    for (number, node) in directories {
      var node = node
      for change in node.pending where ids.contains(change.id) {
        DirectoryNode.apply(change, to: &node.durable)
      }
      node.pending.removeAll { ids.contains($0.id) }
      directories[number] = node
    }
  }

  func crashed(_ loss: SimulatedFileSystem.Loss) -> World {
    var world = self
    var random = SplitMix64(seed: { if case .some(let seed) = loss { seed } else { 0 } }())
    func isKept() -> Bool {
      switch loss {
      case .all: false
      case .none: true
      case .some: Bool.random(using: &random)
      }
    }
    for (number, file) in files.sorted(by: { $0.key < $1.key }) {
      var bytes = file.durable
      for change in file.pending {
        guard case .bytes(let new, let offset) = change, case .some = loss else {
          if isKept() { FileNode.apply(change, to: &bytes) }
          continue
        }
        for start in stride(from: 0, to: new.count, by: 512) where isKept() {
          let sector = Array(new[start..<min(start + 512, new.count)])
          FileNode.apply(.bytes(sector, offset: offset + start), to: &bytes)
        }
      }
      world.files[number] = FileNode(bytes: bytes, durable: bytes)
    }
    var verdicts: [Int: Bool] = [:]
    for (number, directory) in directories.sorted(by: { $0.key < $1.key }) {
      var names = directory.durable
      for change in directory.pending {
        let kept = verdicts[change.id] ?? isKept()
        verdicts[change.id] = kept
        if kept { DirectoryNode.apply(change, to: &names) }
      }
      world.directories[number] = DirectoryNode(names: names, durable: names)
    }
    world.locks = [:]
    return world
  }
}

private final class SimulatedDirectory: Directory {
  let system: SimulatedFileSystem
  let node: Int
  let path: String

  init(_ system: SimulatedFileSystem, _ node: Int, _ path: String) {
    (self.system, self.node, self.path) = (system, node, path)
  }

  private func find(_ name: String) -> Int? {
    system.world.withLock { $0.directories[node]?.names[name] }
  }

  func directory(_ name: String) throws(LogError) -> any Directory {
    guard let found = find(name) else {
      throw .io(operation: "open", path: "\(path)/\(name)", errno: ENOENT)
    }
    guard system.world.withLock({ $0.directories[found] != nil }) else {
      throw .refused(path: "\(path)/\(name)", what: "not a directory")
    }
    return SimulatedDirectory(system, found, "\(path)/\(name)")
  }

  func createDirectory(_ name: String) throws(LogError) -> any Directory {
    if find(name) == nil {
      system.world.withLock { $0.link(name, to: $0.newDirectory(), in: node) }
    }
    return try directory(name)
  }

  func open(_ name: String, _ access: FileAccess) throws(LogError) -> any File {
    let path = "\(path)/\(name)"
    let found = find(name)
    if access == .create {
      guard found == nil else { throw .io(operation: "open", path: path, errno: EEXIST) }
      let file = system.world.withLock { world in
        let file = world.newFile()
        world.link(name, to: file, in: node)
        return file
      }
      return SimulatedFile(system, file, path)
    }
    guard let found else { throw .io(operation: "open", path: path, errno: ENOENT) }
    guard system.world.withLock({ $0.files[found] != nil }) else {
      throw .refused(path: path, what: "not a regular file")
    }
    return SimulatedFile(system, found, path)
  }

  func names() throws(LogError) -> [String] {
    system.world.withLock { $0.directories[node]?.names.keys.sorted() ?? [] }
  }

  func rename(_ name: String, to newName: String, in directory: any Directory) throws(LogError) {
    guard let target = directory as? SimulatedDirectory, find(name) != nil else {
      throw .io(operation: "rename", path: "\(path)/\(name)", errno: ENOENT)
    }
    system.world.withLock { $0.rename(name, in: node, to: newName, in: target.node) }
  }

  func remove(_ name: String) throws(LogError) {
    guard find(name) != nil else {
      throw .io(operation: "unlink", path: "\(path)/\(name)", errno: ENOENT)
    }
    system.world.withLock { $0.unlink(name, in: node) }
  }

  func sync() throws(LogError) { system.world.withLock { $0.syncDirectory(node) } }
}

private final class SimulatedFile: File {
  let system: SimulatedFileSystem
  let node: Int
  let path: String

  init(_ system: SimulatedFileSystem, _ node: Int, _ path: String) {
    (self.system, self.node, self.path) = (system, node, path)
  }

  deinit {
    let me = ObjectIdentifier(self)
    system.world.withLock { world in
      if world.locks[node] == me { world.locks[node] = nil }
    }
  }

  func size() throws(LogError) -> Int { system.world.withLock { $0.files[node]?.bytes.count ?? 0 } }

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    let buffer = SendableBuffer(bytes: bytes)
    return system.world.withLock { world in
      guard let file = world.files[node]?.bytes, offset < file.count else { return 0 }
      let count = min(buffer.bytes.count, file.count - offset)
      file.withUnsafeBytes {
        buffer.bytes.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
      }
      return count
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    let copy = [UInt8](bytes)
    system.world.withLock { $0.files[node]?.change(.bytes(copy, offset: offset)) }
    return bytes.count
  }

  func reserve(_ size: Int) throws(LogError) {
    system.world.withLock { world in
      if (world.files[node]?.bytes.count ?? 0) < size { world.files[node]?.change(.size(size)) }
    }
  }

  func truncate(to size: Int) throws(LogError) {
    system.world.withLock { $0.files[node]?.change(.size(size)) }
  }

  func syncData() throws(LogError) { try sync() }
  func sync() throws(LogError) { system.world.withLock { $0.files[node]?.sync() } }

  func lock() throws(LogError) -> Bool {
    let me = ObjectIdentifier(self)
    return system.world.withLock { world in
      if let holder = world.locks[node], holder != me { return false }
      world.locks[node] = me
      return true
    }
  }
}

/// A buffer that is used inside one call only, by the thread that gave it.
private struct SendableBuffer: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
}
