/// The rules for what is in a folder: those of its `.gitignore`, then those of the folders above.
final class FolderRules: Sendable {
  private let folder: String
  private let rules: IgnoreRules
  private let outer: FolderRules?
  /// The user's rules for all working trees (`core.excludesFile`).
  private let everywhere: IgnoreRules

  /// Rules for the folder at the absolute path `folder`, which come before those of `outer`. `everywhere` are
  /// the user's if there is no `outer`.
  init(
    _ rules: IgnoreRules, in folder: String, outer: FolderRules? = nil,
    everywhere: IgnoreRules = IgnoreRules(patterns: [])
  ) {
    (self.folder, self.rules, self.outer) = (folder, rules, outer)
    self.everywhere = outer?.everywhere ?? everywhere
  }

  /// The name of the files with rules.
  static let fileName = ".gitignore"
  /// Larger files are not read.
  private static let sizeMax = 1 << 20

  /// Files that editors make beside the one that is edited, and remove later. A `.gitignore` may take
  /// these patterns back.
  private static let editorFiles = IgnoreRules(patterns: ["*~", ".*.sw?", ".#*", "\\#*#", "4913"])

  /// True if a path is ignored. Its folder is not ignored. O(rules · path).
  func ignores(_ path: String, isFolder: Bool) -> Bool {
    var next: FolderRules? = self
    while let rules = next {
      if let relative = path.relative(to: rules.folder),
        let decision = rules.rules.decision(relative, isFolder: isFolder)
      {
        return decision
      }
      next = rules.outer
    }
    return false
  }

  /// The rules for what is in the folder at `path`, which is in a folder with the rules `outer`. Below the
  /// folder `root`, no link is followed, but those of Git's own files.
  static func rules(of path: String, in root: String, outer: FolderRules) -> FolderRules {
    let outer = excludes(of: path, outer: outer)
    guard
      let bytes = try? FileContent.bytes(
        path: path.appending(path: fileName), in: root, sizeMax: sizeMax)
    else { return outer }
    return Self.rules(bytes, in: path, outer: outer)
  }

  /// The rules of `info/exclude`, if the folder at `path` is the top of a working tree, then the user's for all
  /// working trees, before those of `outer`: a submodule or a worktree in a watched folder has its own.
  private static func excludes(of path: String, outer: FolderRules) -> FolderRules {
    var outer = outer
    if !outer.everywhere.isEmpty, GitFolder.isTop(path) {
      outer = FolderRules(outer.everywhere, in: path, outer: outer)
    }
    guard let file = GitFolder.excludes(of: path),
      let bytes = FileContent.bytes(followingLinks: file, sizeMax: sizeMax)
    else { return outer }
    return Self.rules(bytes, in: path, outer: outer)
  }

  /// The rules for the folder at `path` itself: those of the folders above it, up to the one with
  /// `.git`. Without a repository, only the files of editors are ignored. `everywhere` are the user's rules for
  /// all working trees.
  static func above(_ path: String, everywhere: IgnoreRules) -> FolderRules {
    var rules = FolderRules(editorFiles, in: "/", everywhere: everywhere)
    var folders: [String] = []
    var next = path
    while !GitFolder.isTop(next) {
      guard next != "/" else { return rules }
      next = next.parentPath
      folders.append(next)
    }
    for folder in folders.reversed() {
      rules = Self.rules(of: folder, in: folder, outer: rules)
    }
    return rules
  }

  /// The rules of a file, links followed; none if it cannot be read.
  static func rules(of file: String) -> IgnoreRules {
    let bytes = FileContent.bytes(followingLinks: file, sizeMax: sizeMax) ?? []
    return IgnoreRules(String(decoding: bytes, as: UTF8.self))
  }

  /// The rules in the bytes of a file; `outer` if there are none.
  private static func rules(_ bytes: [UInt8], in folder: String, outer: FolderRules) -> FolderRules
  {
    let rules = IgnoreRules(String(decoding: bytes, as: UTF8.self))
    return rules.isEmpty ? outer : FolderRules(rules, in: folder, outer: outer)
  }
}

/// The files that are wanted, by patterns with the meaning of lines of a `.gitignore` in each path
/// given.
package struct WatchFilter: Hashable, Sendable {
  private let included: IgnoreRules
  private let excluded: IgnoreRules

  /// Files that match a pattern of `included`, or all if there is none; without those that match one
  /// of `excluded`. A pattern that matches a folder matches all in it.
  package init(included: [String] = [], excluded: [String] = []) {
    self.included = IgnoreRules(patterns: included)
    self.excluded = IgnoreRules(patterns: excluded)
  }

  /// True if a path is wanted. It is relative to the path given, and the folders that it is in are
  /// wanted. Any folder may have files that match.
  func wants(_ path: Substring, isFolder: Bool) -> Bool {
    if excluded.decision(path, isFolder: isFolder) == true { return false }
    return isFolder || included.isEmpty || included.ignores(fileAt: path)
  }
}
