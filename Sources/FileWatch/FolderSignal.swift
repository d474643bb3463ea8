import Glibc

/// Says that files in one folder were closed after writing, or got or lost their names; not which
/// ones. Costs nothing until then: the caller waits until `descriptor` can be read.
package final class FolderSignal: Sendable {
  private let inotify: Inotify

  /// Watches the folder at `path`.
  ///
  /// - Throws: if the folder cannot be watched.
  package init(path: String) throws(SystemError) {
    inotify = try Inotify()
    let mask =
      UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
      | UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    _ = try inotify.add(path, mask, followingLink: true).get()
  }

  /// Can be read after a change.
  package var descriptor: Int32 { inotify.descriptor }

  /// Takes the changes so far. Returns false if the folder is gone, or has another name.
  package func take() -> Bool {
    while true {
      let events = inotify.read()
      if events.contains(where: { $0.has(IN_DELETE_SELF | IN_MOVE_SELF | Int32(IN_IGNORED)) }) {
        return false
      }
      if events.isEmpty { return true }
    }
  }
}
