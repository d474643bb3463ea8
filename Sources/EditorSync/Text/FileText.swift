import EditModel
import Glibc

/// Reads the files of `file:` URIs, to compare them with the text that an editor sends.
package enum FileText {
  /// The size in bytes of the largest file that is read.
  package static let sizeMax = 256 << 20

  /// The size in bytes of the file of a `file:` URI. Returns 0 for other URIs, and if the file does
  /// not exist, is not a regular file or is larger than `sizeMax`.
  package static func size(ofFileURI uri: String) -> Int {
    var info = stat()
    guard let path = FileURI.path(uri), stat(path, &info) == 0 else { return 0 }
    return isRead(info, sizeMax) ? Int(info.st_size) : 0
  }

  /// True if there is a file of this `file:` URI. False for other URIs.
  package static func exists(fileURI uri: String) -> Bool {
    FileURI.path(uri).map { access($0, F_OK) == 0 } ?? false
  }

  private static func isRead(_ info: stat, _ sizeMax: Int) -> Bool {
    info.st_mode & S_IFMT == S_IFREG && (0...sizeMax).contains(Int(info.st_size))
  }

  /// The bytes of the file of a `file:` URI. Returns nil for other URIs, and if the file cannot be
  /// read or is larger than `sizeMax`.
  package static func bytes(ofFileURI uri: String, sizeMax: Int = sizeMax) -> [UInt8]? {
    FileURI.path(uri).flatMap { bytes(atPath: $0, sizeMax: sizeMax) }
  }

  /// The bytes of a file. Returns nil if it cannot be read, is not a regular file or is larger than `sizeMax`.
  package static func bytes(atPath path: String, sizeMax: Int = sizeMax) -> [UInt8]? {
    // A pipe with this name must not block the caller.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return bytes(of: descriptor, sizeMax: sizeMax)
  }

  /// The bytes of an open file. Returns nil if it cannot be read, is not a regular file or is larger than `sizeMax`.
  package static func bytes(of descriptor: Int32, sizeMax: Int = sizeMax) -> [UInt8]? {
    var info = stat()
    guard fstat(descriptor, &info) == 0, isRead(info, min(sizeMax, Self.sizeMax)) else {
      return nil
    }
    return read(descriptor, size: Int(info.st_size))
  }

  private static func read(_ descriptor: Int32, size: Int) -> [UInt8]? {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), size - count)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else {
          failed = got < 0
          return
        }
        count += got
      }
    }
    return failed ? nil : bytes
  }
}
