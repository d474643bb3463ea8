import Glibc

/// A private folder with a short path, removed with its content when the last reference to it is
/// released.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes a new folder in `parent`, else under /tmp: a socket's path has little room.
  public init(in parent: String = "/tmp") {
    // mkdtemp(3) puts a unique name in the place of the X.
    var template = Array("\(parent)/el-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
    }
    precondition(made, "no folder for a test: errno \(errno)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.removeTree(path) }

  /// The path of a name in it.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file of this name in it. Returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    guard file >= 0, Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
      throw DiskFailure(code: errno)
    }
    return path(name)
  }

  private struct DiskFailure: Error { var code: Int32 }

  private static func removeTree(_ path: String) {
    var info = stat()
    guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR,
      let directory = opendir(path)
    else {
      unlink(path)
      return
    }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { removeTree("\(path)/\(name)") }
    }
    closedir(directory)
    rmdir(path)
  }
}
