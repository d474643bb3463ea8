import CLinux
import EditModel
import EditorSync
import Glibc

/// New contents for a file that exists. They are in a file beside it, which takes its place at once, with its
/// mode and its owner. Until then the file is as it was; without `finish` it stays so.
final class FileReplacement {
  private let path: String
  private let temporary: String
  private var descriptor: Int32
  private let before: stat

  /// Makes the contents durable beside the file.
  ///
  /// - Parameters:
  ///   - path: The file, without symbolic links.
  ///   - old: What the file must have.
  ///   - new: What it is to have.
  /// - Throws: `CommandError`: 65 if the file has something else; 73 or 74 if the contents cannot be written,
  ///   or not with the same owner.
  init(of path: String, from old: [UInt8], to new: [UInt8]) throws(CommandError) {
    self.path = path
    // The name ends as those of editors' backups, which `watch` leaves alone.
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
    let start = name ?? path.startIndex
    temporary = "\(path[..<start]).\(path[start...]).editlog-\(getpid())~"
    before = try Self.status(path)
    descriptor = -1
    guard let bytes = FileText.bytes(atPath: path) else {
      throw .io("cannot read \(path.shown)")
    }
    guard bytes == old, try isUnchanged() else { throw .data(Self.otherText(path)) }
    guard before.st_nlink == 1 else {
      throw Self.failure(path, "it has other names (hard links), which would keep the old text")
    }
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path, "no file can be made beside it", errno) }
    try write(new)
    try takeOver()
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    unlink(temporary)
  }

  /// Puts the contents in the place of the file.
  ///
  /// - Throws: `CommandError`: 65 if the file was changed meanwhile, 74 if that fails. The file is then as it was.
  func finish() throws(CommandError) {
    guard try isUnchanged() else { throw .data("\(path.shown) was changed meanwhile") }
    guard rename(temporary, path) == 0 else { throw Self.failure(path, "renaming failed", errno) }
    Glibc.close(descriptor)
    descriptor = -1
    // The name is as durable as the contents. A folder that cannot be opened is not synced.
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    let folder = open(String(path[...end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    Glibc.close(folder)
  }

  /// Says that a file has another text than it must have.
  static func otherText(_ path: String) -> String {
    "\(path.shown) does not have exactly the text of the newest version"
  }

  private func write(_ bytes: [UInt8]) throws(CommandError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path, "writing failed", errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Gives the new file the owner, the mode and the extended attributes of the old one, among them its access
  /// control list.
  private func takeOver() throws(CommandError) {
    var made = stat()
    guard fstat(descriptor, &made) == 0 else { throw Self.failure(path, "writing failed", errno) }
    if made.st_uid != before.st_uid || made.st_gid != before.st_gid,
      fchown(descriptor, before.st_uid, before.st_gid) != 0
    {
      throw Self.failure(path, "a new file cannot have its owner and group", errno)
    }
    try copyAttributes()
    guard fchmod(descriptor, before.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else {
      throw Self.failure(path, "writing failed", errno)
    }
  }

  private func copyAttributes() throws(CommandError) {
    var names = [CChar](repeating: 0, count: 1 << 16)
    // A file system without attributes has none to copy.
    let size = listxattr(path, &names, names.count)
    guard size > 0 else { return }
    for name in names.prefix(size).split(separator: 0) {
      let name = Array(name) + [0]
      // The labels of a security module are given by it.
      if String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .hasPrefix("security.")
      {
        continue
      }
      var value = [UInt8](repeating: 0, count: 1 << 16)
      let count = getxattr(path, name, &value, value.count)
      guard count >= 0, fsetxattr(descriptor, name, value, count, 0) == 0 else {
        throw Self.failure(path, "its extended attributes cannot be copied", errno)
      }
    }
  }

  /// True if the file was not written since its status was read.
  private func isUnchanged() throws(CommandError) -> Bool {
    let now = try Self.status(path)
    return now.st_dev == before.st_dev && now.st_ino == before.st_ino
      && now.st_size == before.st_size && now.st_mtim.tv_sec == before.st_mtim.tv_sec
      && now.st_mtim.tv_nsec == before.st_mtim.tv_nsec
      && now.st_ctim.tv_sec == before.st_ctim.tv_sec
      && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec
  }

  private static func status(_ path: String) throws(CommandError) -> stat {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw .io("cannot read \(path.shown): \(String(cString: strerror(errno)))")
    }
    return status
  }

  private static func failure(
    _ path: String, _ what: String, _ reason: Int32? = nil
  ) -> CommandError {
    let cause = reason.map { ": " + String(cString: strerror($0)) } ?? ""
    return CommandError(exitCode: 73, "cannot write \(path.shown): \(what)\(cause)")
  }
}
