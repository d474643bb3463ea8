import Glibc

/// The content of a file, or why it is not read.
package enum FileContent: Hashable, Sendable {
  case text(String)
  /// It has a NUL among its first 8,000 bytes.
  case binary
  /// It is not UTF-8, nor of the encoding given, and has no byte order mark.
  case notUTF8
  /// It has the byte order mark of this encoding, and is not of it.
  case notAsMarked(TextEncoding)
  /// It has this many bytes, more than the limit.
  case tooLarge(Int)
  /// It was changed less than `settleNanoseconds` ago, or while it was read.
  case unsettled
  /// There is no file of this name, or it is not a regular file.
  case missing
  /// It cannot be read.
  case unreadable(SystemError)

  /// The text; nil if there is none.
  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// How long a file must not have changed.
  package static let settleNanoseconds: Int64 = 100_000_000

  /// Reads the file at `path`, if it has at most `sizeMax` bytes. Symbolic links are not followed, below
  /// the folder `root` nowhere in the path. If `waits` is false, the file may have changed a moment ago.
  /// A text that is not UTF-8 may be in `encoding`. O(n).
  package init(
    path: String, in root: String? = nil, sizeMax: Int, waits: Bool = true,
    encoding: TextEncoding? = nil
  ) {
    do {
      let file = try OpenFile(path, in: root)
      let info = try file.status()
      guard info.st_mode & S_IFMT == S_IFREG else {
        self = .missing
        return
      }
      guard info.st_size <= sizeMax else {
        self = .tooLarge(info.st_size)
        return
      }
      self = waits && info.hasJustChanged ? .unsettled : try Self.read(file, info, encoding)
    } catch {
      let isMissing = [ENOENT, ENOTDIR, ELOOP, EXDEV, ENXIO].contains(error.code)
      self = isMissing ? .missing : .unreadable(error)
    }
  }

  private static func read(
    _ file: OpenFile, _ before: stat, _ encoding: TextEncoding?
  ) throws(SystemError) -> FileContent {
    let bytes = try file.read(size: before.st_size)
    guard try file.status().isSame(as: before), bytes.count == before.st_size else {
      return .unsettled
    }
    switch DecodedText(bytes, encoding: encoding) {
    case .text(let text): return .text(text)
    case .binary: return .binary
    case .notUTF8: return .notUTF8
    case .notAsMarked(let encoding): return .notAsMarked(encoding)
    }
  }

  /// The bytes of a regular file in the folder `root`; nil if it has more than `sizeMax`.
  static func bytes(
    path: String, in root: String?, sizeMax: Int
  ) throws(SystemError) -> [UInt8]? {
    let file = try OpenFile(path, in: root)
    let info = try file.status()
    guard info.st_mode & S_IFMT == S_IFREG, info.st_size <= sizeMax else { return nil }
    return try file.read(size: info.st_size)
  }

  /// The bytes of the regular file that the path leads to, links followed; nil if it has more than `sizeMax`,
  /// or cannot be read.
  static func bytes(followingLinks path: String, sizeMax: Int) -> [UInt8]? {
    guard let resolved = path.withoutLinks else { return nil }
    return try? bytes(path: resolved, in: nil, sizeMax: sizeMax)
  }
}

/// A file that is open for reading.
private final class OpenFile {
  private let descriptor: Int32

  init(_ path: String, in root: String?) throws(SystemError) {
    // A pipe with this name must not block.
    descriptor = try TreeFile.open(path, in: root, O_RDONLY | O_NONBLOCK)
  }

  deinit { close(descriptor) }

  func status() throws(SystemError) -> stat {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw SystemError(code: errno) }
    return info
  }

  /// The first `size` bytes, or fewer if the file has become shorter.
  func read(size: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), size - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = SystemError(code: errno) }
        guard got > 0 else { return }
        count += got
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

extension stat {
  fileprivate func isSame(as other: stat) -> Bool {
    st_size == other.st_size && st_mtim.tv_sec == other.st_mtim.tv_sec
      && st_mtim.tv_nsec == other.st_mtim.tv_nsec
  }

  /// True if it was changed less than `settleNanoseconds` ago. A time in the future is not recent.
  fileprivate var hasJustChanged: Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let seconds = now.tv_sec &- st_mtim.tv_sec
    guard (0...1).contains(seconds) else { return false }
    let age = Int64(seconds * 1_000_000_000 + now.tv_nsec - st_mtim.tv_nsec)
    return (0..<FileContent.settleNanoseconds).contains(age)
  }
}
