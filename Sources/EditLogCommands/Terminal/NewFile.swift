import EditModel
import Glibc

/// A new file. It is removed if it is not closed, so that a part of the data is never taken for all of it.
final class NewFile {
  private var descriptor: Int32
  private let path: String

  /// Creates the file. `option` names it on the command line.
  ///
  /// - Throws: `CommandError` (73) if there is one of this name, or it cannot be created.
  init(_ path: String, option: String) throws(CommandError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    self.path = path
    guard descriptor < 0 else { return }
    let reason = errno
    if reason == EEXIST {
      throw CommandError(exitCode: 73, "\(path.shown) exists; \(option) writes a new file")
    }
    throw CommandError(
      exitCode: 73, "cannot create \(path.shown): \(String(cString: strerror(reason)))")
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    unlink(path)
  }

  /// Adds bytes.
  ///
  /// - Throws: `CommandError` (74).
  func write(_ bytes: [UInt8]) throws(CommandError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes the file durable.
  ///
  /// - Throws: `CommandError` (74). The file is then removed.
  func close() throws(CommandError) {
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure() }
    let result = Glibc.close(descriptor)
    descriptor = -1
    guard result != 0 else { return }
    let error = failure()
    unlink(path)
    throw error
  }

  private func failure() -> CommandError {
    .io("cannot write \(path.shown): \(String(cString: strerror(errno)))")
  }
}
