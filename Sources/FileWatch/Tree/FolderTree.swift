import Glibc

/// The folders that are watched, and the changes in them.
///
/// - Each folder below the paths given has one watch, unless it is ignored. A folder is watched before
///   it is listed, so a file that is made meanwhile is found twice rather than not at all.
/// - A path given is never ignored. Its parent has a watch too, for its name: so a file that is
///   replaced, and a folder that is made again, are found.
/// - `changes` holds each file once, however often it changes.
struct FolderTree {
  /// Adds a watch to the folder at a path. Below the path given that it is in, no link is followed; if that
  /// is nil, all are.
  typealias AddWatch = (Inotify, _ path: String, _ root: String?) -> Result<Int32, SystemError>

  /// A watched folder.
  private struct Folder {
    let path: String
    /// The rules for the folder itself, and those for what is in it.
    let outer, rules: FolderRules
    /// The names that matter. Nil: all, and the folders too.
    var names: Set<String>?
  }

  let roots: Set<String>
  private let filter: WatchFilter
  private let addWatch: AddWatch
  private var inotify: Inotify?
  private var folders: [Int32: Folder] = [:]
  private var watches: [String: Int32] = [:]
  /// Folders that are never watched.
  private var avoided: Set<String> = []
  /// The collected changes.
  var changes = TreeChanges()
  /// True if events were lost since the last `start`.
  private(set) var hasLostEvents = false
  /// A tree of the absolute paths `roots`.
  init(
    roots: [String], _ filter: WatchFilter,
    addWatch: @escaping AddWatch = { $0.add($1, in: $2) }
  ) {
    (self.roots, self.filter, self.addWatch) = (Set(roots), filter, addWatch)
  }

  /// Forgets all watches, and scans the paths given: all files in them count as changed, but not those
  /// in the folders `avoided`. Without an inotify, no folder is watched. O(files).
  mutating func start(_ inotify: Inotify?, avoiding avoided: Set<String> = []) {
    (self.inotify, self.avoided) = (inotify, avoided)
    (folders, watches, hasLostEvents) = ([:], [:], false)
    for root in roots.sorted() {
      let parent = root.parentPath
      let none = FolderRules(IgnoreRules(""), in: "/")
      watch(parent, (none, none), names: [root.lastName])
      scanRoot(root)
    }
  }

  /// Reads the events that have come.
  mutating func readEvents() {
    while let events = inotify?.read(), !events.isEmpty {
      for event in events { take(event) }
      changes.endRenames()
    }
  }

  // MARK: Events

  private mutating func take(_ event: Inotify.Event) {
    if event.has(IN_Q_OVERFLOW) { return hasLostEvents = true }
    guard let folder = folders[event.watch] else { return }
    if event.has(IN_IGNORED) { return forget(event.watch, folder) }
    switch event.name {
    case nil: break
    case .other:
      if folder.names == nil { changes.note(.namesSkipped(folder: folder.path, count: 1)) }
    case .text(let name):
      guard name != ".git", folder.names?.contains(name) ?? true else { return }
      let path = folder.path.appending(path: name)
      if event.has(IN_ISDIR) {
        takeFolder(path, event, in: folder)
      } else {
        takeFile(path, event, in: folder)
      }
    }
  }

  private mutating func takeFile(_ path: String, _ event: Inotify.Event, in folder: Folder) {
    if folder.names == nil, path.lastName == FolderRules.fileName, !event.has(IN_ATTRIB) {
      scanAgain(folder)
    }
    if wants(path, isFolder: false, folder.rules) {
      if event.has(IN_MOVED_FROM) {
        changes.move(from: path, event.cookie, at: .now)
      } else if event.has(IN_MOVED_TO) {
        changes.move(to: path, event.cookie, at: .now)
      } else {
        changes.add(path, at: .now)
      }
    }
  }

  private mutating func takeFolder(_ path: String, _ event: Inotify.Event, in folder: Folder) {
    let isRoot = roots.contains(path)
    guard isRoot || folder.names == nil else { return }
    if event.has(IN_MOVED_FROM) {
      if drop(path) || isRoot { changes.moveFolder(from: path, event.cookie) }
    } else if event.has(IN_DELETE) {
      if isRoot { changes.note(.gone(path)) }
    } else if event.has(IN_CREATE) || event.has(IN_MOVED_TO) || watches[path] == nil {
      let old = changes.moveFolder(to: path, event.cookie)
      if isRoot {
        scanRoot(path)
      } else if wants(path, isFolder: true, folder.rules) {
        scan(path, folder.rules)
      }
      if let old { changes.moveFiles(from: old, to: path) }
    }
  }

