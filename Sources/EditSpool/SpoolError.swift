import Glibc

/// Why a spool cannot be written or read.
package enum SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed.
  case io(what: String, path: String, errno: Int32)
  /// The path is not a folder that only this user can enter.
  case folderRefused(path: String)
  /// A record does not read back as it was written.
  case damaged(path: String)

  package var description: String {
    switch self {
    case .io(let what, let path, let number):
      "cannot \(what) \(path): \(String(cString: strerror(number)))"
    case .folderRefused(let path):
      "\(path) must be a folder that only this user can enter (mode 700)"
    case .damaged(let path): "\(path) does not read back as it was written"
    }
  }

  /// The failure of the last system call. The text shows `path`, never what is in the file.
  static func last(_ what: String, _ path: String) -> Self {
    .io(what: what, path: path, errno: errno)
  }
}
