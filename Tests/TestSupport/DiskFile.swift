import Glibc

/// Whole files on the disk, for tests that change them as another program would.
public enum DiskFile {
  /// A call that failed.
  public struct Failure: Error {
    /// The file.
    public let path: String
    /// The error's number.
    public let errno: Int32
  }

  /// All bytes of a file.
  public static func bytes(_ path: String) throws(Failure) -> [UInt8] {
    let file = try open(path, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: max(0, Int(lseek(file, 0, SEEK_END))))
    let size = bytes.count
    guard pread(file, &bytes, size, 0) == size else { throw Failure(path: path, errno: EIO) }
    return bytes
  }

  /// Writes these bytes to a file, replacing its content.
  public static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
    let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(file) }
    guard write(file, bytes, bytes.count) == bytes.count else {
      throw Failure(path: path, errno: EIO)
    }
  }

  private static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
    let file = Glibc.open(path, flags | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(path: path, errno: Glibc.errno) }
    return file
  }
}
