import EditModel
import Glibc

/// The entries of a folder that may be watched. Sockets and devices are not. Symbolic links are not followed.
struct FolderListing {
  var files: [String] = []
  var folders: [String] = []
  var links: [String] = []
  /// The number of names that are not UTF-8.
  var otherCount = 0

  /// Reads the folder at `path`, `.git` excepted. Below the folder `root`, no link is followed. The names
  /// are sorted. O(n log n).
  init(_ path: String, in root: String) throws(SystemError) {
    let descriptor = try TreeFile.open(path, in: root, O_RDONLY | O_DIRECTORY)
    guard let folder = fdopendir(descriptor) else {
      defer { close(descriptor) }
      throw SystemError(code: errno)
    }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Inotify.Name($0.prefix { $0 != 0 }) }
      guard case .text(let name) = name else {
        otherCount += 1
        continue
      }
      guard name != ".", name != "..", name != ".git" else { continue }
      switch Int(entry.pointee.d_type) {
      case DT_REG: files.append(name)
      case DT_DIR: folders.append(name)
      case DT_LNK: links.append(name)
      case DT_UNKNOWN: add(name, in: descriptor)
      default: break
      }
    }
    files.sort { $0.precedesExactly($1) }
    folders.sort { $0.precedesExactly($1) }
    links.sort { $0.precedesExactly($1) }
  }

  /// Adds an entry of a file system that does not list the kinds of files.
  private mutating func add(_ name: String, in folder: Int32) {
    var info = stat()
    guard fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    switch FileKind(info) {
    case .file: files.append(name)
    case .folder: folders.append(name)
    case nil: if info.st_mode & S_IFMT == S_IFLNK { links.append(name) }
    }
  }
}

/// The kinds of files that are watched.
package enum FileKind: Hashable, Sendable {
  case file, folder

  /// The kind of the file at `path`. Nil if there is none, or another kind. A symbolic link is another
  /// kind, unless `followingLink`.
  package init?(_ path: String, followingLink: Bool = false) {
    var info = stat()
    guard (followingLink ? stat(path, &info) : lstat(path, &info)) == 0 else { return nil }
    self.init(info)
  }

  init?(_ info: stat) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    default: return nil
    }
  }
}
