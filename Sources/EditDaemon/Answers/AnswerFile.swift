import EditProtocol
import Glibc

/// A long answer that is not sent yet, in a file without a name.
///
/// The file is in the store's folder, because only the owner can enter it and its disk holds the same
/// texts already; /tmp is often in memory. Since the file has no name, it ends with the process.
final class AnswerFile: Sendable {
  struct Failure: Error { let errno: Int32 }

  private let descriptor: Int32

  /// Creates an empty file.
  init(in folder: String) throws(Failure) {
    descriptor = Self.open(folder)
    guard descriptor >= 0 else { throw Failure(errno: errno) }
  }

  deinit { close(descriptor) }

  private static func open(_ folder: String) -> Int32 {
    let unnamed = Glibc.open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
    guard unnamed < 0, [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) else { return unnamed }
    // The file system has no files without names.
    var path = Array("\(folder)/.answer-XXXXXX".utf8CString)
    let named = mkstemp(&path)
    if named >= 0 {
      unlink(path)
      _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    }
    return named
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, offset + written)
      if count > 0 {
        written += count
      } else if count == 0 || errno != EINTR {
        throw Failure(errno: count == 0 ? ENOSPC : errno)
      }
    }
  }

  /// Fills `bytes`. The file must have as many bytes after `offset`.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(Failure) {
    var filled = 0
    while filled < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
      let count = pread(descriptor, rest.baseAddress, rest.count, offset + filled)
      if count > 0 {
        filled += count
      } else if count == 0 || errno != EINTR {
        throw Failure(errno: count == 0 ? EIO : errno)
      }
    }
  }

  /// `O_TMPFILE`. Glibc defines it only with `_GNU_SOURCE`.
  private static let O_TMPFILE: Int32 = 0o20000000 | O_DIRECTORY
}
