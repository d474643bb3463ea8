import EditModel
import EditProtocol
import Glibc

/// A spool file, locked for as long as this object lives: who finds it unlocked knows that its
/// bridge is gone.
///
/// It is made under another name, locked, begun, and only then given its own, so that no one
/// sees it unlocked or without header. The lock is that of the open file (OFD), so the kernel
/// lets it go however the process ends.
final class SpoolFile {
  static let suffix = ".spool"
  static let newSuffix = ".new"

  let path: String
  private let descriptor: Int32
  /// Bytes in the file, all of them whole records.
  private(set) var size: Int

  private init(path: String, descriptor: Int32, size: Int) {
    (self.path, self.descriptor, self.size) = (path, descriptor, size)
  }

  deinit { close(descriptor) }

  /// Makes the file in a folder that is there.
  static func create(in folder: String, _ header: SpoolHeader) throws(SpoolError) -> SpoolFile {
    let path = "\(folder)/\(header.session.name)\(suffix)"
    let new = path + newSuffix
    let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last("make", new) }
    let file = SpoolFile(path: path, descriptor: descriptor, size: 0)
    do throws(SpoolError) {
      // Another bridge may have taken the new file for a dead one's in this moment.
      guard file.lock(), file.isNamed else { throw .io(what: "lock", path: new, errno: EAGAIN) }
      try file.write(SpoolRecord.magic + SpoolRecord.encode(header.json.serialized()))
      guard rename(new, path) == 0 else { throw .last("rename", new) }
      return file
    } catch {
      unlink(new)
      throw error
    }
  }

  /// Opens a file that a dead bridge left; nil where its bridge lives, another one took it, or
  /// it is no file of ours.
  static func takeDead(at path: String) throws(SpoolError) -> SpoolFile? {
    let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ELOOP { return nil }
      throw .last("open", path)
    }
    var info = stat()
    guard fstat(descriptor, &info) == 0 else {
      defer { close(descriptor) }
      throw .last("look at", path)
    }
    let file = SpoolFile(path: path, descriptor: descriptor, size: Int(info.st_size))
    guard info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(), file.lock(), file.isNamed
    else { return nil }
    // It may have grown before its bridge let the lock go.
    file.size = Int(max(0, lseek(descriptor, 0, SEEK_END)))
    return file
  }

  /// `F_OFD_SETLK`, which the headers show to GNU sources alone.
  private static let setOpenFileLock: Int32 = 37

  private func lock() -> Bool {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    return fcntl(descriptor, Self.setOpenFileLock, &request) == 0
  }

  /// When the file was last written to.
  var modified: (seconds: Int, nanos: Int) {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { return (0, 0) }
    return (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
  }

  /// False where it was removed between opening and locking.
  private var isNamed: Bool {
    var info = stat()
    return fstat(descriptor, &info) == 0 && info.st_nlink == 1
  }
}

// Writing.
extension SpoolFile {
  /// Adds a record and returns where it is. Where that fails the file is as before. O(n).
  func append(_ payload: [UInt8]) throws(SpoolError) -> Int {
    let offset = size
    do throws(SpoolError) {
      try write(SpoolRecord.encode(payload))
    } catch {
      // A part of a record may be there: what follows must not come behind it.
      if ftruncate(descriptor, offset) != 0 { throw .last("shorten", path) }
      throw error
    }
    return offset
  }

  private func write(_ bytes: [UInt8]) throws(SpoolError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, off_t(size + done))
      }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw .last("write", path)
      }
      done += count
    }
    size += done
  }

  /// Returns once the records would outlive a loss of power.
  func sync() throws(SpoolError) {
    guard fdatasync(descriptor) == 0 else { throw .last("flush", path) }
  }

  /// Removes the file, whose messages are all acknowledged.
  func remove() { unlink(path) }

  /// Gives the file a name under which it is not tried again.
  func setAside() -> String {
    let aside = path + ".damaged"
    return rename(path, aside) == 0 ? aside : path
  }
}

// Reading.
extension SpoolFile {
  /// What is at `offset`. O(record).
  func read(at offset: Int) throws(SpoolError) -> SpoolRecord.Reading {
    let rest = size - offset
    guard rest > 0 else { return .end }
    guard rest >= SpoolRecord.headSize else { return .torn }
    let head = try bytes(at: offset, count: SpoolRecord.headSize)
    guard let length = SpoolRecord.length(head) else {
      return try isZero(from: offset) ? .torn : .damaged
    }
    guard length <= rest - SpoolRecord.headSize else { return .torn }
    let payload = try bytes(at: offset + SpoolRecord.headSize, count: length)
    guard SpoolRecord.isValid(head: head, payload: payload) else { return .damaged }
    return .record(payload, next: offset + SpoolRecord.headSize + length)
  }

  /// True where the file begins as spools do.
  func startsRight() throws(SpoolError) -> Bool {
    guard size >= SpoolRecord.magic.count else { return false }
    return try bytes(at: 0, count: SpoolRecord.magic.count) == SpoolRecord.magic
  }

  /// True where nothing but zeros is in the file from `offset` on: what a loss of power leaves
  /// of writes that were not flushed.
  private func isZero(from offset: Int) throws(SpoolError) -> Bool {
    var offset = offset
    while offset < size {
      let count = min(size - offset, 1 << 16)
      guard try bytes(at: offset, count: count).allSatisfy({ $0 == 0 }) else { return false }
      offset += count
    }
    return true
  }

  /// `count` bytes, which the file's size was seen to allow.
  private func bytes(at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { throw read == 0 ? .damaged(path: path) : .last("read", path) }
      done += read
    }
    return bytes
  }
}
