import EditLogFormat
import Glibc

/// A directory by its descriptor.
final class PosixDirectory: Directory {
  let path: String
  private let descriptor: Int32
  private let owner: uid_t

  init(path: String, name: String, in parent: Int32, owner: uid_t) throws(LogError) {
    (self.path, self.owner) = (path, owner)
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    do {
      descriptor = try call("open", path) { openat(parent, name, flags) }
    } catch {
      // With O_DIRECTORY a link is no directory either.
      guard case .io(_, _, ENOTDIR) = error else { throw error }
      throw .refused(path: path, what: "it is not a directory")
    }
    // From here on `deinit` closes the descriptor.
    var status = stat()
    _ = try call("fstat", path) { fstat(descriptor, &status) }
    try checkOwner(status, owner: owner, path: path)
  }

  deinit { close(descriptor) }

  func directory(_ name: String) throws(LogError) -> any Directory {
    try PosixDirectory(path: "\(path)/\(name)", name: name, in: descriptor, owner: owner)
  }

  func createDirectory(_ name: String) throws(LogError) -> any Directory {
    _ = try makeDirectory(name, in: descriptor, path: "\(path)/\(name)")
    return try directory(name)
  }

  func open(_ name: String, _ access: FileAccess) throws(LogError) -> any File {
    try PosixFile(
      path: "\(path)/\(name)", name: name, in: descriptor, access: access, owner: owner)
  }

  /// Looks and does not open: with tens of thousands of documents that is what takes the time.
  func size(of name: String, in folder: String?) throws(LogError) -> Int {
    let place = folder.map { "\($0)/\(name)" } ?? name
    var status = stat()
    _ = try call("stat", "\(path)/\(place)") {
      fstatat(descriptor, place, &status, AT_SYMLINK_NOFOLLOW)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .refused(path: "\(path)/\(place)", what: "it is not a regular file")
    }
    return Int(status.st_size)
  }

  func names() throws(LogError) -> [String] {
    // A descriptor of its own: reading a directory moves the descriptor's place.
    let copy = try call("open", path) {
      openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = fdopendir(copy) else {
      let code = errno
      close(copy)
      throw .io(operation: "fdopendir", path: path, errno: code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw .io(operation: "readdir", path: path, errno: errno) }
    return names.sorted()
  }

  func rename(_ name: String, to newName: String, in directory: any Directory) throws(LogError) {
    guard let target = directory as? PosixDirectory else {
      throw .refused(path: directory.path, what: "it is a directory of another file system")
    }
    _ = try call("rename", "\(path)/\(name)") {
      renameat(descriptor, name, target.descriptor, newName)
    }
  }

  func remove(_ name: String) throws(LogError) {
    _ = try call("unlink", "\(path)/\(name)") { unlinkat(descriptor, name, 0) }
  }

  func sync() throws(LogError) {
    _ = try call("fsync", path) { fsync(descriptor) }
  }
}
