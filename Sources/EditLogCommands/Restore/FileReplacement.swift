import CLinux
import EditModel
import EditorSync
import Glibc

/// Replaces an existing file atomically: writes a temporary file in the same folder, with the mode, owner and
/// extended attributes of the old one, and renames it. Without `finish`, the old file is unchanged. A missing file is
/// made in the same way.
final class FileReplacement {
  private let path: String
  private let temporary: String
  private var descriptor: Int32
  /// Nil for a missing file.
  private let before: stat?

  /// Writes and syncs the temporary file.
  ///
  /// - Parameters:
  ///   - path: The file, without symbolic links.
  ///   - old: The expected bytes of the file.
  ///   - new: The new bytes.
  /// - Throws: `CommandError`: 65 if the file has other bytes; 73 or 74 if it is read-only, or if the temporary file
  ///   cannot be written, or cannot have the same owner.
  init(of path: String, from old: [UInt8], to new: [UInt8]) throws(CommandError) {
    self.path = path
    temporary = Self.temporary(for: path)
    let before = try Self.status(path)
    self.before = before
    descriptor = -1
    guard let bytes = FileText.bytes(atPath: path) else {
      throw .io("cannot read \(path.shown)")
    }
    guard bytes == old, try isUnchanged() else { throw .data(Self.otherText(path)) }
    guard before.st_nlink == 1 else {
      throw Self.failure(path, "it has hard links, which would keep the old text")
    }
    // A rename would replace it all the same.
    guard access(path, W_OK) == 0 else {
      throw Self.failure(path, "its mode does not let you write it")
    }
    try create(mode: 0o600)
    try write(new)
    try copyMetadata(before)
  }

  /// Writes and syncs the temporary file of one that is missing. It gets the usual mode.
  ///
  /// - Throws: `CommandError`: 73 or 74 if the temporary file cannot be written.
  init(creating path: String, with new: [UInt8]) throws(CommandError) {
    self.path = path
    (temporary, before, descriptor) = (Self.temporary(for: path), nil, -1)
    try create(mode: 0o666)
    try write(new)
    guard fsync(descriptor) == 0 else { throw Self.failure(path, "writing failed", errno) }
  }

  /// Ends with `~`, as backups of editors do, so that `watch` ignores it.
  private static func temporary(for path: String) -> String {
    let (folder, name) = parts(of: path)
    return "\(folder)\(temporaryPrefix(name))\(getpid())~"
  }

  private static func temporaryPrefix(_ name: Substring) -> String { ".\(name).editlog-" }

  private static func parts(of path: String) -> (folder: Substring, name: Substring) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
    return (path[..<start], path[start...])
  }

  /// The time from the temporary file to the rename, in seconds. `watch` waits longer for a file.
  private static let replacementSecondsMax = 1

  /// True if a process is about to replace a file: its temporary file is there, and new. So the history may
  /// have the new text already. O(files in the folder).
  static func isUnderWay(_ path: String) -> Bool {
    let (folder, name) = parts(of: path)
    let prefix = temporaryPrefix(name)
    guard let stream = opendir(folder.isEmpty ? "." : String(folder)) else { return false }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let found = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard found.hasPrefix(prefix), found.hasSuffix("~"),
        let process = pid_t(found.dropFirst(prefix.count).dropLast()), process > 0
      else { continue }
      // One that was killed may have left it, and its number may be that of another process by now.
      var status = stat()
      guard fstatat(dirfd(stream), found, &status, AT_SYMLINK_NOFOLLOW) == 0,
        (0...replacementSecondsMax).contains(time(nil) - status.st_ctim.tv_sec)
      else { continue }
      if kill(process, 0) == 0 || errno == EPERM { return true }
    }
    return false
  }

  private func create(mode: mode_t) throws(CommandError) {
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw Self.failure(path, "a temporary file cannot be created in its folder", errno)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    unlink(temporary)
  }

  /// Renames the temporary file to the path.
  ///
  /// - Throws: `CommandError`: 65 if the file was changed since `init`, 73 if renaming fails. The old file is then unchanged.
  func finish() throws(CommandError) {
    if before == nil {
      // Unlike a rename, a link replaces nothing.
      guard link(temporary, path) == 0 else {
        throw errno == EEXIST
          ? .data("\(path.shown) was made by another program")
          : Self.failure(path, "renaming failed", errno)
      }
      unlink(temporary)
    } else {
      guard try isUnchanged() else { throw .data("\(path.shown) was changed by another program") }
      guard rename(temporary, path) == 0 else { throw Self.failure(path, "renaming failed", errno) }
    }
    Glibc.close(descriptor)
    descriptor = -1
    // Makes the rename durable. A folder that cannot be opened for reading is not synced.
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    let folder = open(String(path[...end]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    Glibc.close(folder)
  }

  /// The message for a file with other bytes.
  static func otherText(_ path: String) -> String {
    """
    \(path.shown) does not have exactly the text of the newest version (`editlog watch --once \(path.shown)` logs \
    what it has)
    """
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

  /// Copies the owner, the mode and the extended attributes, which include access control lists.
  private func copyMetadata(_ before: stat) throws(CommandError) {
    var made = stat()
    guard fstat(descriptor, &made) == 0 else { throw Self.failure(path, "writing failed", errno) }
    if made.st_uid != before.st_uid || made.st_gid != before.st_gid,
      fchown(descriptor, before.st_uid, before.st_gid) != 0
    {
      throw Self.failure(path, "the owner and group cannot be preserved", errno)
    }
    try copyAttributes()
    guard fchmod(descriptor, before.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else {
      throw Self.failure(path, "writing failed", errno)
    }
  }

  private func copyAttributes() throws(CommandError) {
    var names = [CChar](repeating: 0, count: 1 << 16)
    // Fails on file systems without extended attributes.
    let size = listxattr(path, &names, names.count)
    guard size > 0 else { return }
    for name in names.prefix(size).split(separator: 0) {
      let name = Array(name) + [0]
      // Set by the security module itself.
      if String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .hasPrefix("security.")
      {
        continue
      }
      var value = [UInt8](repeating: 0, count: 1 << 16)
      let count = getxattr(path, name, &value, value.count)
      guard count >= 0, fsetxattr(descriptor, name, value, count, 0) == 0 else {
        throw Self.failure(path, "the extended attributes cannot be preserved", errno)
      }
    }
  }

  /// True if the file was not changed since `init`.
  private func isUnchanged() throws(CommandError) -> Bool {
    guard let before else { return false }
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
