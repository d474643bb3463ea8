import CLinux
import Glibc

/// An instance of inotify(7): watches of folders, and the events of what is in them.
final class Inotify: Sendable {
  /// One event.
  struct Event: Hashable, Sendable {
    /// The watch. -1 if the queue was full and events were lost.
    var watch: Int32
    var mask: UInt32
    /// The same for both events of one rename.
    var cookie: UInt32
    /// The name in the folder. Nil if the event is about the folder itself.
    var name: Name?

    func has(_ flags: Int32) -> Bool { mask & UInt32(bitPattern: flags) != 0 }
  }

  /// A name in a folder.
  enum Name: Hashable, Sendable {
    case text(String)
    /// Not UTF-8.
    case other
  }

  /// The changes that are asked for. A file that was unlinked, but is still open, has no events.
  /// Those that are asked for already stay.
  static let mask =
    UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE)
    | UInt32(IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    | UInt32(IN_ONLYDIR | IN_EXCL_UNLINK | IN_MASK_ADD)
  /// That the folder itself was moved or removed.
  static let moveMask = UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR | IN_MASK_ADD)

  let descriptor: Int32
  /// Bytes that hold many events. An event has at most 272.
  private static let bufferSize = 64 << 10

  /// A new instance without watches.
  init() throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { throw SystemError(code: errno) }
  }

  deinit { close(descriptor) }

  /// Watches the folder at `path`. The watch is the same if the folder is watched already, under any
  /// path. Below the folder `root` no link is followed; if it is nil, all are.
  func add(
    _ path: String, _ mask: UInt32 = mask, in root: String?
  ) -> Result<Int32, SystemError> {
    guard let root else { return add(at: path, mask) }
    return Result { () throws(SystemError) in
      let folder = try TreeFile.open(path, in: root, linux_path_only | O_DIRECTORY)
      defer { close(folder) }
      // The folder that is open, whatever has its path now.
      let added = add(at: "/proc/self/fd/\(folder)", mask)
      guard case .failure(let error) = added, error.code == ENOENT,
        access("/proc/self/fd", F_OK) != 0
      else { return try added.get() }
      // Without /proc.
      return try add(at: path, mask | UInt32(IN_DONT_FOLLOW)).get()
    }
  }

  private func add(at path: String, _ mask: UInt32) -> Result<Int32, SystemError> {
    let watch = inotify_add_watch(descriptor, path, mask)
    return watch >= 0 ? .success(watch) : .failure(SystemError(code: errno))
  }

  /// Ends a watch.
  func remove(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

  /// The events so far, at most a few thousand. Empty if there are none.
  func read() -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      let headSize = MemoryLayout<inotify_event>.size
      var offset = 0
      while offset + headSize <= count {
        let head = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        let name = buffer[(offset + headSize)...].prefix(Int(head.len)).prefix { $0 != 0 }
        events.append(
          Event(
            watch: head.wd, mask: head.mask, cookie: head.cookie,
            name: head.len == 0 ? nil : Name(name)))
        offset += headSize + Int(head.len)
      }
    }
    return events
  }
}

extension Inotify.Name {
  init(_ bytes: some Sequence<UInt8>) {
    self = String(validating: Array(bytes), as: UTF8.self).map { .text($0) } ?? .other
  }
}

/// An error of a system call.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number, `errno`.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// The system's words for it.
  package var description: String { String(cString: strerror(code)) }
}
