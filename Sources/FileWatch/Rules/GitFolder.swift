/// Where Git keeps what it knows of a working tree: in the folder `.git`, or, in a linked worktree or a
/// submodule, in the folder that the file `.git` names.
enum GitFolder {
  /// More than the longest path that Linux takes, and the word before it.
  private static let sizeMax = 8 << 10

  /// True if the folder at `path` is the top of a working tree.
  static func isTop(_ path: String) -> Bool {
    FileKind(path.appending(path: ".git"), followingLink: true) != nil
  }

  /// The path of `info/exclude` for the working tree at `path`. All worktrees of a repository share one. Nil
  /// if the folder is the top of none.
  static func excludes(of path: String) -> String? {
    let entry = path.appending(path: ".git")
    let folder: String
    switch FileKind(entry, followingLink: true) {
    case .folder: folder = entry
    case .file:
      guard let line = firstLine(entry), line.utf8.starts(with: "gitdir: ".utf8) else { return nil }
      folder = String(line.dropFirst("gitdir: ".count)).absolute(in: path)
    case nil: return nil
    }
    let common = firstLine(folder.appending(path: "commondir"))?.absolute(in: folder) ?? folder
    return common.appending(path: "info/exclude")
  }

  /// The text of a small file without the line end; nil if it cannot be read. Git follows links here.
  private static func firstLine(_ path: String) -> String? {
    guard let bytes = FileContent.bytes(followingLinks: path, sizeMax: sizeMax) else { return nil }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return line.isEmpty ? nil : String(validating: line, as: UTF8.self)
  }
}

extension String {
  /// The path, which is relative to `folder` unless it begins with a slash.
  fileprivate func absolute(in folder: String) -> String {
    utf8.first == UInt8(ascii: "/") ? self : folder.appending(path: self)
  }
}
