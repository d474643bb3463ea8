import EditLogFormat
import Synchronization

/// The files of one document: those in its folder, and its first segment, which is beside the
/// folder while it is small. Callers see one directory.
///
/// If both have a first segment, the one in the folder is newer, and readers take it. The sealing
/// that wrote it removes the other once the newer one is durable.
final class DocumentDirectory: Directory {
  private static let firstSegment = StoreLayout.name(of: 1, .segment)
  private static let firstTemporary = StoreLayout.name(of: 1, .temporary)

  let path: String
  /// The number of the document.
  let number: UInt64
  /// Holds the folder, and the files beside it.
  private let parent: any Directory
  private let name: String
  private let loneSegment: String
  private let loneTemporary: String
  private let loneSizeMax: Int
  private let known: Mutex<(any Directory)?>
  /// True if a file beside the folder was added or removed.
  private let isParentChanged = Atomic(false)
  /// True if the folder has a new first segment that replaces the one beside it.
  private let hasGrown = Atomic(false)

  /// The files of document `number` in `parent`. Segments of at most `loneSizeMax` bytes are
  /// written beside the folder.
  init(_ number: UInt64, in parent: any Directory, loneSizeMax: Int) throws(LogError) {
    (self.number, self.parent, self.loneSizeMax) = (number, parent, loneSizeMax)
    name = StoreLayout.name(of: number)
    path = "\(parent.path)/\(name)"
    loneSegment = StoreLayout.name(of: number, .segment)
    loneTemporary = StoreLayout.name(of: number, .temporary)
    known = Mutex(try parent.directoryIfPresent(name))
  }

  /// True if there is a folder or a file.
  func exists() throws(LogError) -> Bool {
    if try folder() != nil { return true }
    if try !loneNames().isEmpty { return true }
    // A file that was there at the first look may have moved to a new folder.
    return try folder() != nil
  }

  /// The folder; nil if there is none. It may have been created since the last call.
  private func folder() throws(LogError) -> (any Directory)? {
    if let folder = known.withLock({ $0 }) { return folder }
    guard let folder = try parent.directoryIfPresent(name) else { return nil }
    known.withLock { $0 = folder }
    return folder
  }

  /// The folder, which must exist.
  private func existingFolder() throws(LogError) -> any Directory {
    if let folder = try folder() { return folder }
    return try parent.directory(name)
  }

  /// Creates the folder, durably, if there is none.
  func makeFolder(_ flushes: inout FlushWatch) throws(LogError) {
    guard try folder() == nil else { return }
    let folder = try parent.createDirectory(name)
    try flushes.watch { () throws(LogError) in try parent.sync() }
    known.withLock { $0 = folder }
  }

  /// Creates the folder if renaming `temporary` to `name` needs it, so that a full disk is noticed
  /// before the rename.
  func prepare(
    renaming temporary: String, to name: String, _ flushes: inout FlushWatch
  ) throws(LogError) {
    if try !isLone(temporary, as: name) { try makeFolder(&flushes) }
  }

  /// The name that a file of this directory has beside the folder; nil if it is always in the
  /// folder.
  private func loneName(_ name: String) -> String? {
    switch name {
    case Self.firstSegment: loneSegment
    case Self.firstTemporary: loneTemporary
    default: nil
    }
  }

  /// The names here of the files that are beside the folder.
  private func loneNames() throws(LogError) -> [String] {
    var names: [String] = []
    for name in [Self.firstSegment, Self.firstTemporary] {
      guard let lone = loneName(name), try parent.hasFile(lone) else { continue }
      names.append(name)
    }
    return names
  }

  /// Runs `body` with the directory that has the file, and its name there. Of two segments it is
  /// the one in the folder.
  private func find<Result>(
    _ name: String, _ body: (any Directory, String) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    guard let lone = loneName(name) else { return try body(existingFolder(), name) }
    if let folder = try folder() {
      do { return try body(folder, name) } catch { guard error.isMissing else { throw error } }
    }
    do { return try body(parent, lone) } catch {
      // It may have moved to the folder meanwhile.
      guard error.isMissing, let folder = try folder() else { throw error }
      return try body(folder, name)
    }
  }

  // MARK: Directory

  func path(of name: String) -> String {
    guard let lone = loneName(name), (try? folder()?.hasFile(name)) != true,
      (try? parent.hasFile(lone)) == true
    else { return "\(path)/\(name)" }
    return "\(parent.path)/\(lone)"
  }

  func directory(_ name: String) throws(LogError) -> any Directory {
    try existingFolder().directory(name)
  }

  func createDirectory(_ name: String) throws(LogError) -> any Directory {
    try existingFolder().createDirectory(name)
  }

  func open(_ name: String, _ access: FileAccess) throws(LogError) -> any File {
    guard access == .create else {
      return try find(name) { directory, name throws(LogError) in
        try directory.open(name, access)
      }
    }
    // Where it will be is known when it is written.
    if let lone = loneName(name) { return try parent.open(lone, .create) }
    return try existingFolder().open(name, .create)
  }

  func names() throws(LogError) -> [String] {
    // Beside it first: what moves to the folder meanwhile is then seen there.
    let lone = try loneNames()
    return Set(try (folder()?.names() ?? []) + lone).sorted()
  }

  func rename(
    _ name: String, to newName: String, in directory: any Directory
  ) throws(LogError) {
    guard (directory as? DocumentDirectory) === self else {
      isParentChanged.store(true, ordering: .relaxed)
      return try find(name) { place, name throws(LogError) in
        try place.rename(name, to: newName, in: directory)
      }
    }
    let isLone = try isLone(name, as: newName)
    if isLone { isParentChanged.store(true, ordering: .relaxed) }
    let (target, targetName) = try isLone ? (parent, loneSegment) : (existingFolder(), newName)
    try find(name) { place, name throws(LogError) in
      try place.rename(name, to: targetName, in: target)
    }
    if !isLone, newName == Self.firstSegment { hasGrown.store(true, ordering: .relaxed) }
  }

  /// True if the file `name` goes beside the folder as `newName`: a small first segment, unless the
  /// folder has one.
  private func isLone(_ name: String, as newName: String) throws(LogError) -> Bool {
    guard newName == Self.firstSegment, loneSizeMax > 0,
      try open(name, .read).size() <= loneSizeMax
    else { return false }
    return try folder()?.hasFile(newName) != true
  }

  func remove(_ name: String) throws(LogError) {
    try find(name) { directory, name throws(LogError) in try directory.remove(name) }
    if loneName(name) != nil { isParentChanged.store(true, ordering: .relaxed) }
    // A file that is being written may be in both places.
    if name == Self.firstTemporary { try parent.removeIfPresent(loneTemporary) }
  }

  func sync() throws(LogError) {
    try folder()?.sync()
    if isParentChanged.exchange(false, ordering: .relaxed) { try parent.sync() }
    if hasGrown.exchange(false, ordering: .relaxed) { try removeOlder() }
  }

  /// Removes the segment beside the folder if the folder has a first segment, which must be known
  /// to be sound. A reader that has the removed one open can still read it, unless it is erased too.
  func removeOlder(erases: Bool = false) throws(LogError) {
    guard let folder = try folder(), try folder.hasFile(Self.firstSegment),
      try parent.hasFile(loneSegment)
    else { return }
    try folder.sync()
    if erases { try parent.erase(loneSegment) } else { try parent.remove(loneSegment) }
  }
}