  // MARK: Scanning

  private mutating func scanRoot(_ root: String) {
    switch FileKind(root, followingLink: true) {
    case .file: changes.add(root, at: .now, isFound: true)
    case .folder: scan(root, .above(root))
    case nil: changes.note(.gone(root))
    }
  }

  /// Watches a folder and those in it, and adds their files.
  private mutating func scan(_ path: String, _ outer: FolderRules) {
    var waiting = [(path: path, outer: outer)]
    while let (path, outer) = waiting.popLast() {
      let root = roots.contains(path) ? path : WatchedRoots.root(of: path, in: roots) ?? path
      let rules = FolderRules.rules(of: path, in: root, outer: outer)
      guard watch(path, (outer, rules), names: nil, in: root) else { continue }
      let listing: FolderListing
      do { listing = try FolderListing(path, in: root) } catch {
        // It was removed or replaced meanwhile.
        if ![ENOENT, ENOTDIR, ELOOP].contains(error.code) {
          changes.note(.folderUnreadable(path, error))
        }
        continue
      }
      if listing.otherCount > 0 {
        changes.note(.namesSkipped(folder: path, count: listing.otherCount))
      }
      for name in listing.files {
        let file = path.appending(path: name)
        if wants(file, isFolder: false, rules) { changes.add(file, at: .now, isFound: true) }
      }
      for name in listing.folders.reversed() {
        let folder = path.appending(path: name)
        if wants(folder, isFolder: true, rules) { waiting.append((folder, rules)) }
      }
    }
  }

  /// Scans a folder again, because its rules have changed.
  private mutating func scanAgain(_ folder: Folder) {
    _ = drop(folder.path)
    scan(folder.path, folder.outer)
  }

  /// True if a file or folder is watched, in a folder with these rules.
  private func wants(_ path: String, isFolder: Bool, _ rules: FolderRules) -> Bool {
    if roots.contains(path) { return true }
    guard !avoided.contains(path), !rules.ignores(path, isFolder: isFolder) else { return false }
    let relative = roots.lazy.compactMap { path.relative(to: $0) }
    return relative.contains { filter.wants($0, isFolder: isFolder) }
  }

  // MARK: Watches

  /// Adds a watch. Returns false if the folder is not to be scanned: it is gone, or it is watched
  /// already with all that is in it.
  @discardableResult
  private mutating func watch(
    _ path: String, _ rules: (outer: FolderRules, own: FolderRules), names: Set<String>?,
    in root: String? = nil
  ) -> Bool {
    let watch: Int32
    if let inotify {
      switch addWatch(inotify, path, root) {
      case .success(let added): watch = added
      case .failure(let error):
        switch error.code {
        case ENOSPC: changes.noteLimit(path)
        // It was removed or replaced meanwhile.
        case ENOENT, ENOTDIR, ELOOP: break
        default: changes.note(.folderUnreadable(path, error))
        }
        // Its files are compared once, even if later changes are not seen.
        return error.code == ENOSPC
      }
    } else {
      watch = watches[path] ?? Int32(clamping: watches.count)
    }
    var names = names
    if let known = folders[watch] {
      guard let knownNames = known.names else { return false }
      names?.formUnion(knownNames)
    }
    folders[watch] = Folder(path: path, outer: rules.outer, rules: rules.own, names: names)
    watches[path] = watch
    return true
  }

  private mutating func forget(_ watch: Int32, _ folder: Folder) {
    folders[watch] = nil
    if watches[folder.path] == watch { watches[folder.path] = nil }
  }

  /// Ends the watches of a folder and of those in it. Returns false if it had none. O(folders).
  private mutating func drop(_ path: String) -> Bool {
    guard watches[path] != nil else { return false }
    for (watch, folder) in folders
    where folder.names == nil && (folder.path == path || folder.path.relative(to: path) != nil) {
      inotify?.remove(watch)
      forget(watch, folder)
    }
    return true
  }
}
