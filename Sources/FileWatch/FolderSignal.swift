import Glibc

/// Says that files in one folder were closed after writing, or got or lost their names; not which
/// ones. Costs nothing until then: the caller reads from `descriptor`.
package struct FolderSignal: Sendable {
  /// Has bytes to read after a change. The caller closes it.
  package let descriptor: Int32
  private let path: String
  private let folder: [UInt64]

  /// Watches the folder at `path`.
  ///
  /// - Throws: if the folder cannot be watched.
  package init(path: String) throws(SystemError) {
    let inotify = try Inotify()
    let mask =
      UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
      | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    _ = try inotify.add(path, mask, in: nil).get()
    (self.path, folder) = (path, try Self.identity(path))
    descriptor = fcntl(inotify.descriptor, F_DUPFD_CLOEXEC, 0)
    if descriptor < 0 { throw SystemError(code: errno) }
  }

  /// False if the folder is gone, or has another name now.
  package var isCurrent: Bool { (try? Self.identity(path)) == folder }

  private static func identity(_ path: String) throws(SystemError) -> [UInt64] {
    var info = stat()
    guard stat(path, &info) == 0 else { throw SystemError(code: errno) }
    return [UInt64(info.st_dev), UInt64(info.st_ino)]
  }
}
