import EditModel
import Glibc

/// The folder that `backup` was given, checked against the place of the store.
struct BackupFolder {
  /// Its path without slashes at the end, so that a link there is not followed.
  let path: String

  /// - Throws: `CommandError` (64) without a path, and (73) if one folder is the other one, or in it.
  init(_ argument: String, store: String) throws(CommandError) {
    var path = argument[...]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty else { throw .usage("give the folder of the backup") }
    self.path = String(path)
    let (folder, live) = (Self.resolved(self.path), Self.resolved(store))
    if folder.isExactly(live) {
      throw CommandError(
        exitCode: 73, "\(self.path.shown) is the store itself; give another folder")
    }
    for (inner, outer, what) in [
      (folder, live, "is in the store"), (live, folder, "has the store in it"),
    ] where inner.startsExactly(with: outer == "/" ? outer : outer + "/") {
      throw CommandError(
        exitCode: 73, "\(self.path.shown) \(what); give a folder outside of it")
    }
  }

  /// The path without links, also if its last parts do not exist.
  private static func resolved(_ path: String) -> String {
    var (known, missing) = (path.hasPrefix("/") ? path : "./\(path)", "")
    while true {
      if let found = realpath(known, nil) {
        defer { free(found) }
        let base = String(cString: found)
        return missing.isEmpty ? base : (base == "/" ? "" : base) + missing
      }
      guard let slash = known.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
      missing = known[slash...] + missing
      known = slash == known.startIndex ? "/" : String(known[..<slash])
    }
  }
}
