import EditLog
import Glibc
import Synchronization

/// A directory of a simulated disk, open.
final class SimulatedDirectory: Directory {
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
      throw .refused(path: "\(path)/\(name)", what: "it is not a directory")
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
      throw .refused(path: path, what: "it is not a regular file")
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

/// A file of a simulated disk, open.
final class SimulatedFile: File {
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
    // A reference only: nothing is copied.
    guard let file = system.world.withLock({ $0.files[node]?.bytes }), offset < file.count else {
      return 0
    }
    let count = min(bytes.count, file.count - offset)
    file.withUnsafeBytes {
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
    }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    let copy = [UInt8](bytes)
    system.world.withLock { $0.change(node, .bytes(copy, offset: offset)) }
    return bytes.count
  }

  func reserve(_ size: Int) throws(LogError) {
    system.world.withLock { world in
      if (world.files[node]?.bytes.count ?? 0) < size { world.change(node, .size(size)) }
    }
  }

  func truncate(to size: Int) throws(LogError) {
    system.world.withLock { $0.change(node, .size(size)) }
  }

  func syncData() throws(LogError) { try sync() }
  func sync() throws(LogError) { system.world.withLock { $0.files[node]?.sync() } }
  func dropPendingBytes() { system.world.withLock { $0.files[node]?.pending = [] } }

  func isFound(at path: String) throws(LogError) -> Bool {
    system.world.withLock { $0.find(path) == node }
  }

  func isLocked() throws(LogError) -> Bool {
    let me = ObjectIdentifier(self)
    return system.world.withLock { $0.locks[node].map { $0 != me } ?? false }
  }

  func lock() throws(LogError) -> Bool {
    let me = ObjectIdentifier(self)
    return system.world.withLock { world in
      if let holder = world.locks[node], holder != me { return false }
      world.locks[node] = me
      return true
    }
  }
}
