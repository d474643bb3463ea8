import EditModel
import EditProtocol
import Glibc
import NIOCore

/// The path of the daemon's socket. Before it is bound, this checks that only this user can enter its
/// folder, and that no other daemon listens there.
///
/// A socket in a shared folder is refused, even with mode 0600 and in a folder with a sticky bit such as
/// /tmp: while no daemon runs, another user could bind a socket there, and would receive the texts of
/// clients.
struct SocketPath {
  let path: String

  /// Creates the folder if it does not exist, and removes the socket of a daemon that has ended.
  func prepare() throws(DaemonError) {
    _ = try address
    try checkDirectory()
    try removeStaleSocket()
  }

  /// Checks the length of the path, and the folder if it exists. Changes nothing.
  func check() throws(DaemonError) {
    _ = try address
    var info = stat()
    if lstat(directory, &info) == 0 { try checkFolder(orElse: 0) }
  }

  /// The address to bind.
  var address: SocketAddress {
    get throws(DaemonError) {
      guard let address = SocketAddress(socketPath: path) else {
        throw .socketPathTooLong(
          path: path, size: path.utf8.count, sizeMax: StandardPlaces.socketPathSizeMax)
      }
      return address
    }
  }

  private var directory: String { Self.folder(of: path) }

  /// The path without its last part.
  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Creates the folder if it does not exist, and returns its path. `prepare` checks it.
  func makeFolder() -> String {
    _ = makeDirectories(directory)
    return directory
  }

  private func checkDirectory() throws(DaemonError) {
    let code = makeDirectories(directory)
    try checkFolder(orElse: code)
  }

  /// Checks the folder. If it does not exist, `code` says why it could not be created.
  private func checkFolder(orElse code: Int32) throws(DaemonError) {
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

  /// The advice to use a private folder. The mode of the given folder may be needed as it is.
  private var advice: String {
    var path = StandardPlaces().socket
    if access(directory, W_OK) == 0 {
      let name =
        self.path.utf8.split(separator: UInt8(ascii: "/")).last.map {
          String(decoding: $0, as: UTF8.self)
        } ?? ""
      path = "\(directory == "/" ? "" : directory)/editlog-\(geteuid())/\(name)"
    }
    return "give a socket in a private folder, which editlogd creates: --socket \(path.shown)"
  }

  /// Creates a folder of mode 0700, and its parents that do not exist. Returns the error code, or 0 if
  /// the folder exists now.
  private func makeDirectories(_ path: String) -> Int32 {
    var info = stat()
    guard !path.isEmpty, stat(path, &info) != 0 else { return 0 }
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex {
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
        path: path, why: "the file there is not a socket of this user; give another --socket")
    }
    guard !hasListener() else { throw .socketInUse(path: path) }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .io(what: "remove the old socket \(path.shown)", errno: errno)
    }
  }

  private func hasListener() -> Bool {
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

  /// Sets the mode of the socket to 0600. Before that, no other user can reach it, because its folder
  /// is private.
  func makePrivate() throws(DaemonError) {
    guard chmod(path, 0o600) == 0 else {
      throw .io(what: "set the mode of the socket \(path.shown)", errno: errno)
    }
  }

  /// Removes the socket.
  func remove() { unlink(path) }
}
