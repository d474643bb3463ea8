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

  /// Another descriptor of a file that this process has open, as a child has one from `fork` to
  /// `exec`; nil if none is open.
  public static func duplicate(ofOpenFileAt path: String) -> Int32? {
    for descriptor in Int32(3)..<4_096 {
      var target = [CChar](repeating: 0, count: 4_096)
      let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      guard count > 0 else { continue }
      let name = String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if name == path { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }
    return nil
  }

  private static func open(_ path: String, _ flags: Int32) throws(Failure) -> Int32 {
    let file = Glibc.open(path, flags | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(path: path, errno: Glibc.errno) }
    return file
  }
}
