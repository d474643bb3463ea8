import CLinux
import EditModel
import EditorSync
import FileWatch
import Glibc

/// Replaces an existing file atomically: writes a temporary file in the same folder, with the mode, owner and
/// extended attributes of the old one, and renames it. Without `finish`, the old file is unchanged. A missing file is
/// made in the same way.
///
/// The folder is open from the beginning to the end: if another program replaces a part of the path by a link
/// meanwhile, nothing outside is read or written.
final class FileReplacement {
  private let path: String
  /// The descriptor of the folder, and names in it.
  private let folder: Int32
  private let (name, temporary): (String, String)
  private var descriptor: Int32 = -1
  /// Nil for a missing file.
  private let before: stat?

  /// Writes and syncs the temporary file.
  ///
  /// - Parameters:
  ///   - path: The file, without symbolic links.
  ///   - rewrite: Returns the new bytes for those of the file; nil if they have not the expected text.
  /// - Throws: `CommandError`: 65 if the file has another text; 73 or 74 if it is read-only, or if the temporary file
  ///   cannot be written, or cannot have the same owner. What `rewrite` throws.
  init(
    of path: String, rewrite: (_ bytes: [UInt8]) throws(CommandError) -> [UInt8]?
  ) throws(CommandError) {
    self.path = path
    let (folder, name, temporary) = try Self.open(path)
    (self.folder, self.name, self.temporary) = (folder, name, temporary)
    let before: stat
    do throws(CommandError) { before = try Self.status(path, name, in: folder) } catch {
      close(folder)
      throw error
    }
    self.before = before
    let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, let bytes = FileText.bytes(of: file) else {
      throw .io("cannot read \(path.shown)")
    }
    guard let new = try rewrite(bytes), try isUnchanged() else {
      throw .data(Self.otherText(path, bytes))
    }
    guard before.st_nlink == 1 else {
      throw Self.failure(path, "it has hard links, which would keep the old text")
    }
    // A rename would replace it all the same.
    guard faccessat(folder, name, W_OK, 0) == 0 else {
      throw Self.failure(path, "its mode does not let you write it")
    }
    try create(mode: 0o600)
    try write(new)
    try copyMetadata(before, of: file)
  }

  /// Writes and syncs the temporary file of one that is missing. It gets the usual mode.
  ///
  /// - Throws: `CommandError`: 73 or 74 if the temporary file cannot be written.
  init(creating path: String, with new: [UInt8]) throws(CommandError) {
    (self.path, before) = (path, nil)
    (folder, name, temporary) = try Self.open(path)
    try create(mode: 0o666)
    try write(new)
    guard fsync(descriptor) == 0 else { throw Self.failure(path, "writing failed", errno) }
  }

  /// Opens the folder of a path, which has no symbolic links, and returns the names in it.
  private static func open(
    _ path: String
  ) throws(CommandError) -> (folder: Int32, name: String, temporary: String) {
    let (parent, name) = parts(of: path)
    do throws(SystemError) {
      let folder = try TreeFile.open(
        folderPath(parent), in: "/", linux_path_only | O_DIRECTORY)
      return (folder, String(name), temporaryPrefix(name) + "\(getpid())~")
    } catch { throw .io("cannot open the folder of \(path.shown): \(error)") }
  }

  /// The name of the temporary file without its end, the process and `~`: backups of editors end so, and `watch`
  /// ignores them.
  private static func temporaryPrefix(_ name: Substring) -> String { ".\(name).editlog-" }

