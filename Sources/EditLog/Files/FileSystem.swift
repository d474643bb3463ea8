import EditLogFormat

/// The operations that the store needs from an operating system: everything that touches a disk
/// goes through here, so that a test can put a simulated or a failing disk in its place.
///
/// Nothing here is durable before it is synced: bytes by `File.sync` or `File.syncData`, names
/// by `Directory.sync`. Only `createDirectory(at:)` promises more.
public protocol FileSystem: Sendable {
  /// Opens the directory at `path`.
  ///
  /// - Throws: `LogError.io` with `ENOENT` if there is none, `LogError.refused` if it is
  ///   not a directory of this user.
  func directory(at path: String) throws(LogError) -> any Directory

  /// Creates the directory at `path`, whose parent exists, with mode 0700, durably, and opens it.
  /// An existing directory is opened.
  func createDirectory(at path: String) throws(LogError) -> any Directory
}

/// An open directory. Files are reached by their name in it, never by a path, so a link planted
/// above or below cannot lead elsewhere.
public protocol Directory: AnyObject, Sendable {
  /// Where it was opened: for messages only.
  var path: String { get }

  /// The path of a file in this directory, for messages only.
  func path(of name: String) -> String
  /// Opens a directory in this one.
  func directory(_ name: String) throws(LogError) -> any Directory
  /// Creates a directory in this one with mode 0700, and opens it. An existing one is opened.
  func createDirectory(_ name: String) throws(LogError) -> any Directory
  /// Opens a file in this directory.
  ///
  /// - Throws: `LogError.refused` if it is not a regular file of this user with
  ///   exactly one hard link.
  func open(_ name: String, _ access: FileAccess) throws(LogError) -> any File
  /// Bytes in a regular file of this directory, or of the directory `folder` in it.
  func size(of name: String, in folder: String?) throws(LogError) -> Int
  /// The names in this directory, `.` and `..` left out, in ascending order.
  func names() throws(LogError) -> [String]
  /// Gives a file another name, here or in `directory`; a file of that name is replaced.
  func rename(_ name: String, to newName: String, in directory: any Directory) throws(LogError)
  /// Removes a file's name.
  func remove(_ name: String) throws(LogError)
  /// Makes the names in this directory durable.
  func sync() throws(LogError)
}

/// How a file is opened.
public enum FileAccess: Hashable, Sendable {
  /// An existing file, to read.
  case read
  /// An existing file, to read and write.
  case write
  /// A new file, to read and write; `EEXIST` if the name is taken.
  case create
}

/// An open regular file. It is closed when the last reference to it goes.
public protocol File: AnyObject, Sendable {
  /// Where it was opened: for messages only.
  var path: String { get }

  /// Bytes in the file.
  func size() throws(LogError) -> Int
  /// Reads bytes from `offset` on, perhaps fewer than `bytes` has room for. Returns how many;
  /// 0 at the end.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(LogError) -> Int
  /// The next range, from `offset` on, whose bytes may differ from 0; nil if there is none. Some
  /// file systems report zeros that take no space on the disk.
  func data(from offset: Int) throws(LogError) -> Range<Int>?
  /// Writes bytes from `offset` on, perhaps fewer than given, and returns how many.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) -> Int
  /// Makes the file at least `size` bytes long, backed by blocks of the disk; new bytes are 0.
  func reserve(_ size: Int) throws(LogError)
  /// Cuts the file, or extends it by zeros.
  func truncate(to size: Int) throws(LogError)
  /// Makes the bytes durable, with what is needed to read them back.
  func syncData() throws(LogError)
  /// Makes the bytes and all the file's properties durable.
  func sync() throws(LogError)
  /// True if `path` leads to this file. False if the file, or a folder above it, was removed,
  /// renamed or replaced: readers may then never find what is written to it.
  func isFound(at path: String) throws(LogError) -> Bool
  /// Locks the file for this open file description. Returns false if another one holds the lock.
  /// Closing the file releases the lock, also when the process is killed.
  func lock() throws(LogError) -> Bool
  /// True if another open file description holds the lock.
  func isLocked() throws(LogError) -> Bool
}

extension Directory {
  /// In this directory itself.
  public func path(of name: String) -> String { "\(path)/\(name)" }

  /// The default opens the file. A file system may have a cheaper way.
  public func size(of name: String, in folder: String?) throws(LogError) -> Int {
    guard let folder else { return try open(name, .read).size() }
    return try directory(folder).open(name, .read).size()
  }
}

extension File {
  /// The default: everything from `offset` on, for file systems that do not report holes.
  public func data(from offset: Int) throws(LogError) -> Range<Int>? { offset..<Int.max }

  /// Writes all of `bytes` from `offset` on.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogError) {
    var done = 0
    while done < bytes.count {
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + done)
      guard count > 0 else { throw .io(operation: "write", path: path, errno: 5) }
      done += count
    }
  }

  /// Writes all of `bytes` from `offset` on.
  package func writeAll(_ bytes: [UInt8], at offset: Int) throws(LogError) {
    try withBytes(of: bytes) { buffer throws(LogError) in try writeAll(buffer, at: offset) }
  }

  /// The `count` bytes from `offset` on; fewer if the file ends earlier. The caller must bound
  /// `count`.
  package func read(_ count: Int, at offset: Int) throws(LogError) -> [UInt8] {
    var failure: LogError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      do throws(LogError) {
        while initialized < count {
          let part = UnsafeMutableRawBufferPointer(rebasing: raw[initialized...])
          let got = try read(into: part, at: offset + initialized)
          guard got > 0 else { return }
          initialized += got
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }
}
