import EditModel
import Glibc

/// The folders that are watched, and the changes in them.
///
/// - Each folder below the paths given has one watch, unless it is ignored. A folder is watched before
///   it is listed, so a file that is made meanwhile is found twice rather than not at all.
/// - A path given is never ignored. Its parent has a watch too, for its name: so a file that is
///   replaced, and a folder that is made again, are found. So have the folders with the links on the way to
///   it, and the folders on the way are watched for being moved: then the path is followed again.
/// - `changes` holds each file once, however often it changes.
struct FolderTree {
  /// Adds a watch to the folder at a path. Below the path given that it is in, no link is followed; if that
  /// is nil, all are.
  typealias AddWatch = (Inotify, _ path: String, _ root: String?) -> Result<Int32, SystemError>

  /// A watched folder.
  private struct Folder {
    var path: String
    /// The rules for the folder itself, and those for what is in it; nil if only names and paths given matter.
    var rules: (outer: FolderRules, own: FolderRules)?
    /// The paths given for which a name in the folder matters.
    var names: [ExactString: Set<RootPlace>] = [:]
    /// The paths given that lead elsewhere if the folder is moved.
    var passing: Set<ExactString> = []

    /// True if nothing in the folder matters.
    var isIdle: Bool { rules == nil && names.isEmpty && passing.isEmpty }
  }

  /// What a name in a folder is for a path given.
  private struct RootPlace: Hashable {
    var root: ExactString
    /// True if the path leads to it, false if it is a link on the way, or missing there.
    var isEnd: Bool
  }

  let roots: Set<ExactString>
  private let filter: WatchFilter
  /// The file of the user's rules for all working trees.
  private let excludesFile: String?
  private var everywhere = IgnoreRules(patterns: [])
  private let addWatch: AddWatch
  private var inotify: Inotify?
  private var folders: [Int32: Folder] = [:]
  private var watches: [ExactString: Int32] = [:]
  /// Folders that are never watched.
  private var avoided: Set<ExactString> = []
  /// Names that are not UTF-8, and symbolic links, by the folder that they are in.
  private var skipped: [ExactString: (names: Int, links: Set<ExactString>)] = [:]
  /// The collected changes.
  var changes = TreeChanges()
  /// True if events were lost since the last `start`.
  private(set) var hasLostEvents = false

  /// How often a path is followed that changes meanwhile.
  private static let attemptCountMax = 8

  /// A tree of the absolute paths `roots`.
  init(
    roots: [String], _ filter: WatchFilter, excludesFile: String? = nil,
    addWatch: @escaping AddWatch = { $0.add($1, in: $2) }
  ) {
    (self.roots, self.filter, self.addWatch) = (Set(exact: roots), filter, addWatch)
    self.excludesFile = excludesFile
  }

  /// Forgets all watches, and scans the paths given: all files in them count as changed, but not those
  /// in the folders `avoided`. Without an inotify, no folder is watched. O(files).
  mutating func start(_ inotify: Inotify?, avoiding avoided: Set<ExactString> = []) {
    (self.inotify, self.avoided) = (inotify, avoided)
    (folders, watches, skipped, hasLostEvents) = ([:], [:], [:], false)
    if let excludesFile { everywhere = FolderRules.rules(of: excludesFile) }
    for root in roots.sortedStrings {
      watchPlaces(of: root)
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
    case nil:
      if event.has(IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT) {
        for root in folder.passing.sortedStrings { follow(root) }
      }
    case .other:
      guard folder.rules != nil else { return }
      changes.note(.namesSkipped(folder: folder.path, count: 1))
      let change =
        event.has(IN_CREATE | IN_MOVED_TO) ? 1 : event.has(IN_DELETE | IN_MOVED_FROM) ? -1 : 0
      let count = skipped[folder.path]?.names ?? 0
      skipped[folder.path, default: (0, [])].names = max(0, count + change)
    case .text(let name):
      let path = folder.path.appending(path: name)
      if event.has(IN_DELETE | IN_MOVED_FROM) { skipped[folder.path]?.links.remove(name) }
      let places = folder.names[name] ?? []
      for place in places.sorted(by: { $0.root.string.precedesExactly($1.root.string) }) {
        take(event, path, at: place)
      }
      guard let rules = folder.rules?.own, name != ".git" else { return }
      if name == FolderRules.fileName, !event.has(IN_ATTRIB | IN_ISDIR) { scanAgain(folder.path) }
      guard !places.contains(where: { $0.root.string.isExactly(path) }) else { return }
      if event.has(IN_ISDIR) {
        takeFolder(path, event, rules)
      } else if wants(path, isFolder: false, rules) {
        takeFile(path, event)
      }
    }
  }

