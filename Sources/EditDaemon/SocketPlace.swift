import EditModel
import EditProtocol
import Glibc
import NIOCore

/// The place of the daemon's socket in the file system, checked before it is bound: a folder of this
/// user that no other can enter, and no other daemon that listens there.
///
/// A socket of mode 0600 in a shared folder is refused, /tmp with its sticky bit included: while no
/// daemon runs, others could put a socket of theirs there, and clients would send it their texts.
package struct SocketPlace {
  let path: String

  /// Bytes in the longest path a client can connect to.
  static let pathSizeMax = StandardPlaces.socketPathSizeMax

  /// Makes the directory where it is missing, and removes a socket that a dead daemon left.
  func prepare() throws(DaemonError) {
    _ = try address
    try checkDirectory()
    try removeStaleSocket()
  }

  /// What is bound.
  var address: SocketAddress {
    get throws(DaemonError) {
      guard let address = SocketAddress(socketPath: path) else {
        throw .socketPathTooLong(path: path, size: path.utf8.count, sizeMax: Self.pathSizeMax)
      }
      return address
    }
  }

  private var directory: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func checkDirectory() throws(DaemonError) {
    let code = makeDirectories(directory)
    var info = stat()
    guard lstat(directory, &info) == 0 else {
      throw .socketFolderMissing(path: directory, errno: code)
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw .socketRefused(path: directory, why: "it is not a folder; \(advice)")
    }
    guard info.st_uid == geteuid() else {
      throw .socketRefused(path: directory, why: "it belongs to user \(info.st_uid); \(advice)")
    }
    guard info.st_mode & 0o077 == 0 else {
      throw .socketRefused(path: directory, why: "other users can enter it; \(advice)")
    }
  }

  /// A place that can be used. The folder that is there may be needed by others as it is.
  private var advice: String {
    var place = StandardPlaces().socket
    if access(directory, W_OK) == 0 {
      let name = path.split(separator: "/").last ?? ""
      place = "\(directory == "/" ? "" : directory)/editlog-\(geteuid())/\(name)"
    }
    return "give a socket in a private folder, which editlogd creates: --socket \(place.shown)"
  }

  /// Creates a folder of mode 0700 and the parents that are missing. Returns why it could not; 0 if it
  /// could, or the folder is there.
  private func makeDirectories(_ path: String) -> Int32 {
    var info = stat()
    guard !path.isEmpty, stat(path, &info) != 0 else { return 0 }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let code = makeDirectories(String(path[..<slash]))
      guard code == 0 else { return code }
    }
    return mkdir(path, 0o700) == 0 ? 0 : errno
  }

  private func removeStaleSocket() throws(DaemonError) {
    var info = stat()
    guard lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFSOCK, info.st_uid == geteuid() else {
      throw .socketRefused(
        path: path, why: "what is there is not a socket of this user; give another --socket")
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