  private static func parts(of path: String) -> (folder: Substring, name: Substring) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
    return (path[..<start], path[start...])
  }

  /// The path of a folder without the slash at its end.
  private static func folderPath(_ parent: Substring) -> String {
    parent.utf8.count > 1 ? String(parent.dropLast()) : "/"
  }

  /// The time from the temporary file to the rename, in seconds. `watch` waits longer for a file.
  private static let replacementSecondsMax = 1

  /// True if a process is about to replace a file: its temporary file is there, and new. So the history may
  /// have the new text already. Below the watched folder `root`, no link is followed. O(files in the folder).
  static func isUnderWay(_ path: String, in root: String?) -> Bool {
    let (parent, name) = parts(of: path)
    let (prefix, folder) = (temporaryPrefix(name), folderPath(parent))
    guard
      let descriptor = try? TreeFile.open(folder, in: root ?? folder, O_RDONLY | O_DIRECTORY),
      let stream = fdopendir(descriptor)
    else { return false }
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
    descriptor = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw Self.failure(path, "a temporary file cannot be created in its folder", errno)
    }
  }

  deinit {
    if descriptor >= 0 {
      close(descriptor)
      unlinkat(folder, temporary, 0)
    }
    close(folder)
  }

  /// Renames the temporary file to the path.
  ///
  /// - Throws: `CommandError`: 65 if the file was changed since `init`, 73 if renaming fails. The old file is then unchanged.
  func finish() throws(CommandError) {
    if before == nil {
      // Unlike a rename, a link replaces nothing.
      guard linkat(folder, temporary, folder, name, 0) == 0 else {
        throw errno == EEXIST
          ? .data("\(path.shown) was made by another program")
          : Self.failure(path, "renaming failed", errno)
      }
      unlinkat(folder, temporary, 0)
    } else {
      guard try isUnchanged() else { throw .data("\(path.shown) was changed by another program") }
      guard renameat(folder, temporary, folder, name) == 0 else {
        throw Self.failure(path, "renaming failed", errno)
      }
    }
    close(descriptor)
    descriptor = -1
    // Makes the rename durable. A folder that cannot be opened for reading is not synced.
    let readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard readable >= 0 else { return }
    fsync(readable)
    close(readable)
  }

  /// The message for a file with another text.
  static func otherText(_ path: String, _ bytes: [UInt8]) -> String {
    let encoding =
      TextEncoding.candidates(for: bytes) == TextEncoding.unmarked ? "--encoding NAME " : ""
    return """
      \(path.shown) has a text that the history is not known to have (`editlog watch --once \(encoding)\
      \(path.shellWord)` logs what it has)
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

  /// Copies the owner, the mode and the extended attributes, which include access control lists, of a file.
  private func copyMetadata(_ before: stat, of file: Int32) throws(CommandError) {
    var made = stat()
    guard fstat(descriptor, &made) == 0 else { throw Self.failure(path, "writing failed", errno) }
    if made.st_uid != before.st_uid || made.st_gid != before.st_gid,
      fchown(descriptor, before.st_uid, before.st_gid) != 0
    {
      throw Self.failure(path, "the owner and group cannot be preserved", errno)
    }
    try copyAttributes(of: file)
    guard fchmod(descriptor, before.st_mode & 0o7777) == 0, fsync(descriptor) == 0 else {
      throw Self.failure(path, "writing failed", errno)
    }
  }

  private func copyAttributes(of file: Int32) throws(CommandError) {
    var names = [CChar](repeating: 0, count: 1 << 16)
    // Fails on file systems without extended attributes.
    let size = flistxattr(file, &names, names.count)
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
      let count = fgetxattr(file, name, &value, value.count)
      guard count >= 0, fsetxattr(descriptor, name, value, count, 0) == 0 else {
        throw Self.failure(path, "the extended attributes cannot be preserved", errno)
      }
    }
  }

  /// True if the file was not changed since `init`.
  private func isUnchanged() throws(CommandError) -> Bool {
    guard let before else { return false }
    let now = try Self.status(path, name, in: folder)
    return now.st_dev == before.st_dev && now.st_ino == before.st_ino
      && now.st_size == before.st_size && now.st_mtim.tv_sec == before.st_mtim.tv_sec
      && now.st_mtim.tv_nsec == before.st_mtim.tv_nsec
      && now.st_ctim.tv_sec == before.st_ctim.tv_sec
      && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec
  }

  private static func status(
    _ path: String, _ name: String, in folder: Int32
  ) throws(CommandError) -> stat {
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
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