  /// Takes an event about a path that is on the way to a path given, or that this leads to.
  private mutating func take(_ event: Inotify.Event, _ path: String, at place: RootPlace) {
    if !place.isEnd {
      if event.has(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO) {
        follow(place.root.string)
      }
    } else if event.has(IN_ISDIR) {
      takeFolder(place.root.string, event, nil)
    } else if event.has(IN_CREATE | IN_MOVED_TO), FileKind(path) == nil {
      // It may be a link now.
      follow(place.root.string)
    } else {
      takeFile(place.root.string, event)
    }
  }

  private mutating func takeFile(_ path: String, _ event: Inotify.Event) {
    if event.has(IN_MOVED_FROM) {
      changes.move(from: path, event.cookie, at: .now)
    } else if event.has(IN_MOVED_TO) {
      changes.move(to: path, event.cookie, at: .now)
    } else {
      changes.add(path, at: .now, isNew: event.has(IN_CREATE))
    }
  }

  /// Takes an event about a folder, which is in one with these rules; nil for a path given.
  private mutating func takeFolder(_ path: String, _ event: Inotify.Event, _ rules: FolderRules?) {
    if event.has(IN_MOVED_FROM) {
      if drop(path) || rules == nil { changes.moveFolder(from: path, event.cookie) }
    } else if event.has(IN_DELETE) {
      if rules == nil { changes.note(.gone(path)) }
    } else if event.has(IN_CREATE) || event.has(IN_MOVED_TO) || watches[path] == nil {
      let old = changes.moveFolder(to: path, event.cookie)
      if let rules {
        if wants(path, isFolder: true, rules) { scan(path, rules, isNew: event.has(IN_CREATE)) }
      } else {
        scanRoot(path)
      }
      if let old { changes.moveFiles(from: old, to: path) }
    }
  }

  // MARK: Paths given

  /// Watches the places that decide what a path given leads to.
  private mutating func watchPlaces(of root: String) {
    guard let inotify else { return }
    var places = PathPlaces(root)
    for _ in 0..<Self.attemptCountMax {
      for folder in places.folders {
        // A folder that may not be read is not watched: others seldom move it.
        guard case .success(let watch) = inotify.add(folder, Inotify.moveMask, in: nil) else {
          continue
        }
        folders[watch, default: Folder(path: folder)].passing.insert(root)
      }
      for (place, isEnd) in places.links.map({ ($0, false) })
        + (places.end.map { [($0, true)] } ?? [])
      {
        guard let watch = add(place.folder, in: nil, inotify).watch else { continue }
        folders[watch, default: Folder(path: place.folder)].names[place.name, default: []].insert(
          RootPlace(root: ExactString(root), isEnd: isEnd))
      }
      let now = PathPlaces(root)
      guard now != places else { return }
      places = now
      forgetPlaces(of: root)
    }
  }

  /// Forgets the places that decide what a path given leads to. O(folders).
  private mutating func forgetPlaces(of root: String) {
    for (watch, folder) in folders {
      var folder = folder
      let isPassing = folder.passing.remove(root)
      let names = folder.names.compactMapValues { places -> Set<RootPlace>? in
        let others = places.filter { !$0.root.string.isExactly(root) }
        return others.isEmpty ? nil : others
      }
      guard isPassing || names != folder.names else { continue }
      folder.names = names
      update(watch, folder)
    }
  }

  /// Follows a path given again, because it leads elsewhere. All files in it count as changed.
  private mutating func follow(_ root: String) {
    forgetPlaces(of: root)
    let wasFolder = drop(root)
    watchPlaces(of: root)
    if !wasFolder, FileKind(root, followingLink: true) == nil {
      // A link is removed before it is made again.
      changes.add(root, at: .now)
    } else {
      scanRoot(root)
    }
  }

  // MARK: Scanning

  private mutating func scanRoot(_ root: String) {
    switch FileKind(root, followingLink: true) {
    case .file: changes.add(root, at: .now, isFound: true)
    case .folder: scan(root, .above(root, everywhere: everywhere))
    case nil: changes.note(.gone(root))
    }
  }

