import EditProtocol
import Glibc

/// The place of the daemon's socket in the file system, checked before it is bound: a directory
/// of ours that nobody else can enter, and no other daemon behind the path.
struct SocketPlace {
  let path: String

  /// Bytes in the longest path a client can connect to.
  static let pathSizeMax = StandardPlaces.socketPathSizeMax

  /// Makes the directory where it is missing, and removes a socket that a dead daemon left.
  func prepare() throws(DaemonError) {
    guard (1...Self.pathSizeMax).contains(path.utf8.count) else {
      throw .socketPathTooLong(path: path, size: path.utf8.count, sizeMax: Self.pathSizeMax)
    }
    try checkDirectory()
    try removeStaleSocket()
  }

  private var directory: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func checkDirectory() throws(DaemonError) {
    makeDirectories(directory)
    var info = stat()
    guard lstat(directory, &info) == 0 else {
      throw .io(what: "look at the socket's directory \(directory)", errno: errno)
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw .socketRefused(path: directory, why: "it is not a directory")
    }
    guard info.st_uid == geteuid() else {
      throw .socketRefused(path: directory, why: "it belongs to user \(info.st_uid), not to us")
    }
    guard info.st_mode & 0o077 == 0 else {
      throw .socketRefused(
        path: directory, why: "others can enter it; make it private with: chmod 700 \(directory)")
    }
  }

  /// Best effort: what is missing afterwards shows in the check.
  private func makeDirectories(_ path: String) {
    var info = stat()
    guard !path.isEmpty, stat(path, &info) != 0 else { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      makeDirectories(String(path[..<slash]))
    }
    mkdir(path, 0o700)
  }

  private func removeStaleSocket() throws(DaemonError) {
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFSOCK, info.st_uid == geteuid() else {
      throw .socketRefused(path: path, why: "something that is not a socket of ours is there")
    }
    guard !somebodyListens() else { throw .socketInUse(path: path) }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .io(what: "remove the old socket \(path)", errno: errno)
    }
  }

  private func somebodyListens() -> Bool {
    guard var name = sockaddr_un(path: path) else { return false }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  /// Makes the socket private. Its directory lets nobody else in, so the moment between does
  /// not matter.
  func makePrivate() throws(DaemonError) {
    guard chmod(path, 0o600) == 0 else {
      throw .io(what: "make the socket \(path) private", errno: errno)
    }
  }

  /// Removes the socket at a clean stop.
  func remove() { unlink(path) }
}
