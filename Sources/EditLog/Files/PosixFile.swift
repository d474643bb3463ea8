import EditLogFormat
import Glibc

/// A regular file by its descriptor.
final class PosixFile: File {
  let path: String
  private let descriptor: Int32
  /// Which file it is, whatever becomes of its name.
  private let device: dev_t
  private let inode: ino_t

  init(
    path: String, name: String, in directory: Int32, access: FileAccess, owner: uid_t
  ) throws(LogError) {
    self.path = path
    var flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    switch access {
    case .read: flags |= O_RDONLY
    case .write: flags |= O_RDWR
    case .create: flags |= O_RDWR | O_CREAT | O_EXCL
    }
    let descriptor: Int32
    do {
      descriptor = try call("open", path) { openat(directory, name, flags, 0o600) }
    } catch {
      guard case .io(_, _, EISDIR) = error else { throw error }
      throw .refused(path: path, what: "it is not a regular file")
    }
    var status = stat()
    let code = fstat(descriptor, &status) == 0 ? 0 : errno
    // From here on `deinit` closes the descriptor.
    (self.descriptor, device, inode) = (descriptor, status.st_dev, status.st_ino)
    guard code == 0 else { throw .io(operation: "fstat", path: path, errno: code) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .refused(path: path, what: "it is not a regular file")
    }
    try checkOwner(status, owner: owner, path: path)
    // 0: replaced or removed since it was opened; what is open stays whole.
    guard status.st_nlink <= 1 else {
      throw .refused(path: path, what: "it has several hard links")
    }
  }

  deinit {
    // A child process shares the open file until it calls exec, so closing alone would not release
    // the lock.
    var request = flock()
    (request.l_type, request.l_whence) = (Int16(F_UNLCK), Int16(SEEK_SET))
    _ = fcntl(descriptor, Self.setOpenFileLock, &request)
    close(descriptor)
  }

  /// `F_OFD_GETLK` and `F_OFD_SETLK`, which the headers define only with `_GNU_SOURCE`.
  private static let (getOpenFileLock, setOpenFileLock): (Int32, Int32) = (36, 37)

  func size() throws(LogError) -> Int {
    var status = stat()
    _ = try call("fstat", path) { fstat(descriptor, &status) }
    return Int(status.st_size)
  }

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    try call("read", path) { pread(descriptor, bytes.baseAddress, bytes.count, offset) }
  }

  /// `SEEK_DATA` and `SEEK_HOLE`, which the headers define only with `_GNU_SOURCE`.
  private static let (seekData, seekHole): (Int32, Int32) = (3, 4)

  func data(from offset: Int) throws(LogError) -> Range<Int>? {
    let start = lseek(descriptor, offset, Self.seekData)
    // A file system that does not know of holes says so in other words.
    guard start >= 0 else { return errno == ENXIO ? nil : offset..<Int.max }
    let end = lseek(descriptor, start, Self.seekHole)
    return start..<(end > start ? end : Int.max)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int {
    try call("write", path) { pwrite(descriptor, bytes.baseAddress, bytes.count, offset) }
  }

  func reserve(_ size: Int) throws(LogError) {
    _ = try call("fallocate", path) {
      let code = posix_fallocate(descriptor, 0, size)
      errno = code
      return code == 0 ? Int32(0) : -1
    }
  }

  func truncate(to size: Int) throws(LogError) {
    _ = try call("ftruncate", path) { ftruncate(descriptor, size) }
  }

  func syncData() throws(LogError) {
    _ = try call("fdatasync", path) { fdatasync(descriptor) }
  }

  func sync() throws(LogError) {
    _ = try call("fsync", path) { fsync(descriptor) }
  }

  func isFound(at path: String) throws(LogError) -> Bool {
    var status = stat()
    do throws(LogError) {
      _ = try call("stat", path) { lstat(path, &status) }
    } catch {
      if error.isMissing { return false }
      throw error
    }
    return status.st_dev == device && status.st_ino == inode
  }

  func isLocked() throws(LogError) -> Bool {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    _ = try call("lock", path) { fcntl(descriptor, Self.getOpenFileLock, &request) }
    return request.l_type != Int16(F_UNLCK)
  }

  func lock() throws(LogError) -> Bool {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    do {
      // Of the open file, not of the process: no other close in this process lets it go.
      _ = try call("lock", path) { fcntl(descriptor, Self.setOpenFileLock, &request) }
      return true
    } catch {
      if case .io(_, _, EAGAIN) = error { return false }
      if case .io(_, _, EACCES) = error { return false }
      throw error
    }
  }
}