  /// Watches a folder and those in it, and adds their files. `isNew` says that the folder was just made.
  private mutating func scan(_ path: String, _ outer: FolderRules, isNew: Bool = false) {
    var waiting = [(path: path, outer: outer)]
    while let (path, outer) = waiting.popLast() {
      let root = roots.contains(path) ? path : WatchedRoots.root(of: path, in: roots) ?? path
      let rules = FolderRules.rules(of: path, in: root, outer: outer)
      guard watch(path, (outer, rules), in: root) else { continue }
      let listing: FolderListing
      do { listing = try FolderListing(path, in: root) } catch {
        // It was removed or replaced meanwhile.
        if ![ENOENT, ENOTDIR, ELOOP].contains(error.code) {
          changes.note(.folderUnreadable(path, error))
        }
        continue
      }
      skipped[path] = (listing.otherCount, [])
      if listing.otherCount > 0 {
        changes.note(.namesSkipped(folder: path, count: listing.otherCount))
      }
      for name in listing.files {
        let file = path.appending(path: name)
        if wants(file, isFolder: false, rules) {
          changes.add(file, at: .now, isFound: true, isNew: isNew)
        }
      }
      for name in listing.links {
        let link = path.appending(path: name)
        guard wants(link, isFolder: false, rules), !roots.contains(link) else { continue }
        changes.noteLink(link)
        skipped[path]?.links.insert(ExactString(name))
      }
      if skipped[path]?.names == 0, skipped[path]?.links.isEmpty == true { skipped[path] = nil }
      for name in listing.folders.reversed() {
        let folder = path.appending(path: name)
        if wants(folder, isFolder: true, rules) { waiting.append((folder, rules)) }
      }
    }
  }

  /// Scans a folder again, because its rules have changed.
  private mutating func scanAgain(_ path: String) {
    guard let watch = watches[path], let rules = folders[watch]?.rules else { return }
    _ = drop(path)
    scan(path, rules.outer)
  }

  /// True if a file or folder is watched, in a folder with these rules.
  private func wants(_ path: String, isFolder: Bool, _ rules: FolderRules) -> Bool {
    if roots.contains(path) { return true }
    guard !avoided.contains(path), !rules.ignores(path, isFolder: isFolder) else { return false }
    let relative = roots.lazy.compactMap { path.relative(to: $0.string) }
    return relative.contains { filter.wants($0, isFolder: isFolder) }
  }

  /// What was found and is not watched.
  var skippedCounts: (names: Int, links: Int) {
    skipped.values.reduce((0, 0)) { ($0.0 + $1.names, $0.1 + $1.links.count) }
  }

  // MARK: Watches

  /// Adds a watch to a folder in which all names matter. Returns false if the folder is not to be scanned: it
  /// is gone, or it is watched already with all that is in it.
  private mutating func watch(
    _ path: String, _ rules: (outer: FolderRules, own: FolderRules), in root: String
  ) -> Bool {
    let watch: Int32
    if let inotify {
      let added = add(path, in: root, inotify)
      // Its files are compared once, even if later changes are not seen.
      guard let number = added.watch else { return added.isLimited }
      watch = number
    } else {
      watch = watches[path] ?? Int32(clamping: watches.count)
    }
    guard folders[watch]?.rules == nil else { return false }
    folders[watch, default: Folder(path: path)].rules = rules
    folders[watch]?.path = path
    watches[path] = watch
    return true
  }

  /// Adds a watch to a folder. It is nil if that fails; `isLimited` is true if the system allows no more.
  private mutating func add(
    _ path: String, in root: String?, _ inotify: Inotify
  ) -> (watch: Int32?, isLimited: Bool) {
    switch addWatch(inotify, path, root) {
    case .success(let watch): return (watch, false)
    case .failure(let error):
      switch error.code {
      case ENOSPC: changes.noteLimit(path)
      // It was removed or replaced meanwhile.
      case ENOENT, ENOTDIR, ELOOP: break
      default: changes.note(.folderUnreadable(path, error))
      }
      return (nil, error.code == ENOSPC)
    }
  }

  private mutating func forget(_ watch: Int32, _ folder: Folder) {
    folders[watch] = nil
    skipped[folder.path] = nil
    if watches[folder.path] == watch { watches[folder.path] = nil }
  }

  /// Changes what matters in a folder, and ends its watch if nothing does.
  private mutating func update(_ watch: Int32, _ folder: Folder) {
    guard folder.isIdle else { return folders[watch] = folder }
    inotify?.remove(watch)
    forget(watch, folder)
  }

  /// Ends the scan of a folder and of those in it. Returns false if it was not scanned. O(folders).
  private mutating func drop(_ path: String) -> Bool {
    guard watches[path] != nil else { return false }
    for (watch, folder) in folders
    where folder.rules != nil
      && (folder.path.isExactly(path) || folder.path.relative(to: path) != nil)
    {
      var folder = folder
      folder.rules = nil
      skipped[folder.path] = nil
      if watches[folder.path] == watch { watches[folder.path] = nil }
      update(watch, folder)
    }
    return true
  }
}
