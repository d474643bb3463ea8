import Glibc
import Synchronization

/// A file without a name that holds the long answers of all connections: their number takes no descriptors.
///
/// The file is in the store's folder, because only the owner can enter it and its disk holds the same
/// texts already; /tmp is often in memory. Since the file has no name, it ends with the process. Bytes are
/// added at its end, and the space of an answer is given back to the disk when it is sent.
final class AnswerStorage: Sendable {
  private typealias Allocate = @convention(c) (Int32, Int32, Int, Int) -> Int32

  /// The size in bytes at which another file is begun: if the disk takes space back, and if it does not.
  private static let (sizeMax, wornSizeMax) = (1 << 40, 64 << 20)

  private let descriptor: Int32
  private let end = Atomic<Int>(0)
  private let givesBack = Atomic<Bool>(true)

  /// Creates an empty file.
  init(in folder: String) throws(AnswerFile.Failure) {
    descriptor = Self.open(folder)
    guard descriptor >= 0 else { throw AnswerFile.Failure(errno: errno) }
  }

  deinit { close(descriptor) }

  /// True if the next answer must be in another file.
  var isFull: Bool {
    end.load(ordering: .relaxed)
      > (givesBack.load(ordering: .relaxed) ? Self.sizeMax : Self.wornSizeMax)
  }

  private static func open(_ folder: String) -> Int32 {
    let unnamed = Glibc.open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
    guard unnamed < 0, [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) else { return unnamed }
    // The file system has no files without names.
    var path = Array("\(folder)/.answer-XXXXXX".utf8CString)
    let named = mkstemp(&path)
    if named >= 0 {
      unlink(path)
      _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    }
    return named
  }

  /// The offset of `count` bytes that no other answer has.
  func allocate(_ count: Int) -> Int { end.add(count, ordering: .relaxed).oldValue }

  /// Gives the space of an answer back.
  func free(_ offset: Int, count: Int) {
    // The module Glibc does not have the function.
    guard let symbol = dlsym(nil, "fallocate") else {
      return givesBack.store(false, ordering: .relaxed)
    }
    // Its type in fcntl.h.
    let allocate = unsafeBitCast(symbol, to: Allocate.self)
    let (keepSize, punchHole): (Int32, Int32) = (1, 2)
    if allocate(descriptor, keepSize | punchHole, offset, count) != 0 {
      givesBack.store(false, ordering: .relaxed)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AnswerFile.Failure) {
    try Self.transfer(bytes.count, errnoAtEnd: ENOSPC) { done in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      return pwrite(descriptor, rest.baseAddress, rest.count, offset + done)
    }
  }

  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(AnswerFile.Failure) {
    try Self.transfer(bytes.count, errnoAtEnd: EIO) { done in
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      return pread(descriptor, rest.baseAddress, rest.count, offset + done)
    }
  }

  /// Calls `body` with the number of bytes that are done, until all are. It returns how many more are.
  private static func transfer(
    _ count: Int, errnoAtEnd: Int32, _ body: (Int) -> Int
  ) throws(AnswerFile.Failure) {
    var done = 0
    while done < count {
      let more = body(done)
      if more > 0 {
        done += more
      } else if more == 0 || errno != EINTR {
        throw AnswerFile.Failure(errno: more == 0 ? errnoAtEnd : errno)
      }
    }
  }

  /// `O_TMPFILE`. Glibc defines it only with `_GNU_SOURCE`.
  private static let O_TMPFILE: Int32 = 0o20000000 | O_DIRECTORY
}
