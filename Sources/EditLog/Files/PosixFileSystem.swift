import EditLogFormat
import Glibc

/// The files of this machine, by raw system calls.
///
/// A symbolic link at the end of a path is never followed, and no call blocks on a pipe or a
/// device. Anything but regular files and directories that only the owner can write is refused.
public struct PosixFileSystem: FileSystem {
  /// The user whose files are used.
  let owner: uid_t

  /// The files of the process's own user.
  public init() { owner = geteuid() }
  /// The files of the user with this number, so that root can read a service's store.
  public init(owner: UInt32) { self.owner = owner }

  /// Opens the directory at `path`, whose last part may not be a link.
  public func directory(at path: String) throws(LogError) -> any Directory {
    try PosixDirectory(path: path, name: path, in: AT_FDCWD, owner: owner)
  }

  /// Makes the directory at `path` and the parents that are missing, with mode 0700, flushes the
  /// parent of each, and opens it.
  public func createDirectory(at path: String) throws(LogError) -> any Directory {
    do { try make(path) } catch {
      guard error.isMissing else { throw error }
      _ = try createDirectory(at: Self.parent(of: path))
      try make(path)
    }
    return try directory(at: path)
  }

  private func make(_ path: String) throws(LogError) {
    if try makeDirectory(path, in: AT_FDCWD, path: path) {
      try sync(Self.parent(of: path))
    }
  }

  /// The path without its last part; `.` if it has no other.
  private static func parent(of path: String) -> String {
    var parts = Substring(path)
    while parts.hasSuffix("/") { parts.removeLast() }
    while let last = parts.last, last != "/" { parts.removeLast() }
    return parts.isEmpty ? "." : String(parts)
  }

  /// Flushes a directory that need not be ours.
  private func sync(_ parent: String) throws(LogError) {
    let descriptor = try call("open", parent) {
      open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { close(descriptor) }
    _ = try call("fsync", parent) { fsync(descriptor) }
  }
}

/// Makes a system call, repeats it if a signal interrupted it, and returns its result.
func call<Answer: SignedInteger>(
  _ operation: String, _ path: String, _ body: () -> Answer
) throws(LogError) -> Answer {
  while true {
    let answer = body()
    if answer >= 0 { return answer }
    let code = errno
    switch code {
    case EINTR: continue
    case ELOOP: throw .refused(path: path, what: "it is a symbolic link")
    case ENXIO: throw .refused(path: path, what: "it is a socket or a pipe")
    default: throw .io(operation: operation, path: path, errno: code)
    }
  }
}

/// Creates a directory with mode 0700. Returns false if the name is taken.
func makeDirectory(_ name: String, in parent: Int32, path: String) throws(LogError) -> Bool {
  do {
    _ = try call("mkdir", path) { mkdirat(parent, name, 0o700) }
    return true
  } catch {
    if case .io(_, _, EEXIST) = error { return false }
    throw error
  }
}

/// Refuses a file or directory that another user owns or can write to.
func checkOwner(_ status: stat, owner: uid_t, path: String) throws(LogError) {
  guard status.st_uid == owner else {
    throw .refused(path: path, what: "it belongs to another user")
  }
  guard status.st_mode & 0o022 == 0 else {
    throw .refused(path: path, what: "other users can write to it")
  }
}
