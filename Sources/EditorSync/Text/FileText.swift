import Glibc

/// Reads the files of `file:` URIs, to compare them with the text that an editor sends.
package enum FileText {
  /// The size in bytes of the largest file that is read.
  package static let sizeMax = 256 << 20

  /// The size in bytes of the file of a `file:` URI. Returns 0 for other URIs, and if the file does
  /// not exist, is not a regular file or is larger than `sizeMax`.
  package static func size(ofFileURI uri: String) -> Int {
    var info = stat()
    guard let path = path(ofFileURI: uri), stat(path, &info) == 0 else { return 0 }
    return isRead(info, sizeMax) ? Int(info.st_size) : 0
  }

  private static func isRead(_ info: stat, _ sizeMax: Int) -> Bool {
    info.st_mode & S_IFMT == S_IFREG && (0...sizeMax).contains(Int(info.st_size))
  }

  /// The bytes of the file of a `file:` URI. Returns nil for other URIs, and if the file cannot be
  /// read or is larger than `sizeMax`.
  package static func bytes(ofFileURI uri: String, sizeMax: Int = sizeMax) -> [UInt8]? {
    guard let path = path(ofFileURI: uri) else { return nil }
    // A pipe with this name must not block the caller.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, isRead(info, min(sizeMax, Self.sizeMax)) else {
      return nil
    }
    return read(descriptor, size: Int(info.st_size))
  }

  /// The path of a `file:` URI on this machine, percent-decoded. Returns nil for other URIs.
  private static func path(ofFileURI uri: String) -> String? {
    var rest = uri[...]
    guard rest.hasPrefix("file://") else { return nil }
    rest = rest.dropFirst("file://".count)
    if rest.hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    guard rest.hasPrefix("/"), let bytes = percentDecoded(rest.utf8), !bytes.contains(0) else {
      return nil
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
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
