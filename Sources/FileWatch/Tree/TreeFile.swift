import CLinux
import EditModel
import Glibc

/// Opens what is below a folder, in one step. No part of the path below the folder may be a symbolic link:
/// other programs may replace a folder by a link at any time, and what the link leads to is not in the tree.
package enum TreeFile {
  /// The descriptor of the file or folder at `path`, which the caller closes.
  ///
  /// - Parameters:
  ///   - path: An absolute path without `.` and `..`.
  ///   - root: The folder that it is in, or `path` itself. Links in the root's own path are followed. If
  ///     nil, only the last part of `path` must not be a link.
  ///   - flags: Those of open(2). Files are not created.
  ///   - usesOpenat2: False for the way of kernels before 5.6: one part after the other.
  /// - Throws: `ELOOP` or `ENOTDIR` if a part is a link.
  package static func open(
    _ path: String, in root: String?, _ flags: Int32, usesOpenat2: Bool = true
  ) throws(SystemError) -> Int32 {
    let flags = flags | O_CLOEXEC | O_NOFOLLOW
    guard let root else { return try checked(Glibc.open(path, flags)) }
    let folder = try checked(Glibc.open(root, linux_path_only | O_DIRECTORY | O_CLOEXEC))
    defer { close(folder) }
    let relative = path.isExactly(root) ? "." : path.relative(to: root).map(String.init)
    guard let relative else { throw SystemError(code: EXDEV) }
    if usesOpenat2 {
      let descriptor = linux_open_beneath(folder, relative, flags)
      // A filter of system calls may refuse what it does not know.
      if descriptor >= 0 || errno != ENOSYS && errno != EPERM { return try checked(descriptor) }
    }
    return try walk(relative, from: folder, flags)
  }

  private static func walk(
    _ path: String, from folder: Int32, _ flags: Int32
  ) throws(SystemError) -> Int32 {
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map {
      String(decoding: $0, as: UTF8.self)
    }
    var folder = try checked(fcntl(folder, F_DUPFD_CLOEXEC, 0))
    defer { close(folder) }
    for part in parts.dropLast() {
      let next = try checked(
        openat(folder, part, linux_path_only | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
      close(folder)
      folder = next
    }
    return try checked(openat(folder, parts.last ?? ".", flags))
  }

  private static func checked(_ result: Int32) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(code: errno) }
    return result
  }
}
