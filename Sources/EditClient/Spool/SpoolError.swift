import Glibc

/// Why a spool cannot be written or read.
enum SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A system call failed.
  case io(what: String, path: String, errno: Int32)
  /// The folder belongs to someone else, or is none.
  case folderRefused(path: String)
  /// A record does not read back as it was written.
  case damaged(path: String)

  var description: String {
    switch self {
    case .io(let what, let path, let number):
      "cannot \(what) \(path): \(String(cString: strerror(number)))"
    case .folderRefused(let path):
      "\(path) must be a folder of this user that nobody else can enter (chmod 700)"
    case .damaged(let path): "\(path) does not read back as it was written"
    }
  }

  /// The failure of the call just made. `path` is shown, never what is in the file.
  static func last(_ what: String, _ path: String) -> Self {
    .io(what: what, path: path, errno: errno)
  }
}
