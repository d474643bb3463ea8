import Glibc

// Absolute paths without `.`, `..` and double slashes.
extension String {
  /// The path of an entry of this folder.
  func appending(path name: String) -> String { self == "/" ? "/" + name : self + "/" + name }

  /// The path of the file that it leads to, without symbolic links; nil if there is none.
  var withoutLinks: String? {
    guard let resolved = realpath(self, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The folder that it is in; `/` is in itself.
  var parentPath: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), slash != startIndex else { return "/" }
    return String(self[..<slash])
  }

  /// The name in its folder.
  var lastName: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(self[utf8.index(after: slash)...])
  }

  /// The path relative to a folder that it is in. Nil if it is not in it.
  func relative(to folder: String) -> Substring? {
    let size = folder == "/" ? 1 : folder.utf8.count + 1
    guard utf8.count > size, utf8.starts(with: folder.utf8),
      let start = utf8.index(startIndex, offsetBy: size, limitedBy: endIndex),
      utf8[utf8.index(before: start)] == UInt8(ascii: "/")
    else { return nil }
    return self[start...]
  }
}
