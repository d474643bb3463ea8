import EditModel

/// The paths given, in which files are watched.
enum WatchedRoots {
  /// The innermost of `roots` that `path` is in; nil if it is one itself, or in none. O(parts of the path).
  static func root(of path: String, in roots: Set<ExactString>) -> String? {
    guard !roots.contains(path) else { return nil }
    var folder = path
    while folder != "/" {
      folder = folder.parentPath
      if roots.contains(folder) { return folder }
    }
    return nil
  }
}
