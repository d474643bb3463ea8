import EditJSON
import EditModel
import Glibc
import Synchronization

/// A spool file, locked as long as this object lives: an unlocked one belongs to a bridge that has
/// ended. One owner at a time writes to it.
///
/// It is made under another name, locked, given its header, and only then renamed, so that it is
/// never seen unlocked or without a header. The lock is that of the open file (OFD): the kernel
/// releases it however the process ends.
package final class SpoolFile: Sendable {
  package static let suffix = ".spool"
  static let newSuffix = ".new"
  static let damagedSuffix = suffix + ".damaged"

  package let path: String
  private let descriptor: Int32
  private let endOffset: Atomic<Int>

  /// Bytes in the file, all of them whole records.
  package private(set) var size: Int {
    get { endOffset.load(ordering: .relaxed) }
    set { endOffset.store(newValue, ordering: .relaxed) }
  }

  private init(path: String, descriptor: Int32, size: Int) {
    (self.path, self.descriptor) = (path, descriptor)
    endOffset = Atomic(size)
  }

  deinit {
    // A child process shares the open file until it calls exec, so closing alone would not release
    // the lock.
    _ = setLock(F_UNLCK)
    close(descriptor)
  }

  /// Makes the file in a folder that exists.
  package static func create(
    in folder: String, _ header: SpoolHeader
  ) throws(SpoolError) -> SpoolFile {
    let path = "\(folder)/\(header.session.name)\(suffix)"
    let new = path + newSuffix
    let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last("make", new) }
    let file = SpoolFile(path: path, descriptor: descriptor, size: 0)
    do throws(SpoolError) {
      // Another bridge may take the new file for one that a bridge left, just now.
      guard file.lock(), file.hasName else { throw .io(what: "lock", path: new, errno: EAGAIN) }
      try file.write(SpoolRecord.magic + SpoolRecord.encode(header.json.serialized()))
      guard rename(new, path) == 0 else { throw .last("rename", new) }
      return file
    } catch {
      unlink(new)
      throw error
    }
  }

  /// Opens a file that a bridge left when it ended; nil if the file is locked, gone, or not a
  /// regular file of this user.
  static func takeDead(at path: String) throws(SpoolError) -> SpoolFile? {
    guard let file = try openExisting(path, O_RDWR), file.lock(), file.hasName else { return nil }
    // It may have grown before its bridge released the lock.
    file.size = Int(max(0, lseek(file.descriptor, 0, SEEK_END)))
    return file
  }

  /// The state of a file, as a daemon sees it.
  package enum Finding {
    /// Its bridge has ended. It is locked from now on.
    case left(SpoolFile)
    /// Its bridge runs, or another process delivers it.
    case held
    /// It is gone, or for another daemon.
    case other
    /// It must not be read: why.
    case refused(String)
    /// It has other names too, this many with its own: what has them may write to it.
    case linked(Int)
  }

  /// Opens and locks a file whose bridge has ended, if it is for the daemon at `socket` of the store
  /// `store`, names as in `SpoolHeader`, or has no valid header. It is opened for reading: the end of a process that has
  /// opened it for writing is a change that the daemon waits for.
  package static func find(
    at path: String, for socket: String, of store: String? = nil
  ) -> Finding {
    do throws(SpoolError) {
      guard let file = try openExisting(path, O_RDONLY) else {
        return access(path, F_OK) == 0
          ? .refused("it is not a regular file of this user; it is left where it is") : .other
      }
      if let header = try file.header()?.value,
        header.socket != socket || !header.isFor(socket: socket, store: store)
      {
        return .other
      }
      guard file.lock(F_RDLCK) else { return .held }
      let nameCount = file.nameCount
      guard nameCount < 2 else { return .linked(nameCount) }
      guard nameCount == 1 else { return .other }
      // It may have grown before its bridge released the lock.
      file.size = Int(max(0, lseek(file.descriptor, 0, SEEK_END)))
      return .left(file)
    } catch {
      return .refused("\(error); it is left where it is")
    }
  }

  /// Opens a file without a lock; nil if it is gone, or not a regular file of this user.
  static func openExisting(_ path: String, _ access: Int32) throws(SpoolError) -> SpoolFile? {
    let descriptor = open(path, access | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
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
    return info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid() ? file : nil
  }

  // `F_OFD_GETLK` and `F_OFD_SETLK`, which the headers declare for GNU sources only.
  private static let getOpenFileLock: Int32 = 36
  private static let setOpenFileLock: Int32 = 37

  /// Locks the file against all others that lock it for writing.
  private func lock(_ type: Int32 = F_WRLCK) -> Bool { setLock(type) }

  private func setLock(_ type: Int32) -> Bool {
    var request = Self.wholeFile
    request.l_type = Int16(type)
    return fcntl(descriptor, Self.setOpenFileLock, &request) == 0
  }

  /// True if another open file, of this process or another, has the lock.
  var isLocked: Bool {
    var request = Self.wholeFile
    return fcntl(descriptor, Self.getOpenFileLock, &request) == 0 && request.l_type != F_UNLCK
  }

  private static var wholeFile: flock {
    var request = flock()
    request.l_type = Int16(F_WRLCK)
    request.l_whence = Int16(SEEK_SET)
    return request
  }

  /// When the file was last written to.
  package var modified: (seconds: Int, nanos: Int) {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { return (0, 0) }
    return (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
  }

  /// False if it was removed between opening and locking, or has other names too.
  private var hasName: Bool { nameCount == 1 }

  /// The number of its names: 0 if it was removed.
  var nameCount: Int {
    var info = stat()
    return fstat(descriptor, &info) == 0 ? Int(info.st_nlink) : 0
  }
}

// Writing.
extension SpoolFile {
  /// Adds a record and returns its offset. If that fails, the file is as before. O(n).
  package func append(_ payload: [UInt8]) throws(SpoolError) -> Int {
    let offset = size
    do throws(SpoolError) {
      try write(SpoolRecord.encode(payload))
    } catch {
      // A part of a record may be there: the next one must not follow it.
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

  /// Returns when the records would survive a loss of power.
  package func sync() throws(SpoolError) {
    guard fdatasync(descriptor) == 0 else { throw .last("flush", path) }
  }

  /// Removes the file, whose messages are all acknowledged.
  package func remove() { unlink(path) }

  /// Renames the file, so that it is not delivered again; returns the new path.
  package func setAside() -> String {
    let aside = path + Self.damagedSuffix.dropFirst(Self.suffix.count)
    return rename(path, aside) == 0 ? aside : path
  }
}

// Reading.
extension SpoolFile {
  /// The header, and the offset of the first record after it; nil if the file has no valid one.
  package func header() throws(SpoolError) -> (value: SpoolHeader, end: Int)? {
    guard size >= SpoolRecord.magic.count,
      try bytes(at: 0, count: SpoolRecord.magic.count) == SpoolRecord.magic,
      case .record(let payload, let end) = try read(at: SpoolRecord.magic.count),
      let json = try? JSON.parse(payload, limits: .message),
      let header = try? SpoolHeader(json: json)
    else { return nil }
    return (header, end)
  }

  /// The record at `offset`, or why there is none. O(record).
  package func read(at offset: Int) throws(SpoolError) -> SpoolRecord.Reading {
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

  /// The offset after the record at `offset`; nil if there is no whole record. The payload is not
  /// read. O(1).
  func nextOffset(after offset: Int) throws(SpoolError) -> Int? {
    let payload = offset + SpoolRecord.headSize
    guard payload <= size,
      let length = SpoolRecord.length(try bytes(at: offset, count: SpoolRecord.headSize)),
      length <= size - payload
    else { return nil }
    return payload + length
  }

  /// True if the file has only zeros from `offset` on: a loss of power leaves this of writes that
  /// were not flushed.
  private func isZero(from offset: Int) throws(SpoolError) -> Bool {
    var offset = offset
    while offset < size {
      let count = min(size - offset, 1 << 16)
      guard try bytes(at: offset, count: count).allSatisfy({ $0 == 0 }) else { return false }
      offset += count
    }
    return true
  }

  /// `count` bytes, which lie within the file's size.
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
