package import EditModel
import Glibc

/// The folder where bridges keep what the daemon has not acknowledged, one file for each bridge.
package struct SpoolFolder: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// Makes the folder and those above it, new ones with mode 700, and checks that no other user
  /// can enter it.
  package func prepare() throws(SpoolError) {
    var end = path.startIndex
    while end < path.endIndex {
      end = path.utf8[end...].dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
      let part = String(path[..<end])
      guard mkdir(part, 0o700) != 0 else { continue }
      // A folder above may exist where this user may not make one.
      if end == path.endIndex, errno != EEXIST { throw .last("make the folder", part) }
    }
    guard isOurs else { throw .folderRefused(path: path) }
  }

  private var isOurs: Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
      && info.st_uid == geteuid() && info.st_mode & 0o077 == 0
  }

  /// The spools of bridges that have ended, each locked from now on, in the order of their last
  /// writes: of two bridges that edited one document, the earlier comes first. At most `limit` of
  /// them. Removes unfinished files.
  package func takeDead(except session: SessionID, limit: Int) -> [SpoolFile] {
    var found: [SpoolFile] = []
    for name in names where !name.hasPrefix(session.name) {
      if name.hasSuffix(SpoolFile.suffix + SpoolFile.newSuffix) {
        (try? SpoolFile.takeDead(at: "\(path)/\(name)"))?.remove()
      } else if name.hasSuffix(SpoolFile.suffix), found.count < limit,
        let file = try? SpoolFile.takeDead(at: "\(path)/\(name)")
      {
        found.append(file)
      }
    }
    return found.sorted {
      ($0.modified.seconds, $0.modified.nanos) < ($1.modified.seconds, $1.modified.nanos)
    }
  }

  /// The paths of all spools, locked or not.
  package var spools: [String] { paths { $0.hasSuffix(SpoolFile.suffix) } }

  /// The paths of the spools of which a part was not logged.
  package var damaged: [String] { paths { $0.hasSuffix(SpoolFile.damagedSuffix) } }

  private func paths(_ isIncluded: (String) -> Bool) -> [String] {
    names.filter(isIncluded).map { "\(path)/\($0)" }
  }

  /// The paths of the spools of other sessions, locked or not.
  package func spools(except session: SessionID) -> [String] {
    paths { $0.hasSuffix(SpoolFile.suffix) && !$0.hasPrefix(session.name) }
  }

  /// The names of all files, sorted; none if the folder is missing or another user can enter it.
  var names: [String] {
    guard isOurs, let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns when the folder's names would survive a loss of power.
  package func sync() throws(SpoolError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open", path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .last("flush", path) }
  }
}
