import EditModel

/// A fact about the watched folders that a person should know.
package enum TreeNote: Hashable, Sendable {
  /// Events were lost, so all files are compared again.
  case eventsLost
  /// The system allows no more watches: `count` folders are not watched, one of them at `example`.
  case watchLimit(count: Int, example: String)
  /// The folder cannot be watched or read.
  case folderUnreadable(String, SystemError)
  /// Symbolic links in folders, which are not followed: `count` of them, one at `example`.
  case linksSkipped(count: Int, example: String)
  /// Names in this folder are not UTF-8, and so not watched.
  case namesSkipped(folder: String, count: Int)
  /// The file or folder is gone. If it is a path given, it is watched again once it is back.
  case gone(String)
  /// The folder was renamed.
  case folderMoved(from: String, to: String)
}

/// The changes since they were taken last.
struct TreeChanges {
  /// When a file changed. Nil for a file that was found by a scan.
  typealias Moment = ContinuousClock.Instant

  /// A file that has changed.
  struct File {
    var first: Moment
    var last: Moment
    /// The path that it had before it was renamed.
    var oldPath: String?
    /// True if the last change was a rename that ended a save: the file is due at once.
    var isWhole = false
    /// True if it was made since it was taken, and not renamed to its path.
    var isNew = false

    var due: Moment {
      isWhole ? last : min(last + FileWatcher.settleTime, first + FileWatcher.settleTimeMax)
    }
  }

  private(set) var files: [ExactString: File] = [:]
  private(set) var notes: [TreeNote] = []
  private var limit: (count: Int, example: String)?
  private var links: (count: Int, example: String)?
  /// The renames whose second event has not come, by the cookies of both events: the old path, and
  /// whether the file had just been written there.
  private var movedFiles: [UInt32: (path: String, isWritten: Bool)] = [:]
  /// The old paths of such renames of folders.
  private var movedFolders: [UInt32: String] = [:]

  /// Adds a file. One that was found by a scan is due at once. `isNew` says that it was just made.
  mutating func add(
    _ path: String, at moment: Moment, isFound: Bool = false, isNew: Bool = false
  ) {
    let due = isFound ? moment - FileWatcher.settleTime : moment
    var file = files[path] ?? File(first: due, last: due)
    // One that was put back changes now, and not when it would have been due again.
    (file.first, file.last) = (min(file.first, due), due)
    (file.isWhole, file.isNew) = (false, file.isNew || isNew)
    files[path] = file
  }

  /// Adds a file that is due at `due`, unless it has changed since it was taken.
  mutating func putBack(_ path: String, _ oldPath: String?, due: Moment) {
    let moment = due - FileWatcher.settleTime
    files[path, default: File(first: moment, last: moment)].oldPath =
      files[path]?.oldPath ?? oldPath
  }

  /// Begins the rename of a file, and adds it.
  mutating func move(from path: String, _ cookie: UInt32, at moment: Moment) {
    let isWritten = files[path].map { $0.oldPath == nil } ?? false
    movedFiles[cookie] = (path, isWritten)
    add(path, at: moment)
  }

  /// Ends the rename of a file, and adds it: it has its first path of those since it was taken. A file
  /// that was just written under its old path, or in a place that is not watched, is a save, and whole.
  mutating func move(to path: String, _ cookie: UInt32, at moment: Moment) {
    add(path, at: moment)
    let old = movedFiles.removeValue(forKey: cookie)
    if let old { move(from: old.path, to: path) }
    files[path]?.isWhole = old?.isWritten ?? true
    files[path]?.isNew = false
  }

  private mutating func move(from old: String, to path: String) {
    guard files[path] != nil else { return }
    let first = files.removeValue(forKey: old)?.oldPath ?? old
    files[path]?.oldPath = first.isExactly(path) ? nil : first
  }

  mutating func moveFolder(from path: String, _ cookie: UInt32) { movedFolders[cookie] = path }

  /// Ends the rename of a folder. Returns its old path.
  mutating func moveFolder(to path: String, _ cookie: UInt32) -> String? {
    guard let old = movedFolders.removeValue(forKey: cookie) else { return nil }
    notes.append(.folderMoved(from: old, to: path))
    return old
  }

  /// Ends the renames of the files in a folder that was renamed, and scanned again. O(files).
  mutating func moveFiles(from old: String, to folder: String) {
    for path in Set(files.keys).sortedStrings {
      if let rest = path.relative(to: folder) {
        move(from: old.appending(path: String(rest)), to: path)
      }
    }
  }

  /// Ends the renames whose second event has not come: the other end is not watched. That of a file may
  /// come with the next events.
  mutating func endRenames() {
    notes += Set(exact: movedFolders.values).sortedStrings.map { .gone($0) }
    movedFolders = [:]
    if movedFiles.count > Self.movedCountMax { movedFiles = [:] }
  }

  /// The number of files that were moved out and are remembered: they may come back under another name.
  private static let movedCountMax = 4_096

  mutating func note(_ note: TreeNote) { notes.append(note) }

  /// Counts a folder that is not watched, because the system allows no more watches.
  mutating func noteLimit(_ folder: String) {
    limit = ((limit?.count ?? 0) + 1, limit?.example ?? folder)
  }

  /// Counts a symbolic link that was found in a folder.
  mutating func noteLink(_ path: String) {
    links = ((links?.count ?? 0) + 1, links?.example ?? path)
  }

  /// Takes the notes.
  mutating func takeNotes() -> [TreeNote] {
    defer { (notes, limit, links) = ([], nil, nil) }
    return notes + (limit.map { [.watchLimit(count: $0.count, example: $0.example)] } ?? [])
      + (links.map { [.linksSkipped(count: $0.count, example: $0.example)] } ?? [])
  }

  /// When the next file is due; nil if there is none. O(files).
  var nextDue: Moment? { files.values.lazy.map(\.due).min() }

  /// Takes the files that are due at `now`, sorted, with their old paths; and returns when the next is
  /// due, if there are more. O(files · log files).
  mutating func takeDue(_ now: Moment) -> (files: [FileWatcher.File], next: Moment?) {
    var (due, next): ([FileWatcher.File], Moment?) = ([], nil)
    for (path, file) in files {
      if file.due <= now {
        due.append(
          FileWatcher.File(
            path: path.string, oldPath: file.oldPath, isWhole: file.isWhole,
            isBusy: !file.isWhole && file.last + FileWatcher.settleTime > now, isNew: file.isNew))
      } else {
        next = min(next ?? file.due, file.due)
      }
    }
    if due.count == files.count { files = [:] } else { for file in due { files[file.path] = nil } }
    return (due.sorted { $0.path.precedesExactly($1.path) }, next)
  }
}
